//! The gain of one setting over another on the same questions, with its
//! uncertainty.

use serde::Serialize;

/// Samples of the bootstrap.
const SAMPLES: usize = 2_000;

/// A mean gain over questions, with its 95 % confidence interval by a paired
/// bootstrap of the questions (Efron and Tibshirani 1993, chapter 13).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gain {
    /// Questions.
    pub questions: usize,
    /// The mean before.
    pub before: f64,
    /// The mean after.
    pub after: f64,
    /// The least gain of the interval.
    pub least: f64,
    /// The greatest gain of the interval.
    pub most: f64,
}

impl Gain {
    /// The gain of paired measures.
    pub(super) fn of(before: &[f64], after: &[f64]) -> Self {
        let differences: Vec<f64> = before.iter().zip(after).map(|(a, b)| b - a).collect();
        let mut means = sampled_means(&differences);
        means.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (means.len() as f64 * share) as usize;
            means.get(place).copied().unwrap_or_default()
        };
        Self {
            questions: differences.len(),
            before: mean(before),
            after: mean(after),
            least: at(0.025),
            most: at(0.975),
        }
    }

    /// The mean gain.
    pub fn mean(&self) -> f64 {
        self.after - self.before
    }

    /// Whether the whole interval is a gain.
    pub(super) fn is_sure(&self) -> bool {
        self.least > 0.0
    }
}

pub(super) fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}

fn sampled_means(of: &[f64]) -> Vec<f64> {
    if of.is_empty() {
        return Vec::new();
    }
    // A generator of its own: the same questions give the same interval.
    let mut state: u64 = 1;
    let mut next = || {
        // SplitMix64 (Steele, Lea and Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let sample = |_| {
        let sum: f64 = (0..of.len())
            .map(|_| of[(next() % of.len() as u64) as usize])
            .sum();
        sum / of.len() as f64
    };
    (0..SAMPLES).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_of_every_question_is_sure_and_one_of_a_single_question_is_not() {
        let before = vec![0.5; 40];
        let all = Gain::of(&before, &vec![0.6; 40]);
        assert!((all.mean() - 0.1).abs() < 1e-9 && all.is_sure(), "{all:?}");
        let mut after = before.clone();
        after[0] = 1.0;
        let one = Gain::of(&before, &after);
        assert!(one.mean() > 0.0 && !one.is_sure(), "{one:?}");
    }

    #[test]
    fn nothing_gains_nothing() {
        assert!(!Gain::of(&[], &[]).is_sure());
    }
}
