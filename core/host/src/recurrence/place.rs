//! Where something happened, as far as the fields of an entry say.

use gannet_api::{Condition, EntityKind, Entry, Filter, FilterField, fold, scalar_text};

use crate::plan::kind_of;

/// A field that says where something happened, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlaceField {
    pub(super) field: FilterField,
    pub(super) value: String,
}

impl PlaceField {
    /// The field's name without a prefix.
    pub(super) fn name(&self) -> String {
        match &self.field {
            FilterField::Metadata(key) => key.replace('_', " "),
            other => other.query_name(),
        }
    }
}

/// The fields for devices, systems and places. Of an entry without one, the
/// author: sources put the plant or the unit there.
pub(super) fn places_of(entry: &Entry) -> Vec<PlaceField> {
    let fields = entry.metadata.iter().filter_map(|(key, value)| {
        let field = FilterField::Metadata(key.clone());
        let value = scalar_text(value);
        let is_named = is_place(&field) && !value.trim().is_empty();
        is_named.then_some(PlaceField { field, value })
    });
    let mut fields: Vec<PlaceField> = fields.collect();
    // The narrowest first: a plant before its state.
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
    match kind_of(field) {
        EntityKind::Device | EntityKind::Pv => 0,
        EntityKind::System => 1,
        _ if is_region.iter().any(|name| key.contains(name)) => 3,
        _ => 2,
    }
}

fn is_place(field: &FilterField) -> bool {
    matches!(
        kind_of(field),
        EntityKind::Device | EntityKind::Pv | EntityKind::System | EntityKind::Place
    )
}

/// Entries with all of these values.
pub(super) fn filter_of(places: &[PlaceField]) -> Filter {
    places.iter().fold(Filter::none(), |filter, place| {
        filter.and(place.field.clone(), Condition::Equals(place.value.clone()))
    })
}

/// The places that an entry has too.
pub(super) fn shared_places<'p>(places: &'p [PlaceField], other: &Entry) -> Vec<&'p PlaceField> {
    let of_other = places_of(other);
    let has = |place: &&PlaceField| {
        let same =
            |one: &PlaceField| one.field == place.field && fold(&one.value) == fold(&place.value);
        of_other.iter().any(same)
    };
    places.iter().filter(has).collect()
}
