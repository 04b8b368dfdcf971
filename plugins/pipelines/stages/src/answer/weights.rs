//! What each word of a question weighs among the entries that were found.

use std::collections::BTreeSet;

/// A word of the question.
pub(super) struct Term {
    /// What it weighs; the weights of all sum to 1.
    weight: f64,
    /// Whether any entry holds it.
    pub(super) is_known: bool,
}

/// Words that few of the found entries hold weigh more: they tell the entries
/// apart. One that no entry holds weighs most: it is what is missing.
///
/// `holders` is the number of entries that hold each word, of `entries`.
pub(super) fn weighed(holders: &[usize], entries: usize) -> Vec<Term> {
    let count = entries as f64;
    let mut terms: Vec<Term> = Vec::new();
    for &holding in holders {
        terms.push(Term {
            weight: 1.0 + ((count + 1.0) / (holding as f64 + 0.5)).ln(),
            is_known: holding > 0,
        });
    }
    let sum: f64 = terms.iter().map(|term| term.weight).sum();
    for term in &mut terms {
        term.weight /= sum;
    }
    terms
}

/// The share of the question's words that a set has, by weight.
pub(super) fn weight_of(terms: &[Term], held: &BTreeSet<usize>) -> f64 {
    held.iter()
        .filter_map(|place| terms.get(*place))
        .map(|term| term.weight)
        .sum()
}
