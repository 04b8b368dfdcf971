//! Which sentences are quoted: by probability, as long as they fit.

use gannet_stages::{QUOTES_AT_MOST, quotes_of};

use crate::candidates::{Sentence, Text};
use crate::weights::Budget;

/// Sentences that share more than this of the words of the shorter one say
/// the same.
const SAME_WORDS: f64 = 0.8;

/// A sentence by its entry and its place there.
pub(crate) type Place = (usize, usize);

/// The sentences that are quoted, best first. A further sentence is taken as
/// long as those before it are not enough together, and where it adds enough
/// for its length to the probability that one of them answers.
pub(crate) fn choose(
    texts: &[Text],
    probabilities: &[Vec<f32>],
    budget: Budget,
    max_chars: usize,
) -> Vec<Place> {
    let mut chosen: Vec<Place> = Vec::new();
    // The probability that none of them answers.
    let (mut none, mut chars) = (1.0, 0);
    for (probability, place) in &ranked(probabilities) {
        if !chosen.is_empty() && 1.0 - none >= budget.enough {
            break;
        }
        let sentence = sentence(texts, *place);
        let length = sentence.chars();
        let gain = none * probability;
        let adds_little = gain < budget.gain * length as f32 / 100.0;
        let says_the_same = |other: &Place| is_same(sentence, self::sentence(texts, *other));
        if !chosen.is_empty() && adds_little
            || chars + length > max_chars
            || chosen.iter().any(says_the_same)
            || quotes_of(&[chosen.as_slice(), &[*place]].concat()) > QUOTES_AT_MOST
        {
            continue;
        }
        chosen.push(*place);
        none *= 1.0 - probability;
        chars += length;
    }
    chosen
}

/// All sentences with their probabilities, best first; of equal ones the
/// earlier.
pub(crate) fn ranked(probabilities: &[Vec<f32>]) -> Vec<(f32, Place)> {
    let mut ranked: Vec<(f32, Place)> = Vec::new();
    for (entry, of_entry) in probabilities.iter().enumerate() {
        let of_entry = of_entry.iter().enumerate();
        ranked.extend(of_entry.map(|(at, probability)| (*probability, (entry, at))));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked
}

fn sentence(texts: &[Text], (entry, at): Place) -> &Sentence {
    &texts[entry].sentences[at]
}

fn is_same(one: &Sentence, other: &Sentence) -> bool {
    let shorter = one.stems.len().min(other.stems.len()).max(1);
    let shared = one.stems.intersection(&other.stems).count();
    shared as f64 > SAME_WORDS * shorter as f64
}
