//! The words of a question, and where an entry has them.

use std::collections::HashMap;

use gannet_analysis::{TermBeginning, TextTerms};
use gannet_api::Entry;
use gannet_model::flag;
use serde_json::Value;

use super::features::RelevanceFeatures;

/// Bytes of a text that are read.
const BYTES_READ: usize = 20_000;
/// Words with which a text begins.
const EARLY: usize = 60;
/// Words of a stretch of text.
const WINDOW: usize = 24;
/// How many words lie between neighbours at most.
const NEAR: usize = 3;

/// Bytes of the beginning of a word that stands for it, at least.
const SHORTEST_BEGINNING: usize = 5;

/// A word that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AskedTerm {
    /// As the text index has it.
    pub(super) term: String,
    /// Its inverse document frequency.
    pub(super) weight: f64,
}

/// The terms of an entry that are asked for.
struct Found {
    /// For each asked term whether title or fields have it.
    in_title: Vec<bool>,
    /// The places in the text, in order, with the asked term that is there.
    places: Vec<(usize, usize)>,
    /// Terms of the text.
    length: usize,
}

/// Compares entries with the words of a question.
pub(super) struct WordComparison<'t> {
    terms: &'t [AskedTerm],
    places: HashMap<&'t str, usize>,
    beginnings: Vec<TermBeginning>,
    total: f64,
    analyser: TextTerms,
}

impl<'t> WordComparison<'t> {
    pub(super) fn new(terms: &'t [AskedTerm]) -> Self {
        let places = terms.iter().enumerate();
        let beginnings = terms.iter().map(|term| TermBeginning::of(&term.term));
        Self {
            beginnings: beginnings.collect(),
            places: places.map(|(at, term)| (term.term.as_str(), at)).collect(),
            total: terms.iter().map(|term| term.weight).sum(),
            terms,
            analyser: TextTerms::default(),
        }
    }

    /// The features that come from words. Of a question without words every
    /// entry has all of them.
    pub(super) fn compare(&mut self, entry: &Entry) -> RelevanceFeatures {
        let found = self.find(entry);
        let length = (found.length as f32).ln_1p() / 10.0;
        if self.terms.is_empty() || self.total <= 0.0 {
            return of_no_words(length);
        }
        let mut counts = vec![0_usize; self.terms.len()];
        let mut early = vec![false; self.terms.len()];
        for (place, term) in &found.places {
            counts[*term] += 1;
            early[*term] |= *place < EARLY;
        }
        let has = |term: usize| found.in_title[term] || counts[term] > 0;
        let heaviest = self.heaviest();
        RelevanceFeatures {
            coverage: self.share(has),
            coverage_title: self.share(|term| found.in_title[term]),
            coverage_early: self.share(|term| early[term]),
            coverage_window: self.best_window(&found.places),
            pairs: self.pairs(&found),
            heaviest: flag(has(heaviest)),
            heaviest_title: flag(found.in_title[heaviest]),
            frequency: self.frequency(&counts),
            terms: 1.0 / self.terms.len() as f32,
            rarity: (self.total / self.terms.len() as f64 / 10.0) as f32,
            length,
            ..RelevanceFeatures::default()
        }
    }

    fn find(&mut self, entry: &Entry) -> Found {
        let mut in_title = vec![false; self.terms.len()];
        let mut heading = entry.title().unwrap_or_default().to_owned();
        for value in std::iter::once(entry.author.as_str()).chain(field_texts(entry)) {
            heading.push('\n');
            heading.push_str(value);
        }
        self.find_in(&heading, |_, at| in_title[at] = true);
        let text = &entry.raw_text[..entry.raw_text.floor_char_boundary(BYTES_READ)];
        let mut places = Vec::new();
        let length = self.find_in(text, |place, at| places.push((place, at)));
        Found {
            in_title,
            places,
            length,
        }
    }

    /// Gives the places of asked terms in a text with the term that is there,
    /// and then says how many terms the text has.
    fn find_in(&mut self, text: &str, mut found: impl FnMut(usize, usize)) -> usize {
        let Self {
            terms,
            places,
            beginnings,
            analyser,
            ..
        } = self;
        analyser.each_like(text, beginnings, |place, term| {
            if let Some(at) = asked(terms, places, term) {
                found(place, at);
            }
        })
    }

