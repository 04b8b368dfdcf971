//! English words by which a kind of question, and a statement that answers
//! it, are known; `english.json` lists them.
//!
//! They were chosen on questions over two collections of reports and over
//! encyclopedic prose, all words of a list together; `docs/quality.md` has the
//! figures of the answers.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

/// The lists. A phrase is words in lower case with single spaces; `*` at its
/// end stands for any ending.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct English {
    /// Words that say that something happened or was written down, not what.
    empty_words: HashSet<String>,
    /// Words that say what is asked about a subject, not what the subject is.
    asking_words: HashSet<String>,
    /// Phrases by which entries are counted: "how many times".
    counted_entries: Vec<String>,
    /// Phrases of a question that the event itself answers as a cause does.
    pub(super) of_what_happened: Vec<String>,
    /// Words of a question for what is so now.
    pub(super) of_the_present: Vec<String>,
    /// Phrases of a sentence that takes back what was reported before.
    pub(super) revises: Vec<String>,
    /// Words of a sentence that takes back a report as a whole.
    pub(super) retracts: Vec<String>,
    /// What is taken back so; a device may be retracted too.
    pub(super) retracted_things: Vec<String>,
    /// Units of durations, as words begin.
    pub(super) units_of_time: Vec<String>,
    /// Other units, as words begin.
    pub(super) units: Vec<String>,
    /// Words before whose dot no sentence ends.
    pub(super) abbreviations: HashSet<String>,
    /// Abbreviations that are words of their own too: a sentence goes on after
    /// their dot before a digit only.
    pub(super) plain_abbreviations: HashSet<String>,
    /// Words before the initial of a person.
    pub(super) before_names: HashSet<String>,
}

/// The lists, read once.
pub(super) fn english() -> &'static English {
    static ENGLISH: LazyLock<English> = LazyLock::new(read);
    &ENGLISH
}

#[allow(clippy::expect_used, reason = "compiled in, and read by every test")]
fn read() -> English {
    serde_json::from_str(include_str!("english.json")).expect("it has the keys of `English`")
}

/// Whether a word of a question, in lower case, names nothing to look for.
pub fn is_empty_word(word: &str) -> bool {
    english().empty_words.contains(word)
}

/// Whether a word of a question, in lower case, names no subject: one that
/// names nothing, or that asks for a cause or a repair.
pub fn is_asking_word(word: &str) -> bool {
    is_empty_word(word) || english().asking_words.contains(word)
}

/// Whether a word, in lower case, begins as a unit does.
pub(crate) fn is_unit(word: &str) -> bool {
    let mut units = english().units_of_time.iter().chain(&english().units);
    units.any(|unit| word.starts_with(unit.as_str()))
}

/// Whether a question with "how many" asks for a number of entries.
pub(crate) fn counts_events(question: &str) -> bool {
    holds_any(&spaced(question), &english().counted_entries)
}

/// A text in lower case with one space between its words and at both ends, as
/// [`holds_any`] takes it.
pub fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 2);
    spaced.push(' ');
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            spaced.extend(word.chars().flat_map(char::to_lowercase));
            spaced.push(' ');
        }
    }
    spaced
}

/// Whether a [`spaced`] text holds one of the phrases: words in lower case with
/// single spaces; `*` at the end stands for any ending.
pub fn holds_any(spaced: &str, phrases: &[String]) -> bool {
    phrases_in(spaced, phrases).next().is_some()
}

/// The places of a [`spaced`] text that are one of the phrases, in the order of
/// the phrases; of one with an open ending without the ending.
///
/// ```
/// use gannet_stages::{phrases_in, spaced};
///
/// let text = spaced("Pump P-2 tripped.");
/// let phrases = ["trip*".to_owned(), "pump p".to_owned()];
/// let found: Vec<&str> = phrases_in(&text, &phrases).map(|at| &text[at]).collect();
/// assert_eq!(found, ["trip", "pump p"]);
/// ```
pub fn phrases_in<'t>(
    spaced: &'t str,
    phrases: &'t [String],
) -> impl Iterator<Item = Range<usize>> + 't {
    phrases.iter().flat_map(move |phrase| {
        let words = phrase.trim_end_matches('*');
        let is_open = words.len() < phrase.len();
        let places = spaced.match_indices(words).filter(move |(at, _)| {
            let is_whole = spaced[at + words.len()..].starts_with(' ');
            spaced[..*at].ends_with(' ') && (is_whole || is_open)
        });
        places.map(move |(at, _)| at..at + words.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds_phrase(text: &str, phrase: &str) -> bool {
        holds_any(text, &[phrase.to_owned()])
    }

    #[test]
    fn phrases_are_whole_words_unless_their_ending_is_open() {
        let text = spaced("The trip was caused (again) by a fault.");
        assert_eq!(text, " the trip was caused again by a fault ");
        assert!(holds_phrase(&text, "caus*") && holds_phrase(&text, "a fault"));
        assert!(!holds_phrase(&text, "caus") && !holds_phrase(&text, "rip"));
    }

    #[test]
    fn entries_are_counted_only_when_nothing_else_is() {
        assert!(counts_events("How many times did the pump trip?"));
        assert!(!counts_events("How many gallons were lost?"));
        assert!(!counts_events("How many pumps failed in March?"));
    }
}
