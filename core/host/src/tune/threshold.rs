//! The probability from which an answer is `grounded`, fitted on answers that
//! users found helpful or not.

use serde::Serialize;

use super::halves::is_held_back;
use super::{TuneRequest, TunedSetting, key_of, setting_now};
use crate::{Feedback, FeedbackSubject, Gannet, HostError, Verdict};

/// Judged answers of each half at least.
const LEAST_ANSWERS: usize = 20;
const SETTING: &str = "/grounded_probability";
/// The share of `grounded` answers that have to be right: nine of ten.
const RIGHT: f64 = 0.9;

/// Answers from a threshold on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ThresholdCounts {
    /// Answers that are `grounded`.
    pub grounded: usize,
    /// Those of them that were found helpful.
    pub helpful: usize,
}

/// A threshold that was fitted on the learning half.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThresholdReport {
    /// The threshold.
    pub setting: TunedSetting,
    /// Judged answers of the held-back half.
    pub held_back: usize,
    /// What is `grounded` of them now.
    pub before: ThresholdCounts,
    /// What would be.
    pub after: ThresholdCounts,
    /// Whether it is better on the held-back half: nine of ten `grounded` answers
    /// are helpful, and they were not before or there are more of them.
    pub gains: bool,
}

/// An answer that was judged.
#[derive(Clone, Copy)]
struct JudgedAnswer {
    confidence: f64,
    is_helpful: bool,
}

impl ThresholdCounts {
    fn of(answers: &[JudgedAnswer], threshold: f64) -> Self {
        let grounded = answers.iter().filter(|one| one.confidence >= threshold);
        let mut counts = Self::default();
        for answer in grounded {
            counts.grounded += 1;
            counts.helpful += usize::from(answer.is_helpful);
        }
        counts
    }

    fn are_right(self) -> bool {
        self.grounded > 0 && self.helpful as f64 >= RIGHT * self.grounded as f64
    }

    fn gain_over(self, before: Self) -> bool {
        self.are_right() && (!before.are_right() || self.helpful > before.helpful)
    }
}

/// Fits the threshold, or notes how many answers are missing.
pub(super) fn fit(
    gannet: &Gannet,
    request: &TuneRequest,
    notes: &mut Vec<String>,
) -> Result<Option<ThresholdReport>, HostError> {
    let before = setting_now(gannet, &request.mode, SETTING)?;
    let (held_back, learning) = judged_answers(&request.feedback);
    if learning.len().min(held_back.len()) < LEAST_ANSWERS {
        notes.push(format!(
            "the threshold of answers is not tuned: {} of {} judged answers are held back, and \
             each half needs at least {LEAST_ANSWERS}",
            held_back.len(),
            held_back.len() + learning.len()
        ));
        return Ok(None);
    }
    let after = fitted(&learning).unwrap_or(before);
    let (now, then) = (
        ThresholdCounts::of(&held_back, before),
        ThresholdCounts::of(&held_back, after),
    );
    Ok(Some(ThresholdReport {
        setting: TunedSetting {
            key: key_of(&request.mode, SETTING),
            before,
            after,
        },
        held_back: held_back.len(),
        before: now,
        after: then,
        gains: then.gain_over(now),
    }))
}

/// The least threshold from which nine of ten answers are helpful, in steps of
/// .05; none where there is none.
fn fitted(learning: &[JudgedAnswer]) -> Option<f64> {
    let thresholds = (8..20).map(|step| f64::from(step) / 20.0);
    thresholds
        .into_iter()
        .find(|threshold| ThresholdCounts::of(learning, *threshold).are_right())
}

/// The judged answers that are held back, and those to learn from.
fn judged_answers(feedback: &[Feedback]) -> (Vec<JudgedAnswer>, Vec<JudgedAnswer>) {
    let (mut held_back, mut learning) = (Vec::new(), Vec::new());
    for one in feedback {
        let FeedbackSubject::Answer {
            confidence: Some(confidence),
            ..
        } = one.subject
        else {
            continue;
        };
        let answer = JudgedAnswer {
            confidence,
            is_helpful: one.verdict == Verdict::Helpful,
        };
        match is_held_back(&one.question) {
            true => held_back.push(answer),
            false => learning.push(answer),
        }
    }
    (held_back, learning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(of: &[(f64, bool)]) -> Vec<JudgedAnswer> {
        let answer = |&(confidence, is_helpful)| JudgedAnswer {
            confidence,
            is_helpful,
        };
        of.iter().map(answer).collect()
    }

    #[test]
    fn the_least_threshold_is_fitted_from_which_nine_of_ten_are_helpful() {
        let mut judged = vec![(0.95, true); 9];
        judged.extend([(0.72, true), (0.62, false), (0.61, false)]);
        assert_eq!(fitted(&answers(&judged)), Some(0.65));
        assert_eq!(fitted(&answers(&[(0.9, false)])), None);
    }

    #[test]
    fn a_threshold_gains_by_more_helpful_answers_or_by_fewer_wrong_ones() {
        let counts = |grounded, helpful| ThresholdCounts { grounded, helpful };
        assert!(counts(20, 19).gain_over(counts(10, 10)));
        assert!(counts(5, 5).gain_over(counts(20, 15)));
        assert!(!counts(5, 5).gain_over(counts(20, 19)));
        assert!(!counts(0, 0).gain_over(counts(20, 15)));
    }
}
