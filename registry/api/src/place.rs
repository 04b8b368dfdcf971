//! Where something happened, as far as the fields of an entry say.

use crate::{EntityKind, Entry, FilterField, fold, scalar_text};

/// A field that says where something happened, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceField {
    /// The field of a device, a system or a place.
    pub field: FilterField,
    /// Its value, as the entry has it.
    pub value: String,
}

impl PlaceField {
    /// The field's name without a prefix.
    pub fn name(&self) -> String {
        match &self.field {
            FilterField::Metadata(key) => key.replace('_', " "),
            other => other.query_name(),
        }
    }

    /// Whether it is the same value of the same field.
    pub fn is_same(&self, other: &Self) -> bool {
        self.field == other.field && fold(&self.value) == fold(&other.value)
    }
}

/// The fields of an entry for devices, systems and places, the narrowest first:
/// a device before a plant, and a plant before its state. Of an entry without
/// one, the author: sources put the plant or the unit there.
pub fn places_of(entry: &Entry) -> Vec<PlaceField> {
    let fields = entry.metadata.iter().filter_map(|(key, value)| {
        let field = FilterField::Metadata(key.clone());
        let value = scalar_text(value);
        let is_named = is_place(&field) && !value.trim().is_empty();
        is_named.then_some(PlaceField { field, value })
    });
    let mut fields: Vec<PlaceField> = fields.collect();
    fields.sort_by_key(|place| breadth(&place.field));
    let author = entry.author.trim();
    if fields.is_empty() && !author.is_empty() {
        fields.push(PlaceField {
            field: FilterField::Author,
            value: author.to_owned(),
        });
    }
    fields
}

/// A device is narrower than a plant, and a plant than a region.
fn breadth(field: &FilterField) -> u8 {
    let FilterField::Metadata(key) = field else {
        return 2;
    };
    let key = fold(key);
    let is_region = ["region", "province", "country", "state", "county", "city"];
    match EntityKind::of_field(field) {
        EntityKind::Device | EntityKind::Pv => 0,
        EntityKind::System => 1,
        _ if is_region.iter().any(|name| key.contains(name)) => 3,
        _ => 2,
    }
}

fn is_place(field: &FilterField) -> bool {
    matches!(
        EntityKind::of_field(field),
        EntityKind::Device | EntityKind::Pv | EntityKind::System | EntityKind::Place
    )
}
