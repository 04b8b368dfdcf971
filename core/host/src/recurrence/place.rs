//! What the places of entries have in common.

use gannet_api::{Condition, Entry, Filter, PlaceField, places_of};

/// Entries with all of these values.
pub(super) fn filter_of(places: &[PlaceField]) -> Filter {
    places.iter().fold(Filter::none(), |filter, place| {
        filter.and(place.field.clone(), Condition::Equals(place.value.clone()))
    })
}

/// The places that an entry has too.
pub(super) fn shared_places<'p>(places: &'p [PlaceField], other: &Entry) -> Vec<&'p PlaceField> {
    let of_other = places_of(other);
    let has = |place: &&PlaceField| of_other.iter().any(|one| one.is_same(place));
    places.iter().filter(has).collect()
}
