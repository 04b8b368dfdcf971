//! What a question asks: its words with their weights, and the kind of
//! statement that answers it.

use std::collections::{HashMap, HashSet};

use gannet_plugin::plan::{Intent, Precision, QueryPlan};
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::is_stop_word;

use super::english::{english, holds_any, is_empty_word, spaced};
use super::terms::{stem, words};

/// Digits that a bare number has at least to be looked for: "unit 2" is in
/// every report.
const DIGITS_OF_A_TERM: usize = 3;

/// The kind of statement that answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Cause,
    Fix,
    Number,
    Date,
    /// Of a person, an organisation or a place.
    Name,
    /// Whether something is so.
    Outcome,
    /// Anything about it.
    Any,
}

/// A question, read for choosing sentences.
pub(super) struct Asked {
    /// What it is about: stems with their weights, most weight first.
    pub(super) terms: Vec<Term>,
    /// The same words as they were typed, in lower case.
    pub(super) typed: HashSet<String>,
    /// All words of the question, in lower case.
    pub(super) all_words: HashSet<String>,
    pub(super) need: Need,
    /// The stems of what is counted by a question for a number: those of "how
    /// many fuel pumps" are "fuel" and "pump".
    pub(super) counted: HashSet<String>,
    /// Whether things are counted, not an amount: "how many".
    pub(super) counts_things: bool,
    /// Whether a duration is asked for.
    pub(super) asks_duration: bool,
    /// Whether it asks what happened on a day, and nothing in particular.
    pub(super) is_open: bool,
    /// How often each stem is among the entries: in how many of them.
    document_frequency: HashMap<String, usize>,
    entries: usize,
}

/// A stem of the question.
pub(super) struct Term {
    pub(super) stem: String,
    /// Its share of the weight of all terms.
    pub(super) weight: f64,
}

impl Asked {
    /// Reads the plan. Weights are inverse document frequencies among the
    /// entries that were found: what all of them say tells none apart.
    pub(super) fn read(plan: &QueryPlan, entries: &[Entry]) -> Self {
        let mut document_frequency: HashMap<String, usize> = HashMap::new();
        for entry in entries {
            let stems: HashSet<String> = stems(&entry.raw_text).collect();
            for stem in stems {
                *document_frequency.entry(stem).or_default() += 1;
            }
        }
        let content: Vec<String> = content_words(plan);
        let mut asked = Self {
            terms: Vec::new(),
            typed: content.iter().cloned().collect(),
            all_words: words(&plan.text).into_iter().collect(),
            need: need(plan),
            is_open: need(plan) == Need::Any && names_a_day(plan),
            counted: counted(&spaced(&plan.text)),
            counts_things: holds_any(&spaced(&plan.text), &english().asks_count),
            asks_duration: holds_any(&spaced(&plan.text), &english().asks_duration),
            document_frequency,
            entries: entries.len(),
        };
        let distinct = content_stems(plan);
        let weights: Vec<f64> = distinct.iter().map(|stem| asked.idf(stem)).collect();
        let total: f64 = weights.iter().sum();
        asked.terms = distinct
            .into_iter()
            .zip(weights)
            .map(|(stem, weight)| Term {
                stem,
                weight: weight / total,
            })
            .collect();
        asked
    }

    /// The inverse document frequency among the entries.
    fn idf(&self, stem: &str) -> f64 {
        let holding = self.document_frequency.get(stem).copied().unwrap_or(0);
        idf(self.entries, holding)
    }

    /// How much of the question's weight these stems hold, 0 to 1; 0 when the
    /// question names nothing.
    pub(super) fn coverage(&self, stems: &HashSet<String>) -> f64 {
        let held = self.terms.iter().filter(|term| stems.contains(&term.stem));
        held.map(|term| term.weight)
            .fold(0.0, |sum, weight| sum + weight)
    }

    /// How particular a sentence's own words are among the entries, 0 to 1: a
    /// phrase that stands in all of them says little about this one.
    pub(super) fn particularity<'s>(&self, own: impl Iterator<Item = &'s String>) -> f64 {
        let most = ((self.entries + 1) as f64 / 0.5).ln();
        let (mut sum, mut count) = (0.0, 0_u32);
        for stem in own {
            let holding = self.document_frequency.get(stem).copied().unwrap_or(0) as f64;
            sum += ((self.entries + 1) as f64 / (holding + 0.5)).ln();
            count += 1;
        }
        match count {
            0 => 0.0,
            count => (sum / f64::from(count) / most).clamp(0.0, 1.0),
        }
    }
}

/// BM25's inverse document frequency of a term that `holding` of `entries` have.
pub fn idf(entries: usize, holding: usize) -> f64 {
    let (entries, holding) = (entries as f64, holding as f64);
    ((entries - holding + 0.5) / (holding + 0.5)).ln_1p()
}

/// The distinct stems of the words that a question is about, in order.
pub(crate) fn content_stems(plan: &QueryPlan) -> Vec<String> {
    let mut seen = HashSet::new();
    let stems = content_words(plan).into_iter().map(|word| stem(&word));
    stems.filter(|stem| seen.insert(stem.clone())).collect()
}

/// The words that a question is about, in lower case: of the plan's content
/// those that name something.
pub fn content_words(plan: &QueryPlan) -> Vec<String> {
    let terms = plan.content_terms();
    let words = terms.iter().flat_map(|term| words(term));
    words
        .filter(|word| {
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            let is_short_number = is_number && word.len() < DIGITS_OF_A_TERM;
            !is_stop_word(word) && !is_empty_word(word) && !is_short_number
        })
        .collect()
}

pub(super) fn names_a_day(plan: &QueryPlan) -> bool {
    let mut times = plan.times.iter();
    times.any(|time| time.precision <= Precision::Day)
}

fn need(plan: &QueryPlan) -> Need {
    let text = spaced(&plan.text);
    match plan.intent {
        Intent::Cause => Need::Cause,
        Intent::When | Intent::Latest | Intent::First => Need::Date,
        _ if holds_any(&text, &english().asks_number) => Need::Number,
        Intent::Fix => Need::Fix,
        _ if holds_any(&text, &english().asks_name) => Need::Name,
        Intent::YesNo => Need::Outcome,
        _ => Need::Any,
    }
}

/// The stems of the two words after "how many" and its like.
fn counted(question: &str) -> HashSet<String> {
    let after = english().asks_how_many.iter().find_map(|phrase| {
        let at = question.find(&format!(" {phrase} "))?;
        question.get(at + phrase.len() + 2..)
    });
    let words = after.unwrap_or_default().split_whitespace().take(2);
    words.filter(|word| !is_stop_word(word)).map(stem).collect()
}

/// The stems of a text's words that say something.
pub fn stems(text: &str) -> impl Iterator<Item = String> {
    let words = words(text).into_iter();
    words
        .filter(|word| !is_stop_word(word))
        .map(|word| stem(&word))
}