    fn share(&self, has: impl Fn(usize) -> bool) -> f32 {
        let weights = self.terms.iter().enumerate().filter(|(at, _)| has(*at));
        let sum: f64 = weights.map(|(_, term)| term.weight).sum();
        (sum / self.total) as f32
    }

    fn heaviest(&self) -> usize {
        let by_weight = |a: &(usize, &AskedTerm), b: &(usize, &AskedTerm)| {
            a.1.weight.total_cmp(&b.1.weight).then(b.0.cmp(&a.0))
        };
        let terms = self.terms.iter().enumerate();
        terms.max_by(by_weight).map_or(0, |(at, _)| at)
    }

    fn frequency(&self, counts: &[usize]) -> f32 {
        let parts = self.terms.iter().zip(counts);
        let sum: f64 = parts
            .map(|(term, count)| term.weight * *count as f64 / (*count as f64 + 1.0))
            .sum();
        (sum / self.total) as f32
    }

    fn best_window(&self, places: &[(usize, usize)]) -> f32 {
        let mut best: f64 = 0.0;
        let mut inside = vec![0_usize; self.terms.len()];
        let mut weight = 0.0;
        let mut first = 0;
        for (place, term) in places {
            if inside[*term] == 0 {
                weight += self.terms[*term].weight;
            }
            inside[*term] += 1;
            while places[first].0 + WINDOW <= *place {
                let leaving = places[first].1;
                inside[leaving] -= 1;
                if inside[leaving] == 0 {
                    weight -= self.terms[leaving].weight;
                }
                first += 1;
            }
            best = best.max(weight);
        }
        (best / self.total) as f32
    }

    /// Of a question of one word, whether the entry has it.
    fn pairs(&self, found: &Found) -> f32 {
        if self.terms.len() < 2 {
            let has_it = found.in_title[0] || !found.places.is_empty();
            return flag(has_it);
        }
        let mut near = vec![false; self.terms.len() - 1];
        for (at, (place, term)) in found.places.iter().enumerate() {
            let after = found.places[at + 1..].iter();
            for (other, next) in after.take_while(|(other, _)| other - place <= NEAR) {
                debug_assert!(other >= place, "places are in order");
                if term.abs_diff(*next) == 1 {
                    near[*term.min(next)] = true;
                }
            }
        }
        for (at, pair) in near.iter_mut().enumerate() {
            *pair |= found.in_title[at] && found.in_title[at + 1];
        }
        let weight = |at: usize| self.terms[at].weight + self.terms[at + 1].weight;
        let all: f64 = (0..near.len()).map(weight).sum();
        let kept = near.iter().enumerate().filter(|(_, is_near)| **is_near);
        let kept: f64 = kept.map(|(at, _)| weight(at)).sum();
        (kept / all) as f32
    }
}

/// The asked term that a term is, or that it begins with: `rhabdo` asks for
/// `rhabdomyolysis`.
fn asked(terms: &[AskedTerm], places: &HashMap<&str, usize>, term: &str) -> Option<usize> {
    if let Some(at) = places.get(term) {
        return Some(*at);
    }
    let is_begun =
        |asked: &AskedTerm| asked.term.len() >= SHORTEST_BEGINNING && term.starts_with(&asked.term);
    terms.iter().position(is_begun)
}

fn of_no_words(length: f32) -> RelevanceFeatures {
    RelevanceFeatures {
        coverage: 1.0,
        coverage_title: 1.0,
        coverage_early: 1.0,
        coverage_window: 1.0,
        pairs: 1.0,
        heaviest: 1.0,
        heaviest_title: 1.0,
        frequency: 1.0,
        length,
        ..RelevanceFeatures::default()
    }
}

fn field_texts(entry: &Entry) -> impl Iterator<Item = &str> {
    entry.metadata.values().flat_map(|value| {
        let members: Vec<&str> = match value {
            Value::String(text) => vec![text.as_str()],
            Value::Array(members) => members.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        members
    })
}

#[cfg(test)]
mod tests;
