//! What kind of thing the values of a field are.

use super::EntityKind;
use crate::{FilterField, fold};

impl EntityKind {
    /// What kind of thing the values of a field are, by its name.
    pub fn of_field(field: &FilterField) -> Self {
        let key = match field {
            FilterField::Author => return Self::Author,
            FilterField::SourceSystem => return Self::Source,
            FilterField::Kind => return Self::Category,
            FilterField::EntryId | FilterField::Timestamp => return Self::Other,
            FilterField::Metadata(key) => fold(key),
        };
        let has = |names: &[&str]| names.iter().any(|name| key.contains(name));
        match key.as_str() {
            "tag" | "tags" | "keywords" => Self::Tag,
            "logbook" | "logbook_name" | "books" => Self::Logbook,
            _ if has(&["shift"]) => Self::Shift,
            _ if has(&["author", "operator", "reporter", "person"]) => Self::Author,
            _ if has(&["device", "equipment", "component", "instrument"]) => Self::Device,
            _ if has(&["pv", "channel"]) => Self::Pv,
            _ if has(&[
                "place", "location", "site", "facility", "plant", "building", "room", "area",
                "sector", "region", "province", "country", "state", "city", "county", "beamline",
            ]) =>
            {
                Self::Place
            }
            _ if has(&["system"]) => Self::System,
            _ if has(&[
                "category",
                "categories",
                "type",
                "level",
                "severity",
                "status",
                "resolution",
                "priority",
                "class",
            ]) =>
            {
                Self::Category
            }
            _ if has(&["source"]) => Self::Source,
            _ => Self::Other,
        }
    }
}
