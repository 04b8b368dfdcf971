//! BM25 of candidates, as the text index of the embedded store reckons it.

use std::collections::HashMap;

use super::statistics::{FIELDS, Statistics};
use gannet_analysis::Wanted;
use gannet_index::FieldWeights;

/// BM25's parameters, tantivy's.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A row that may be among the best, with the places of the wanted terms.
#[derive(Debug, Default)]
pub(super) struct Candidate {
    pub(super) doc: i64,
    pub(super) kind: String,
    pub(super) entry_id: String,
    /// Words by field.
    pub(super) lengths: [f64; FIELDS],
    /// Whether the row fits the families and filters of the query, in their
    /// order.
    pub(super) fits: Vec<bool>,
    pub(super) places: HashMap<String, Places>,
}

/// Where a term is in an entry.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Ascending.
    pub(super) positions: Vec<i16>,
    /// How often it is in each field.
    pub(super) counts: [f64; FIELDS],
}

/// What a candidate is judged by.
pub(super) struct Judge<'a> {
    pub(super) statistics: &'a Statistics,
    pub(super) weights: [f64; FIELDS],
    /// What a name of each family is worth.
    pub(super) family_scores: Vec<f64>,
}

pub(super) fn in_order(weights: FieldWeights) -> [f64; FIELDS] {
    [
        weights.text,
        weights.title,
        weights.keywords,
        weights.author,
    ]
    .map(f64::from)
}

impl Judge<'_> {
    /// The score; `None` when the candidate is not what is wanted.
    /// `next_filter` counts the filters that were passed on the way.
    pub(super) fn score(
        &self,
        wanted: &Wanted,
        candidate: &Candidate,
        next_filter: &mut usize,
    ) -> Option<f64> {
        match wanted {
            Wanted::Word(forms) => self.word(forms, candidate),
            Wanted::Sequence(terms) => self.sequence(terms, candidate),
            Wanted::Family(place) => fits(candidate, *place).then(|| self.family_scores[*place]),
            Wanted::Filter(_) => {
                let place = self.family_scores.len() + *next_filter;
                *next_filter += 1;
                fits(candidate, place).then_some(0.0)
            }
            Wanted::Not(excluded) => {
                let score = self.score(excluded, candidate, next_filter);
                score.is_none().then_some(0.0)
            }
            Wanted::Repeated(part, factor) => {
                let score = self.score(part, candidate, next_filter)?;
                Some(score * f64::from(*factor))
            }
            Wanted::All(parts) => {
                // All of them are asked, so that filters are counted.
                let scores: Vec<Option<f64>> = parts
                    .iter()
                    .map(|part| self.score(part, candidate, next_filter))
                    .collect();
                scores.into_iter().sum()
            }
            Wanted::Any(parts) => parts
                .iter()
                .filter_map(|part| self.score(part, candidate, next_filter))
                .reduce(|sum, score| sum + score),
        }
    }

    fn word(&self, forms: &[String], candidate: &Candidate) -> Option<f64> {
        forms
            .iter()
            .filter_map(|term| Some(self.term(term, candidate.places.get(term)?, candidate)))
            .reduce(|sum, score| sum + score)
    }

    fn term(&self, term: &str, places: &Places, candidate: &Candidate) -> f64 {
        (0..FIELDS)
            .filter(|&field| self.weights[field] > 0.0 && places.counts[field] > 0.0)
            .map(|field| {
                let rarity = self.statistics.rarity(term, field);
                let density = self.density(places.counts[field], field, candidate);
                self.weights[field] * rarity * density
            })
            .sum()
    }

    /// How much of an entry something is, by how often it is there.
    fn density(&self, count: f64, field: usize, candidate: &Candidate) -> f64 {
        let average = self.statistics.average[field].max(1.0);
        let length = candidate.lengths[field] / average;
        (K1 + 1.0) * count / (count + K1 * (1.0 - B + B * length))
    }

    fn sequence(&self, terms: &[String], candidate: &Candidate) -> Option<f64> {
        let places: Option<Vec<&Places>> = terms
            .iter()
            .map(|term| candidate.places.get(term))
            .collect();
        let (first, rest) = places?
            .split_first()
            .map(|(first, rest)| (*first, rest.to_vec()))?;
        let follows = |start: i16| {
            rest.iter().zip(1..).all(|(next, distance)| {
                next.positions
                    .binary_search(&start.saturating_add(distance))
                    .is_ok()
            })
        };
        let count = first.positions.iter().filter(|&&at| follows(at)).count();
        let rarity: f64 = terms
            .iter()
            .map(|term| self.statistics.rarity(term, 0))
            .sum();
        (count > 0).then(|| rarity * self.density(count as f64, 0, candidate))
    }
}

fn fits(candidate: &Candidate, place: usize) -> bool {
    candidate.fits.get(place).copied().unwrap_or(false)
}
