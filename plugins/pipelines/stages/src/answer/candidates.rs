//! The sentences of the best entries, scored for one question.

use std::collections::HashSet;

use gannet_plugin::prelude::Entry;

use super::asked::{Asked, stems};
use super::english::{english, holds_any, spaced};
use super::sentences::sentences;
use super::stated::states_it;
use super::terms::words;
use crate::assemble::Unit;

/// Entries whose sentences are candidates.
const ENTRIES_READ: usize = 2;
/// Characters of an entry that are read.
const CHARS_READ: usize = 20_000;

// Weights of a sentence's features beside its coverage of the question, which
// has 1. Fitted on questions over two collections of reports and over
// encyclopedic prose (docs/quality.md, "Answers").

/// The sentence states what the question asks for: a cause, a number, a date.
const STATES_IT: f64 = 0.8;
/// The sentence has the question's words as they were typed.
const TYPED_WORDS: f64 = 0.15;
/// What the sentence before it holds of the question and it does not: of any
/// sentence, and in addition of one that begins with a reference to it.
const HELD_BEFORE: f64 = 0.07;
const REFERRED_TO: f64 = 0.2;
/// The sentence says something that the other entries do not.
const PARTICULAR: f64 = 0.3;
/// The sentence stands at the beginning of its entry: of any question, and of
/// one that names nothing but a place or a time.
const AT_THE_BEGINNING: f64 = 0.06;
const BEGINNING_ALONE: f64 = 1.7;
/// The sentence takes back what was reported before it.
const REVISES: f64 = 0.2;
/// Each place that its entry stands below the first.
const BELOW_THE_FIRST: f64 = 0.65;
/// The sentence is a heading.
const HEADING: f64 = 0.5;
/// The sentence adds next to nothing to the question and the title.
const ADDS_NOTHING: f64 = 0.3;
/// New words from which a sentence adds something, and from which it is
/// judged by them in full.
const NEW_WORDS: usize = 3;
const NEW_WORDS_IN_FULL: f64 = 8.0;

/// A sentence of an entry.
pub(super) struct Candidate {
    /// The place of its entry, best first.
    pub(super) entry: usize,
    /// Its place in the entry.
    pub(super) index: usize,
    pub(super) text: String,
    pub(super) stems: HashSet<String>,
    /// How much of the question it holds, 0 to 1.
    pub(super) coverage: f64,
    /// How plainly it states what the question asks for, 0 to 1.
    pub(super) states_it: f64,
    pub(super) score: f64,
}

/// The candidates, best first.
pub(super) fn candidates(asked: &Asked, entries: &[Entry]) -> Vec<Candidate> {
    let read = entries.iter().take(ENTRIES_READ).enumerate();
    let mut all: Vec<Candidate> = read
        .flat_map(|(place, entry)| of_entry(asked, place, entry))
        .collect();
    all.sort_by(|a, b| {
        let by_place = (a.entry, a.index).cmp(&(b.entry, b.index));
        b.score.total_cmp(&a.score).then(by_place)
    });
    all
}

fn of_entry(asked: &Asked, place: usize, entry: &Entry) -> Vec<Candidate> {
    let text = Unit::Chars.prefix(text_below_title(entry), CHARS_READ);
    let title: HashSet<String> = stems(entry.title().unwrap_or_default()).collect();
    let is_in_capitals = mostly_capitals(text);
    let mut before: HashSet<String> = HashSet::new();
    let sentences = sentences(text).into_iter().enumerate();
    sentences
        .filter(|(_, sentence)| says_something(sentence))
        .map(|(index, sentence)| {
            let mut candidate = Candidate {
                entry: place,
                index,
                stems: stems(&sentence).collect(),
                coverage: 0.0,
                states_it: states_it(asked, &sentence),
                text: sentence,
                score: 0.0,
            };
            candidate.coverage = asked.coverage(&candidate.stems);
            let is_heading = !is_in_capitals && is_heading(&candidate.text);
            candidate.score = score(asked, &candidate, &title, is_heading);
            candidate.score += of_context(asked, &candidate, &before);
            before = candidate.stems.clone();
            candidate
        })
        .collect()
}

/// Whether a sentence has a word: the number of an item has none.
fn says_something(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphabetic());
    words.any(|word| word.chars().nth(1).is_some())
}

/// What the sentence before is worth: "It was restarted" is about what stands
/// there.
fn of_context(asked: &Asked, candidate: &Candidate, before: &HashSet<String>) -> f64 {
    let both: HashSet<String> = before.union(&candidate.stems).cloned().collect();
    let held_before = asked.coverage(&both) - candidate.coverage;
    let opening = words(&candidate.text).into_iter().next();
    let refers = opening.is_some_and(|word| english().refers_back.contains(&word));
    (HELD_BEFORE + if refers { REFERRED_TO } else { 0.0 }) * held_before
}

/// The text of an entry without the title in its first line, unless that is
/// all there is.
fn text_below_title(entry: &Entry) -> &str {
    let text = entry.raw_text.as_str();
    let title = entry.title().unwrap_or_default();
    let below = text.strip_prefix(title).map(str::trim_start);
    below.filter(|below| !below.is_empty()).unwrap_or(text)
}

fn score(asked: &Asked, candidate: &Candidate, title: &HashSet<String>, is_heading: bool) -> f64 {
    let is_asked = |stem: &String| asked.terms.iter().any(|term| term.stem == *stem);
    let new = candidate.stems.iter();
    let new: Vec<&String> = new
        .filter(|stem| !is_asked(stem) && !title.contains(*stem))
        .collect();
    let amount = (new.len() as f64 / NEW_WORDS_IN_FULL).min(1.0);
    let beginning = match asked.terms.is_empty() {
        true => BEGINNING_ALONE,
        false => AT_THE_BEGINNING,
    };
    let when = |holds: bool, weight: f64| if holds { weight } else { 0.0 };
    let spaced = spaced(&candidate.text);
    candidate.coverage
        + TYPED_WORDS * typed_share(asked, &candidate.text)
        + PARTICULAR * amount * asked.particularity(new.iter().copied())
        + beginning / (candidate.index + 1) as f64
        + STATES_IT * candidate.states_it
        + when(holds_any(&spaced, &english().revises), REVISES)
        - BELOW_THE_FIRST * candidate.entry as f64
        - when(is_heading, HEADING)
        - when(new.len() < NEW_WORDS, ADDS_NOTHING)
}

/// The share of the question's words that stand in the sentence as typed.
fn typed_share(asked: &Asked, sentence: &str) -> f64 {
    if asked.typed.is_empty() {
        return 0.0;
    }
    let held: HashSet<String> = words(sentence).into_iter().collect();
    asked.typed.intersection(&held).count() as f64 / asked.typed.len() as f64
}

/// `UPDATE AT 0402 ON 2/20/2006 FROM …` in a text of small letters.
pub(super) fn is_heading(sentence: &str) -> bool {
    sentence.starts_with('*') || mostly_capitals(sentence)
}

fn mostly_capitals(text: &str) -> bool {
    let (mut large, mut small) = (0_usize, 0_usize);
    for letter in text.chars() {
        large += usize::from(letter.is_uppercase());
        small += usize::from(letter.is_lowercase());
    }
    large > 3 * small
}
