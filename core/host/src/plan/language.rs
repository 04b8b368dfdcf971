//! The words of a language by which questions are planned, read from a data
//! file.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use gannet_api::Intent;
use gannet_api::query::is_stop_word;
use jiff::civil::Date;
use serde::Deserialize;

use super::intent::IntentRule;
use super::phrases::Phrases;
use super::plurals::Plurals;
use super::set_words::SetWords;
use super::words::Word;
use crate::config::parse_data;

/// The languages that there are data files of; the first is used for texts in
/// none of them.
const FILES: [&str; 3] = [
    include_str!("en.yaml"),
    include_str!("de.yaml"),
    include_str!("fr.yaml"),
];

/// What a data file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    code: String,
    marks: HashSet<String>,
    months: Vec<Vec<String>>,
    ordinary_months: HashSet<String>,
    weekdays: Vec<Vec<String>>,
    seasons: BTreeMap<Season, Vec<String>>,
    ordinary_seasons: HashSet<String>,
    units: BTreeMap<Unit, Vec<String>>,
    numbers: BTreeMap<String, Vec<String>>,
    ordinal_endings: Vec<String>,
    plurals: Vec<(String, String)>,
    no_plurals: Vec<String>,
    days: BTreeMap<NamedDay, Vec<String>>,
    dates: BTreeMap<Date, Vec<String>>,
    parts_of_day: BTreeMap<PartOfDay, Vec<String>>,
    tonight: Phrases<()>,
    this: Phrases<()>,
    last: Phrases<()>,
    last_after: Phrases<()>,
    within: Phrases<()>,
    ago: Phrases<()>,
    ago_before: Phrases<()>,
    since: Phrases<()>,
    onwards: Phrases<()>,
    after: Phrases<()>,
    before: Phrases<()>,
    until: Phrases<()>,
    between: Phrases<()>,
    and: Phrases<()>,
    or: Phrases<()>,
    from: Phrases<()>,
    to: Phrases<()>,
    #[serde(rename = "in")]
    within_words: Phrases<()>,
    prepositions: HashSet<String>,
    thirds: BTreeMap<Third, Vec<String>>,
    positions: BTreeMap<Position, Vec<String>>,
    spans: BTreeMap<SpanUnit, Vec<String>>,
    of: Phrases<()>,
    articles: HashSet<String>,
    no_year_after: HashSet<String>,
    no_year_before: HashSet<String>,
    intents: Vec<IntentPhrases>,
    sets: SetWords,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IntentPhrases {
    intent: Intent,
    phrases: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident { $($member:ident),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
            #[serde(rename_all = "snake_case")]
            pub(in crate::plan) enum $name { $($member),* }
        )*
    };
}

names! {
    /// A season of the northern hemisphere.
    Season { Spring, Summer, Autumn, Winter }
    /// A unit that is counted back from now.
    Unit { Hour, Day, Week, Month, Year, Shift }
    /// A day by its distance from today.
    NamedDay { Today, Yesterday, DayBeforeYesterday }
    /// A part of a day.
    PartOfDay { Night, Morning, Afternoon, Evening }
    /// A third of a month or year.
    Third { Early, Middle, Late }
    /// A position within a month or year.
    Position { First, Second, Third, Fourth, Last }
    /// What a position counts.
    SpanUnit { Day, Week, Half, Quarter }
}

