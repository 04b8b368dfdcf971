//! Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), with a
//! weight per module.

use std::collections::BTreeMap;

use gannet_plugin::prelude::Hit;
use gannet_plugin::search::ScoreKind;

use super::{join_by_entry, ordered};
use crate::ModuleHits;

/// The constant of the original paper.
pub const DEFAULT_K: f64 = 60.0;

/// Scores each entry by Σ w / (k + rank) over the lists that hold it, ranks
/// from 1; a module without a weight weighs 1. `k` and the weights are at
/// least 0 and finite.
///
/// The sum is carried in twice the precision and rounded once, so that two
/// sums that are equal as fractions are equal as numbers: ties are ties
/// whatever lists they come from.
///
/// ```
/// use std::collections::BTreeMap;
/// use gannet_plugin::prelude::Hit;
/// use gannet_plugin::search::ScoreKind;
/// use gannet_stages::{ModuleHits, rrf};
///
/// let list = |module: &str, ids: &[&str]| {
///     let hits = ids.iter().map(|id| Hit::new(*id, "logbook", 1.0, ScoreKind::Bm25));
///     ModuleHits::new(module, hits.collect())
/// };
/// let lists = [list("keyword", &["a", "b"]), list("semantic", &["a", "c"])];
/// let fused = rrf(&lists, 60.0, &BTreeMap::new());
///
/// assert_eq!(fused[0].entry_id, "a");
/// assert_eq!(fused[0].score, 2.0 / 61.0);
/// assert_eq!(fused[0].provenance.len(), 2);
/// ```
pub fn rrf(lists: &[ModuleHits], k: f64, weights: &BTreeMap<String, f64>) -> Vec<Hit> {
    let (lists, candidates) = join_by_entry(lists);
    let list_weights: Vec<f64> = lists
        .iter()
        .map(|list| weights.get(&list.module).copied().unwrap_or(1.0))
        .collect();
    let score_kind = if list_weights.iter().all(|&weight| weight == 1.0) {
        ScoreKind::Rrf
    } else {
        ScoreKind::WeightedRrf
    };
    ordered(candidates.into_iter().map(|candidate| {
        let mut sum = PreciseSum::default();
        for part in &candidate.parts {
            let weight = list_weights.get(part.list).copied().unwrap_or(1.0);
            sum.add_quotient(weight, k + f64::from(part.rank));
        }
        candidate.scored(sum.rounded(), score_kind)
    }))
}

/// A sum of quotients in twice the precision of f64 (Dekker's double-double).
#[derive(Default)]
struct PreciseSum {
    high: f64,
    low: f64,
}

impl PreciseSum {
    fn add_quotient(&mut self, numerator: f64, denominator: f64) {
        let quotient = numerator / denominator;
        let remainder = (-quotient).mul_add(denominator, numerator);
        self.add(quotient);
        self.low += remainder / denominator;
        self.renormalise();
    }

    /// Knuth's two-sum: what the addition rounds off goes into `low`.
    fn add(&mut self, number: f64) {
        let sum = self.high + number;
        let of_number = sum - self.high;
        let rounded_off = (self.high - (sum - of_number)) + (number - of_number);
        self.high = sum;
        self.low += rounded_off;
    }

    fn renormalise(&mut self) {
        let sum = self.high + self.low;
        self.low -= sum - self.high;
        self.high = sum;
    }

    fn rounded(&self) -> f64 {
        self.high + self.low
    }
}
