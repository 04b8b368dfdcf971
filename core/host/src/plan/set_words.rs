//! The words of a language by which questions about several entries are read.

use std::collections::HashSet;

use gannet_api::{FilterField, fold};
use serde::Deserialize;

use super::phrases::Phrases;
use super::plurals::Plurals;

/// What a data file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetWordsFile {
    records: HashSet<String>,
    possible_records: HashSet<String>,
    empty: HashSet<String>,
    verb_endings: Vec<String>,
    rate: Vec<String>,
    times: Vec<String>,
    per: Vec<String>,
    which: Vec<String>,
    fields: Vec<Vec<String>>,
    excludes: HashSet<String>,
    whether: HashSet<String>,
    asking: HashSet<String>,
    relative: HashSet<String>,
    agents: HashSet<String>,
    there_were: Vec<String>,
    trouble: Vec<String>,
    periods: HashSet<String>,
    derived: HashSet<String>,
    mean: HashSet<String>,
    different: HashSet<String>,
    more: HashSet<String>,
    than: HashSet<String>,
    limits: Vec<String>,
    irregular_plurals: HashSet<String>,
}

/// The words of one language.
#[derive(Debug)]
pub(super) struct SetWords {
    records: HashSet<String>,
    /// What an entry is called at some facilities, while entries of others tell
    /// of it.
    pub(super) possible_records: HashSet<String>,
    empty: HashSet<String>,
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
    excludes: HashSet<String>,
    whether: HashSet<String>,
    asking: HashSet<String>,
    relative: HashSet<String>,
    agents: HashSet<String>,
    periods: HashSet<String>,
    derived: HashSet<String>,
    mean: HashSet<String>,
    different: HashSet<String>,
    more: HashSet<String>,
    than: HashSet<String>,
    irregular_plurals: HashSet<String>,
}

impl SetWordsFile {
    pub(super) fn compile(self) -> SetWords {
        let listed = |phrases: &[String]| {
            let phrases = phrases.iter();
            Phrases::of(phrases.map(|phrase| (phrase.as_str(), ())))
        };
        SetWords {
            rate: listed(&self.rate),
            times: listed(&self.times),
            per: listed(&self.per),
            which: listed(&self.which),
            there_were: listed(&self.there_were),
            trouble: listed(&self.trouble),
            limits: listed(&self.limits),
            records: self.records,
            possible_records: self.possible_records,
            empty: self.empty,
            verb_endings: self.verb_endings,
            fields: self.fields,
            excludes: self.excludes,
            whether: self.whether,
            asking: self.asking,
            relative: self.relative,
            agents: self.agents,
            periods: self.periods,
            derived: self.derived,
            mean: self.mean,
            different: self.different,
            more: self.more,
            than: self.than,
            irregular_plurals: self.irregular_plurals,
        }
    }
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

    /// Whether a word says only that something took place or was written down.
    pub(super) fn is_empty(&self, word: &str) -> bool {
        self.empty.contains(word)
    }

    /// Whether a word excludes entries: `not`, `except`.
    pub(super) fn excludes(&self, word: &str) -> bool {
        self.excludes.contains(word)
    }

    /// Whether a question that begins with a word asks whether something holds.
    pub(super) fn asks_whether(&self, word: &str) -> bool {
        self.whether.contains(word)
    }

    /// Whether a word asks for what an entry states: `what`, `how`.
    pub(super) fn asks(&self, word: &str) -> bool {
        self.asking.contains(word)
    }

    /// Whether a word may say more of what stands before it: `who`, `that`.
    pub(super) fn is_relative(&self, word: &str) -> bool {
        self.relative.contains(word)
    }

    /// Whether a word stands before what did something: `by`.
    pub(super) fn is_agent(&self, word: &str) -> bool {
        self.agents.contains(word)
    }

    /// Whether a word is a span of time that entries are not counted by, in
    /// either number: `weekday`.
    pub(super) fn is_period(&self, word: &str, plurals: &Plurals) -> bool {
        has_form(&self.periods, word, plurals)
    }

    /// Whether a word asks for a number that is computed from several: `mean`.
    pub(super) fn is_derived(&self, word: &str) -> bool {
        self.derived.contains(word)
    }

    /// Whether a word asks for a mean.
    pub(super) fn is_mean(&self, word: &str) -> bool {
        self.mean.contains(word)
    }

    /// Whether a word says that each value counts once: `different`.
    pub(super) fn says_different(&self, word: &str) -> bool {
        self.different.contains(word)
    }

    /// Whether a word begins a comparison of numbers: `more`, `fewer`.
    pub(super) fn is_more(&self, word: &str) -> bool {
        self.more.contains(word)
    }

    /// Whether a word stands before what is compared with: `than`.
    pub(super) fn is_than(&self, word: &str) -> bool {
        self.than.contains(word)
    }

    /// Whether a word is a plural without the ending of one: `people`.
    pub(super) fn is_irregular_plural(&self, word: &str) -> bool {
        self.irregular_plurals.contains(word)
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
    let name = fold(&field.query_name());
    let name = name.strip_prefix("meta.").unwrap_or(&name);
    let parts = name.rsplit(['_', '-', '.', ' ']);
    parts.take(1).collect()
}