/// The words of one language.
#[derive(Debug)]
pub(super) struct Language {
    /// Its ISO 639-1 code.
    pub(super) code: String,
    marks: HashSet<String>,
    /// Months from 1.
    pub(super) months: Phrases<i8>,
    /// The full names of the months.
    pub(super) full_months: HashSet<String>,
    pub(super) ordinary_months: HashSet<String>,
    /// Weekdays from 1, Monday.
    pub(super) weekdays: Phrases<i8>,
    pub(super) seasons: Phrases<Season>,
    pub(super) ordinary_seasons: HashSet<String>,
    pub(super) units: Phrases<Unit>,
    pub(super) numbers: Phrases<i64>,
    pub(super) ordinal_endings: Vec<String>,
    pub(super) plurals: Plurals,
    pub(super) days: Phrases<NamedDay>,
    /// Names of days of each year, by a day of a year that has all days.
    pub(super) dates: Phrases<Date>,
    pub(super) parts_of_day: Phrases<PartOfDay>,
    pub(super) tonight: Phrases<()>,
    pub(super) this: Phrases<()>,
    pub(super) last: Phrases<()>,
    pub(super) last_after: Phrases<()>,
    pub(super) within: Phrases<()>,
    pub(super) ago: Phrases<()>,
    pub(super) ago_before: Phrases<()>,
    pub(super) since: Phrases<()>,
    pub(super) onwards: Phrases<()>,
    pub(super) after: Phrases<()>,
    pub(super) before: Phrases<()>,
    pub(super) until: Phrases<()>,
    pub(super) between: Phrases<()>,
    pub(super) and: Phrases<()>,
    pub(super) or: Phrases<()>,
    pub(super) from: Phrases<()>,
    pub(super) to: Phrases<()>,
    pub(super) within_words: Phrases<()>,
    pub(super) prepositions: HashSet<String>,
    pub(super) thirds: Phrases<Third>,
    pub(super) positions: Phrases<Position>,
    pub(super) spans: Phrases<SpanUnit>,
    pub(super) of: Phrases<()>,
    pub(super) articles: HashSet<String>,
    pub(super) no_year_after: HashSet<String>,
    pub(super) no_year_before: HashSet<String>,
    /// Intents in the order in which they are tried.
    pub(super) intents: Vec<IntentRule>,
    /// Words of questions about several entries.
    pub(super) sets: SetWords,
}

impl Language {
    /// The language of a text: the one with the most words in it, and none
    /// when no language has any. Rules are then those of English.
    pub(super) fn of(words: &[Word<'_>]) -> (&'static Self, bool) {
        let mut best: (&Self, usize) = (&LANGUAGES[0], 0);
        for language in LANGUAGES.iter() {
            let known = words.iter().filter(|word| language.knows(&word.folded));
            let count = known.count();
            if count > best.1 {
                best = (language, count);
            }
        }
        (best.0, best.1 > 0)
    }

    /// Words of all languages for what an entry is called at some facilities.
    pub(super) fn possible_records() -> impl Iterator<Item = &'static str> {
        let languages = LANGUAGES.iter();
        let words = languages.flat_map(|language| &language.sets.possible_records);
        words.map(String::as_str)
    }

    fn knows(&self, word: &str) -> bool {
        self.marks.contains(word)
            || self.months.get(word).is_some()
            || self.weekdays.get(word).is_some()
            || self.days.get(word).is_some()
    }

    /// Whether a word belongs to times or intents, so that it alone names no
    /// entity.
    pub(super) fn is_structural(&self, word: &str) -> bool {
        self.knows(word)
            || self.seasons.get(word).is_some()
            || self.units.get(word).is_some()
            || self.parts_of_day.get(word).is_some()
            || self.last.get(word).is_some()
            || self.prepositions.contains(word)
            || self.intents.iter().any(|rule| rule.uses(word))
    }

    /// Whether a number before this word is an amount. "times" and "events" are
    /// what entries are counted by.
    pub(super) fn is_unit(&self, word: &str) -> bool {
        self.no_year_before.contains(word) && !self.asks(Intent::Count, word)
    }

    /// Whether a word is a part of a phrase that decides an intent.
    pub(super) fn asks(&self, intent: Intent, word: &str) -> bool {
        let mut rules = self.intents.iter();
        rules.any(|rule| rule.asks(intent, word))
    }

    /// Whether a word joins others and is no noun.
    pub(super) fn joins(&self, word: &str) -> bool {
        self.marks.contains(word) || self.prepositions.contains(word) || is_stop_word(word)
    }

