//! What the scores of words say of an answer.

use gannet_model::features;

/// Scores are within these bounds.
const MOST: f32 = 15.0;
/// The sum where there is no other word: far below that of any.
const NO_OTHERS: f32 = -12.0;
/// A share whose logarithm is taken.
const LEAST_SHARE: f32 = 1e-9;

features! {
    /// What the words of the chosen sentences say. Scores are log-odds.
    WordScores {
        /// The best of them, and the logarithm of the sum of all, above the
        /// score that there is no answer; the latter above that of the words
        /// of other sentences.
        word_best,
        word_sum,
        word_elsewhere,
        /// How evenly they are spread: the entropy of their shares.
        word_spread,
        /// The best above the second.
        word_margin,
        /// The score that there is no answer.
        word_none,
    }
}

impl WordScores {
    /// Of the scores of the words of the chosen sentences and of others.
    pub(crate) fn new(chosen: &[f32], others: &[f32], none: f32) -> Self {
        if chosen.is_empty() {
            return Self::without_words();
        }
        let mut ranked = chosen.to_vec();
        ranked.sort_by(|a, b| b.total_cmp(a));
        let sum = log_sum_exp(chosen);
        let sum_of_others = match others.is_empty() {
            true => NO_OTHERS,
            false => log_sum_exp(others),
        };
        let shares = chosen.iter().map(|score| (score - sum).exp());
        let spread = shares.map(|share| -share * share.max(LEAST_SHARE).ln());
        let bounded = |value: f32| value.clamp(-MOST, MOST);
        Self {
            word_best: bounded(ranked[0] - none),
            word_sum: bounded(sum - none),
            word_elsewhere: bounded(sum - sum_of_others),
            word_spread: bounded(spread.fold(0.0, |sum, x| sum + x)),
            word_margin: bounded(ranked.get(1).map_or(0.0, |second| ranked[0] - second)),
            word_none: bounded(none),
        }
    }

    /// As of words that are far from any answer.
    fn without_words() -> Self {
        Self {
            word_best: -12.0,
            word_sum: -12.0,
            word_elsewhere: -6.0,
            ..Self::default()
        }
    }
}

/// Of at least one number.
fn log_sum_exp(values: &[f32]) -> f32 {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let parts = values.iter().map(|value| (value - most).exp());
    most + parts.fold(0.0, |sum, part| sum + part).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: WordScores, expected: [f32; 6]) {
        for (found, expected) in found.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
        }
    }

    #[test]
    fn the_words_of_the_chosen_sentences_are_compared_with_no_answer_and_with_others() {
        // e^2 + e^2 = 2 e^2: the sum is 2 + ln 2, and the shares are one half.
        let half = 2.0_f32.ln();
        let found = WordScores::new(&[2.0, 2.0], &[1.0], -0.5);
        assert_near(found, [2.5, 2.5 + half, 1.0 + half, half, 0.0, -0.5]);
        let one = WordScores::new(&[3.0], &[], 1.0);
        assert_near(one, [2.0, 2.0, 15.0, 0.0, 0.0, 1.0]);
        let apart = WordScores::new(&[-20.0, 4.0], &[4.0], 0.0);
        assert_near(apart, [4.0, 4.0, 0.0, 0.0, 15.0, 0.0]);
    }

    #[test]
    fn an_answer_without_words_is_far_from_one() {
        let found = WordScores::new(&[], &[1.0], 2.0);
        assert_near(found, [-12.0, -12.0, -6.0, 0.0, 0.0, 0.0]);
    }
}
