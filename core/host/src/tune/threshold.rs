//! The probability from which an answer is `grounded`, fitted on answers that
//! users found helpful or not.

use serde::Serialize;

use super::gain::Gain;
use super::halves::is_held_back;
use super::{TuneRequest, TunedSetting, key_of, setting_now};
use crate::{Feedback, FeedbackSubject, Gannet, HostError, Verdict};

/// Judged answers of each half at least.
const LEAST_ANSWERS: usize = 20;
const SETTING: &str = "/grounded_probability";
/// The share of `grounded` answers that have to be right: nine of ten.
const RIGHT: f64 = 0.9;
/// How many helpful answers one that is not helpful outweighs, so that nine of
/// ten are worth nothing.
const WRONG_WEIGHS: f64 = RIGHT / (1.0 - RIGHT);

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
    /// The gain in what the held-back answers are worth: 1 for a `grounded` one
    /// that is helpful, -9 for one that is not, 0 for one that is not `grounded`.
    pub gain: Gain,
    /// Whether it is better on the held-back half: nine of ten `grounded` answers
    /// are helpful, and the whole interval is a gain.
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
}

impl JudgedAnswer {
    /// What it is worth where answers from a threshold on are `grounded`.
    fn worth(&self, threshold: f64) -> f64 {
        match (self.confidence >= threshold, self.is_helpful) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => -WRONG_WEIGHS,
        }
    }
}

/// The gain of a threshold over another one.
fn gain_of(answers: &[JudgedAnswer], before: f64, after: f64) -> Gain {
    let worth = |threshold: f64| answers.iter().map(move |one| one.worth(threshold));
    let (before, after): (Vec<f64>, Vec<f64>) = worth(before).zip(worth(after)).unzip();
    Gain::of(&before, &after)
}

/// Fits the threshold, or notes how many answers are missing.
pub(super) fn fit(
    gannet: &Gannet,
    request: &TuneRequest,
    notes: &mut Vec<String>,
) -> Result<Option<ThresholdReport>, HostError> {
    let before = setting_now(gannet, &request.mode, SETTING)?;
    let (held_back, learning) = judged_answers(&request.mode, &request.feedback);
    if learning.len().min(held_back.len()) < LEAST_ANSWERS {
        notes.push(format!(
            "the threshold of answers is not tuned: {} of {} judged answers of `{}` are held \
             back, and each half needs at least {LEAST_ANSWERS}",
            held_back.len(),
            held_back.len() + learning.len(),
            request.mode
        ));
        return Ok(None);
    }
    let after = fitted(&learning).unwrap_or(before);
    let (now, then) = (
        ThresholdCounts::of(&held_back, before),
        ThresholdCounts::of(&held_back, after),
    );
    let gain = gain_of(&held_back, before, after);
    Ok(Some(ThresholdReport {
        setting: TunedSetting {
            key: key_of(&request.mode, SETTING),
            before,
            after,
        },
        held_back: held_back.len(),
        before: now,
        after: then,
        gains: then.are_right() && gain.is_sure(),
        gain,
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

/// The judged answers of a mode that are held back, and those to learn from. The
/// confidence of another mode is of other answers.
fn judged_answers(mode: &str, feedback: &[Feedback]) -> (Vec<JudgedAnswer>, Vec<JudgedAnswer>) {
    let (mut held_back, mut learning) = (Vec::new(), Vec::new());
    for one in feedback {
        let FeedbackSubject::Answer {
            confidence: Some(confidence),
            mode: Some(of),
            ..
        } = &one.subject
        else {
            continue;
        };
        if of != mode {
            continue;
        }
        let answer = JudgedAnswer {
            confidence: *confidence,
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
    #![allow(clippy::unwrap_used)]

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
        let more = answers(&[(0.7, true); 40]);
        assert!(gain_of(&more, 0.8, 0.5).is_sure());
        assert!(gain_of(&more, 0.5, 0.8).most < 0.0);
        let wrong = answers(&[(0.7, false); 40]);
        assert!(gain_of(&wrong, 0.5, 0.8).is_sure());
    }

    #[test]
    fn verdicts_that_have_nothing_to_do_with_confidence_gain_nothing() {
        let random: Vec<(f64, bool)> = (0..90_u32)
            .map(|number| (f64::from(number % 50) / 100.0 + 0.45, number % 10 != 3))
            .collect();
        let random = answers(&random);
        let gain = gain_of(&random, 0.8, 0.4);
        assert!(!gain.is_sure() && gain.most > 0.0, "{gain:?}");
    }

    #[test]
    fn only_answers_of_the_mode_fit_its_threshold() {
        let said = |number: u32, mode: Option<&str>| {
            let subject = FeedbackSubject::Answer {
                citations: Vec::new(),
                confidence: Some(0.9),
                mode: mode.map(str::to_owned),
            };
            Feedback::new(&format!("question {number}"), subject, Verdict::Helpful).unwrap()
        };
        let feedback: Vec<Feedback> = (0..30)
            .flat_map(|number| {
                [Some("rag"), Some("recurrence"), None].map(|mode| said(number, mode))
            })
            .collect();
        let (held_back, learning) = judged_answers("rag", &feedback);
        assert_eq!(held_back.len() + learning.len(), 30);
    }
}