    /// Whether a word before a hyphen is a word of its own: `mid-March`.
    pub(super) fn splits(word: &str) -> bool {
        LANGUAGES
            .iter()
            .any(|language| language.thirds.get(word).is_some())
    }
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| FILES.iter().map(read).collect());

#[allow(clippy::expect_used, reason = "compiled in, and read by every test")]
fn read(file: &&str) -> Language {
    let file = parse_data(file).expect("the data file of a language is YAML");
    let file: File = serde_json::from_value(file).expect("it has the keys of `File`");
    file.compile()
}

impl File {
    fn compile(self) -> Language {
        Language {
            marks: self.marks,
            months: numbered(&self.months),
            full_months: self
                .months
                .iter()
                .filter_map(|names| names.first().cloned())
                .collect(),
            ordinary_months: self.ordinary_months,
            weekdays: numbered(&self.weekdays),
            seasons: named(&self.seasons),
            ordinary_seasons: self.ordinary_seasons,
            units: named(&self.units),
            numbers: Phrases::of(self.numbers.iter().flat_map(|(number, phrases)| {
                let number = number.parse().unwrap_or(1);
                phrases.iter().map(move |phrase| (phrase.as_str(), number))
            })),
            ordinal_endings: self.ordinal_endings,
            plurals: Plurals::of(self.plurals, self.no_plurals),
            days: named(&self.days),
            dates: named(&self.dates),
            parts_of_day: named(&self.parts_of_day),
            tonight: self.tonight,
            this: self.this,
            last: self.last,
            last_after: self.last_after,
            within: self.within,
            ago: self.ago,
            ago_before: self.ago_before,
            since: self.since,
            onwards: self.onwards,
            after: self.after,
            before: self.before,
            until: self.until,
            between: self.between,
            and: self.and,
            or: self.or,
            from: self.from,
            to: self.to,
            within_words: self.within_words,
            prepositions: self.prepositions,
            thirds: named(&self.thirds),
            positions: named(&self.positions),
            spans: named(&self.spans),
            of: self.of,
            articles: self.articles,
            no_year_after: self.no_year_after,
            no_year_before: self.no_year_before,
            intents: self
                .intents
                .iter()
                .map(|rule| IntentRule::of(rule.intent, &rule.phrases, &rule.without))
                .collect(),
            sets: self.sets,
            code: self.code,
        }
    }
}

fn named<T: Copy>(phrases: &BTreeMap<T, Vec<String>>) -> Phrases<T> {
    Phrases::of(
        phrases.iter().flat_map(|(value, phrases)| {
            phrases.iter().map(move |phrase| (phrase.as_str(), *value))
        }),
    )
}

/// Lists with their numbers from 1.
fn numbered(lists: &[Vec<String>]) -> Phrases<i8> {
    Phrases::of(
        (1_i8..).zip(lists).flat_map(|(number, phrases)| {
            phrases.iter().map(move |phrase| (phrase.as_str(), number))
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::words::words_of;

    fn language(text: &str) -> Option<&'static str> {
        let (language, is_known) = Language::of(&words_of(text, |_| false));
        is_known.then_some(language.code.as_str())
    }

    #[test]
    fn every_file_names_twelve_months_and_seven_days() {
        for language in LANGUAGES.iter() {
            let months = language.months.first_words();
            let highest = months.filter_map(|month| language.months.get(month)).max();
            assert_eq!(highest, Some(12), "{}", language.code);
            let days = language.weekdays.first_words();
            let highest = days.filter_map(|day| language.weekdays.get(day)).max();
            assert_eq!(highest, Some(7), "{}", language.code);
        }
    }

    #[test]
    fn the_language_is_the_one_with_the_most_words() {
        assert_eq!(language("why did the pump trip?"), Some("en"));
        assert_eq!(language("warum ist die Pumpe ausgefallen?"), Some("de"));
        assert_eq!(language("pourquoi la pompe est en panne?"), Some("fr"));
        assert_eq!(language("2025-11-26 真空ポンプ"), None);
    }
}
