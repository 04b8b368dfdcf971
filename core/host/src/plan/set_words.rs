//! The words of a language by which questions about several entries are read.

use std::collections::HashSet;

use gannet_api::{FilterField, fold};
use serde::Deserialize;

use super::phrases::Phrases;
use super::plurals::Plurals;

/// The words of one language, as its data file has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetWords {
    records: HashSet<String>,
    /// What an entry is called at some facilities, while entries of others tell
    /// of it.
    pub(super) possible_records: HashSet<String>,
    /// What says only that something took place or was written down.
    pub(super) empty: HashSet<String>,
    verb_endings: Vec<String>,
    /// "how often".
    pub(super) rate: Phrases<()>,
    /// "how many times".
    pub(super) times: Phrases<()>,
    /// "per", "by".
    pub(super) per: Phrases<()>,
    /// "which".
    pub(super) which: Phrases<()>,
    /// "were there" after "which trips".
    pub(super) there_were: Phrases<()>,
    /// "more than" before a number.
    pub(super) limits: Phrases<()>,
    /// What says only that something is wrong: "trouble", "not working".
    pub(super) trouble: Phrases<()>,
    fields: Vec<Vec<String>>,
    /// What excludes entries: `not`, `other than`.
    pub(super) excludes: Phrases<()>,
    /// What a question begins with that asks whether something holds.
    pub(super) whether: HashSet<String>,
    /// What asks for what an entry states: `what`, `how`.
    pub(super) asking: HashSet<String>,
    /// What may say more of what stands before it: `who`, `that`.
    pub(super) relative: HashSet<String>,
    /// What stands before what did something: `by`.
    pub(super) agents: HashSet<String>,
    periods: HashSet<String>,
    /// What asks for a number that is computed from several: `mean`, `median`.
    pub(super) derived: HashSet<String>,
    /// What asks for a mean.
    pub(super) mean: HashSet<String>,
    /// What says that each value counts once: `different`.
    pub(super) different: HashSet<String>,
    /// What begins a comparison of numbers: `more`, `fewer`.
    pub(super) more: HashSet<String>,
    /// What stands before what is compared with: `than`.
    pub(super) than: HashSet<String>,
    /// Plurals without the ending of one: `people`.
    pub(super) irregular_plurals: HashSet<String>,
}

impl SetWords {
    /// Whether a word says what an entry is called, at least at some facilities;
    /// in either number.
    pub(super) fn is_record(&self, word: &str, plurals: &Plurals) -> bool {
        has_form(&self.records, word, plurals) || self.is_possible_record(word, plurals)
    }

    /// Whether a word is one of those that only some facilities call an entry:
    /// `message`.
    pub(super) fn is_possible_record(&self, word: &str, plurals: &Plurals) -> bool {
        has_form(&self.possible_records, word, plurals)
    }

    /// Whether a word is a span of time that entries are not counted by, in
    /// either number: `weekday`.
    pub(super) fn is_period(&self, word: &str, plurals: &Plurals) -> bool {
        has_form(&self.periods, word, plurals)
    }

    /// Whether a word is a form of the verb that is written as this one:
    /// `tripped` of `trip`.
    pub(super) fn is_verb_of(&self, word: &str, verb: &str) -> bool {
        let mut endings = self.verb_endings.iter();
        endings.any(|ending| {
            let Some(stem) = word.strip_suffix(ending.as_str()) else {
                return false;
            };
            let last = stem.chars().next_back();
            let is_doubled = last.is_some_and(|last| format!("{verb}{last}") == stem);
            stem == verb || (is_doubled && verb.ends_with(|end| Some(end) == last))
        })
    }

    /// Whether a word names a field: by the name that it has, or by another one
    /// of the same kind; in either number.
    pub(super) fn names(&self, word: &str, field: &FilterField, plurals: &Plurals) -> bool {
        let mut forms = plurals.other_forms(word);
        forms.push(word.to_owned());
        let name = field_word(field);
        let is_same_kind = |kind: &&Vec<String>| kind.contains(&name);
        let kinds = self.fields.iter().filter(is_same_kind);
        let mut names = kinds.flatten().chain([&name]);
        names.any(|name| forms.contains(name))
    }
}

fn has_form(words: &HashSet<String>, word: &str, plurals: &Plurals) -> bool {
    let forms = plurals.other_forms(word);
    words.contains(word) || forms.iter().any(|form| words.contains(form))
}

/// The word that a field is called by: of `incident_type` the last one.
pub(super) fn field_word(field: &FilterField) -> String {
    let name = fold(&field.label());
    let parts = name.rsplit(['_', '-', '.', ' ']);
    parts.take(1).collect()
}
