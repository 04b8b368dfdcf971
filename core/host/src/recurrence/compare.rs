//! Compares an entry with the one that is asked about.

use std::collections::HashSet;

use gannet_analysis::TextTerms;
use gannet_api::{Entry, places_of};
use gannet_model::flag;

use super::asked::AskedEvent;
use super::candidates::Candidate;
use super::features::PairFeatures;
use super::place::shared_places;
use super::words::{EventWords, ToldEvent};

/// The inverse document frequency of rare words, at least.
const RARE: f64 = 5.0;
/// How many times the best other one a value counts.
const MOST_ABOVE: f32 = 4.0;
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// Compares entries with one.
pub(super) struct PairComparison<'a, 'e> {
    asked: &'a AskedEvent<'e>,
    neighbors: HashSet<(&'a str, &'a str)>,
    total: f64,
    total_of_title: f64,
    analyser: TextTerms,
}

impl<'a, 'e> PairComparison<'a, 'e> {
    pub(super) fn new(asked: &'a AskedEvent<'e>) -> Self {
        let title = asked.words.title.iter();
        Self {
            neighbors: asked.words.neighbors(),
            total: sum(asked.idfs.values().copied()),
            total_of_title: sum(title.map(|term| asked.idf(term))),
            asked,
            analyser: TextTerms::default(),
        }
    }

    /// The features of the pair, and the words of the other entry.
    pub(super) fn compare(
        &mut self,
        found: &Candidate,
        other: &Entry,
    ) -> (PairFeatures, EventWords) {
        let own = self.asked.entry.map(|entry| entry.entry_id.as_str());
        let places = places_of(other).into_iter();
        let told = ToldEvent {
            title: other.title(),
            text: &other.raw_text,
            places: places.map(|place| place.value).collect(),
            ids: own.into_iter().chain([other.entry_id.as_str()]).collect(),
        };
        let words = EventWords::read(&told, &mut self.analyser);
        let mut features = PairFeatures {
            text_score: found.by_text.score as f32,
            text_rank: found.by_text.rank as f32,
            title_score: found.by_title.score as f32,
            title_rank: found.by_title.rank as f32,
            ..PairFeatures::default()
        };
        self.add_words(&mut features, &words);
        self.add_neighbors(&mut features, &words);
        self.add_names(&mut features, &words);
        if let Some(entry) = self.asked.entry {
            self.add_fields(&mut features, entry, other);
        }
        (features, words)
    }

    fn add_words(&self, features: &mut PairFeatures, other: &EventWords) {
        let asked = self.asked;
        let shared = asked.idfs.iter().filter(|(term, _)| other.has(term));
        let mut shared: Vec<f64> = shared.map(|(_, idf)| *idf).collect();
        // Sums of floating-point numbers depend on the order.
        shared.sort_by(f64::total_cmp);
        let of_title = |has: &dyn Fn(&str) -> bool| {
            let known = asked.words.title.iter().filter(|term| has(term));
            share(sum(known.map(|term| asked.idf(term))), self.total_of_title)
        };
        features.shared = share(sum(shared.iter().copied()), self.total);
        features.shared_of_other = part(shared.len(), other.counts.len());
        features.shared_both = (features.shared * features.shared_of_other).sqrt();
        features.title_shared = of_title(&|term| other.title.contains(term));
        features.title_in_text = of_title(&|term| other.has(term));
        let in_asked = other.title.iter().filter(|term| asked.words.has(term));
        features.other_title_in_text = part(in_asked.count(), other.title.len());
        let rare = |idf: &f64| *idf > RARE;
        let of_asked = asked.idfs.values().copied().filter(rare);
        let in_both = shared.iter().copied().filter(rare);
        features.rare_shared = share(sum(in_both), sum(of_asked));
        let rarest = asked.idfs.values().copied().fold(0.0, f64::max);
        features.rarest = share(shared.last().copied().unwrap_or_default(), rarest);
    }

    fn add_neighbors(&self, features: &mut PairFeatures, other: &EventWords) {
        let shared = other.neighbors().intersection(&self.neighbors).count();
        features.neighbors = part(shared, self.neighbors.len());
    }

    fn add_names(&self, features: &mut PairFeatures, other: &EventWords) {
        let names = &self.asked.words.names;
        let shared = names.intersection(&other.names).count();
        features.names_shared = part(shared, names.len());
        features.has_names = flag(!names.is_empty());
    }

    fn add_fields(&self, features: &mut PairFeatures, entry: &Entry, other: &Entry) {
        let places = &self.asked.places;
        features.same_place = part(shared_places(places, other).len(), places.len());
        features.has_place = flag(!places.is_empty());
        let days = days_between(entry, other);
        features.days = (days.abs().ln_1p() / 10.0) as f32;
        features.is_earlier = flag(days < 0.0);
    }
}

/// Sets the features that say how far a pair stands out among all of them.
pub(super) fn add_others(pairs: &mut [&mut PairFeatures]) {
    add_over_others(
        pairs,
        |pair| pair.shared,
        |pair| &mut pair.shared_over_others,
    );
    add_over_others(
        pairs,
        |pair| pair.rare_shared,
        |pair| &mut pair.rare_over_others,
    );
    add_over_others(
        pairs,
        |pair| pair.neighbors,
        |pair| &mut pair.neighbors_over_others,
    );
}

fn add_over_others(
    pairs: &mut [&mut PairFeatures],
    value: fn(&PairFeatures) -> f32,
    target: fn(&mut PairFeatures) -> &mut f32,
) {
    let mut values: Vec<f32> = pairs.iter().map(|pair| value(pair)).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let first = values.first().copied().unwrap_or_default();
    let second = values.get(1).copied().unwrap_or(first);
    for pair in pairs {
        let own = value(pair);
        let best_other = if own >= first { second } else { first };
        *target(pair) = match best_other > 0.0 {
            true => (own / best_other).min(MOST_ABOVE),
            false => flag(own > 0.0),
        };
    }
}

/// The days from an entry to another, negative where the other is earlier.
pub(super) fn days_between(entry: &Entry, other: &Entry) -> f64 {
    let seconds = other
        .timestamp
        .duration_since(entry.timestamp)
        .as_secs_f64();
    seconds / SECONDS_OF_A_DAY
}

fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.iter().sum()
}

fn share(of: f64, total: f64) -> f32 {
    if total > 0.0 {
        (of / total) as f32
    } else {
        0.0
    }
}

fn part(of: usize, all: usize) -> f32 {
    if all > 0 { of as f32 / all as f32 } else { 0.0 }
}
