//! Whether two entries are about the same thing: by an id, a device, or a place
//! and words.

use std::collections::{BTreeSet, HashSet};

use gannet_plugin::entry::{PlaceField, places_of};
use gannet_plugin::filter::FilterField;
use gannet_plugin::plan::EntityKind;
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::named_ids;
use gannet_stages::stems;

/// Words that entries of one place share at least to be about one thing.
const SHARED_WORDS: usize = 2;

/// What an entry is about.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    entry_id: String,
    /// Its devices and places, the narrowest first.
    pub(crate) places: Vec<PlaceField>,
    /// The words of its heading.
    words: HashSet<String>,
    /// What may be ids of other entries in its text and fields.
    named: BTreeSet<String>,
}

impl Subject {
    /// What an entry with this heading is about.
    pub(crate) fn of(entry: &Entry, heading: &str) -> Self {
        Self {
            entry_id: entry.entry_id.clone(),
            // The same author is no sign of the same matter.
            places: places_of(entry)
                .into_iter()
                .filter(|place| place.field != FilterField::Author)
                .collect(),
            words: stems(heading).collect(),
            named: named_ids(entry),
        }
    }

    /// Whether a later entry goes on with this one: it names it, is of the same
    /// device, or of the same place with words of its heading.
    pub(crate) fn goes_on_in(&self, later: &Self) -> bool {
        later.named.contains(&self.entry_id)
            || self.shares_device(later)
            || (self.shares_place(later)
                && self.words.intersection(&later.words).count() >= SHARED_WORDS)
    }

    fn shares_device(&self, other: &Self) -> bool {
        let devices = self.places.iter().filter(|place| {
            let kind = EntityKind::of_field(&place.field);
            matches!(kind, EntityKind::Device | EntityKind::Pv)
        });
        devices.into_iter().any(|one| other.has(one))
    }

    fn shares_place(&self, other: &Self) -> bool {
        self.places.first().is_some_and(|place| other.has(place))
    }

    fn has(&self, place: &PlaceField) -> bool {
        self.places.iter().any(|own| own.is_same(place))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn subject(id: &str, field: &str, value: &str, heading: &str) -> Subject {
        let mut entry = Entry::new(id, "log", Timestamp::UNIX_EPOCH, heading);
        entry.metadata.insert(field.to_owned(), json!(value));
        Subject::of(&entry, heading)
    }

    #[test]
    fn entries_of_a_device_are_about_one_thing() {
        let one = subject("E-1", "device", "RF-2", "tripped");
        assert!(one.goes_on_in(&subject("E-2", "device", "rf-2", "works again")));
        assert!(!one.goes_on_in(&subject("E-2", "device", "RF-3", "works again")));
    }

    #[test]
    fn entries_of_a_place_are_about_one_thing_with_words_in_common() {
        let one = subject("E-1", "sector", "SR07", "Leak at the absorber flange");
        assert!(one.goes_on_in(&subject(
            "E-2",
            "sector",
            "SR07",
            "Flange of the absorber tight"
        )));
        assert!(!one.goes_on_in(&subject("E-2", "sector", "SR07", "BPM cable replaced")));
    }

    #[test]
    fn an_entry_that_names_another_goes_on_with_it() {
        let one = subject("E-1001", "sector", "SR07", "Leak");
        assert!(one.goes_on_in(&subject(
            "E-1002",
            "sector",
            "SR01",
            "As in E-1001: tight now"
        )));
    }
}
