//! Whether two entries are about the same thing: by an id, a device, or a place
//! and words.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use gannet_plugin::entry::{PlaceField, places_of};
use gannet_plugin::filter::FilterField;
use gannet_plugin::plan::EntityKind;
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::named_ids;
use gannet_stages::{cues, stems};

use crate::statements::EntryStatements;

/// Words that entries of one place share at least to be about one thing.
const SHARED_WORDS: usize = 2;

/// What an entry is about.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    entry_id: String,
    /// Its devices and places, the narrowest first.
    pub(crate) places: Vec<PlaceField>,
    /// The words of its heading, without the names of its places.
    words: HashSet<String>,
    /// The words for what is said of its states, without those names too.
    matter: HashSet<String>,
    /// What may be ids of other entries in its text and fields.
    named: BTreeSet<String>,
}

impl Subject {
    /// What an entry that says this is about.
    pub(crate) fn of(entry: &Entry, statements: &EntryStatements) -> Self {
        // The same author is no sign of the same matter.
        let places = places_of(entry).into_iter();
        let places: Vec<PlaceField> = places
            .filter(|place| place.field != FilterField::Author)
            .collect();
        let heading = statements.heading().map(|heading| words_of(&heading.text));
        let (mut words, mut matter) = (heading.unwrap_or_default(), statements.matter());
        for name in places.iter().flat_map(|place| words_of(&place.value)) {
            words.remove(&name);
            matter.remove(&name);
        }
        Self {
            entry_id: entry.entry_id.clone(),
            words,
            places,
            matter,
            named: named_ids(entry),
        }
    }

    /// Whether a later entry goes on with this one: it names it, is of the same
    /// device and matter, or of the same place with words of its heading.
    pub(crate) fn goes_on_in(&self, later: &Self) -> bool {
        later.named.contains(&self.entry_id)
            || (self.shares_device(later) && !self.matter.is_disjoint(&later.matter))
            || (self.shares_place(later)
                && self.words.intersection(&later.words).count() >= SHARED_WORDS)
    }

    /// Whether another entry is of the same device, whatever it says of it.
    pub(crate) fn shares_device(&self, other: &Self) -> bool {
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

/// The words of a text for what it is about: no names with digits, and no words
/// by which states are told, but for those of faults.
pub(crate) fn matter_of(text: &str) -> HashSet<String> {
    let words = words_of(text).into_iter();
    let words = words.filter(|word| !has_digit(word) && word.chars().count() > 1);
    words.filter(|word| !STATE_WORDS.contains(word)).collect()
}

/// The stems of the words of a text; a name with digits is one word.
fn words_of(text: &str) -> HashSet<String> {
    let words = text.split_whitespace();
    let words = words.flat_map(|word| match has_digit(word) {
        true => vec![
            word.trim_matches(|edge: char| !edge.is_alphanumeric())
                .to_lowercase(),
        ],
        false => stems(word).collect(),
    });
    words.collect()
}

fn has_digit(word: &str) -> bool {
    word.contains(|letter: char| letter.is_ascii_digit())
}

/// The words of the cues, but for those of faults.
static STATE_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let cues = cues();
    let words_of = |phrases: &[String]| -> HashSet<String> {
        let phrases = phrases.iter();
        phrases.flat_map(|phrase| stems(phrase)).collect()
    };
    let lists: [&[String]; 9] = [
        &cues.restored,
        &cues.repaired,
        &cues.not_repaired,
        &cues.again,
        &cues.changed,
        &cues.open,
        &cues.waits_for,
        &cues.end_of_name,
        &cues.denies,
    ];
    let faults = words_of(&cues.fault);
    let words = lists.into_iter().flat_map(words_of);
    words.filter(|word| !faults.contains(word)).collect()
});

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn subject(id: &str, field: &str, value: &str, heading: &str) -> Subject {
        let mut entry = Entry::new(id, "log", Timestamp::UNIX_EPOCH, heading);
        entry.metadata.insert(field.to_owned(), json!(value));
        Subject::of(&entry, &EntryStatements::of(&entry))
    }

    #[test]
    fn entries_of_a_device_are_about_one_thing_with_words_for_it_in_common() {
        let one = subject("E-1", "device", "P-9", "P-9: oil leak, not yet repaired");
        let goes_on = |device: &str, heading: &str| {
            one.goes_on_in(&subject("E-2", "device", device, heading))
        };
        assert!(goes_on("p-9", "P-9 leak repaired"));
        assert!(!goes_on("P-8", "P-8 leak repaired"));
        assert!(!goes_on("P-9", "P-9 tripped and is not running again yet"));
    }

    #[test]
    fn the_name_of_a_device_is_one_word_of_a_heading() {
        let one = subject("E-1", "sector", "SR07", "SR07: P-9 oil leak");
        let goes_on = |heading: &str| one.goes_on_in(&subject("E-2", "sector", "SR07", heading));
        assert!(goes_on("SR07: leak of P-9 tightened"));
        assert!(!goes_on("SR07: P-9 tripped"));
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
