//! What kind of thing the values of a field are.

use gannet_api::{EntityKind, FilterField, fold};

/// What kind of thing the values of a field are, by its name.
pub(crate) fn kind_of(field: &FilterField) -> EntityKind {
    let key = match field {
        FilterField::Author => return EntityKind::Author,
        FilterField::SourceSystem => return EntityKind::Source,
        FilterField::Kind => return EntityKind::Category,
        FilterField::EntryId | FilterField::Timestamp => return EntityKind::Other,
        FilterField::Metadata(key) => fold(key),
    };
    let has = |names: &[&str]| names.iter().any(|name| key.contains(name));
    match key.as_str() {
        "tag" | "tags" | "keywords" => EntityKind::Tag,
        "logbook" | "logbook_name" | "books" => EntityKind::Logbook,
        _ if has(&["shift"]) => EntityKind::Shift,
        _ if has(&["author", "operator", "reporter", "person"]) => EntityKind::Author,
        _ if has(&["device", "equipment", "component", "instrument"]) => EntityKind::Device,
        _ if has(&["pv", "channel"]) => EntityKind::Pv,
        _ if has(&[
            "place", "location", "site", "facility", "plant", "building", "room", "area", "sector",
            "region", "province", "country", "state", "city", "county", "beamline",
        ]) =>
        {
            EntityKind::Place
        }
        _ if has(&["system"]) => EntityKind::System,
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
            EntityKind::Category
        }
        _ if has(&["source"]) => EntityKind::Source,
        _ => EntityKind::Other,
    }
}
