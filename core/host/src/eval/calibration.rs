//! How far the confidence of answers agrees with how many of them are right.

use serde::Serialize;

use super::{AnswerCounts, AnswerLine};

/// The bins of a confidence from 0 to 1.
const BINS: usize = 10;

/// The answers with the status `grounded`, of all questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GroundedAnswers {
    /// Answers with the status `grounded`.
    pub answers: usize,
    /// Those that are right.
    pub right: usize,
    /// The share of them that is right; none without such answers.
    pub precision: Option<f64>,
    /// The share of all right answers that is `grounded`; none without a right
    /// answer.
    pub coverage: Option<f64>,
}

/// The confidence of answers beside the share of them that is right.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Questions whose answer has a confidence.
    pub n: usize,
    /// The mean difference between confidence and share of right answers in a
    /// bin, weighted by the answers in it.
    pub expected_calibration_error: f64,
    /// The same without abstentions; none where there are only abstentions.
    pub expected_calibration_error_of_answers: Option<f64>,
    /// The ten bins, from 0 to 1.
    pub bins: Vec<CalibrationBin>,
}

/// The answers with a confidence in a tenth of the scale.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// The least confidence.
    pub from: f64,
    /// The next bin begins here; 1 belongs to the last bin.
    pub to: f64,
    /// Questions whose answer has a confidence in the bin.
    pub n: usize,
    /// Those without an answer. They are not right.
    pub abstained: usize,
    /// The mean confidence; none in an empty bin.
    pub mean_confidence: Option<f64>,
    /// The share of right answers; none in an empty bin.
    pub right: Option<f64>,
}

/// Answers with their confidence, and whether they are right.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfidentAnswers(Vec<Confident>);

#[derive(Debug, Clone, Copy)]
struct Confident {
    confidence: f64,
    is_right: bool,
    is_abstention: bool,
}

impl GroundedAnswers {
    /// Of the counts over all questions.
    pub(super) fn of(all: &AnswerCounts) -> Self {
        Self {
            answers: all.grounded,
            right: all.grounded_right,
            precision: share(all.grounded_right, all.grounded),
            coverage: share(all.grounded_right, all.right),
        }
    }
}

impl ConfidentAnswers {
    /// Adds an answer, if it has a confidence. An answer to an unanswerable
    /// question is not right.
    pub fn add(&mut self, answer: &AnswerLine, counts: &AnswerCounts) {
        if let Some(confidence) = answer.confidence {
            self.0.push(Confident {
                confidence,
                is_right: counts.right > 0,
                is_abstention: counts.abstained > 0,
            });
        }
    }

    /// The calibration; none where no answer has a confidence.
    pub fn calibration(&self) -> Option<Calibration> {
        let given = self.0.iter().copied().filter(|one| !one.is_abstention);
        let bins = bins(&self.0);
        Some(Calibration {
            n: self.0.len(),
            expected_calibration_error: expected_error(&bins)?,
            expected_calibration_error_of_answers: expected_error(&bins_of(given)),
            bins,
        })
    }
}

fn bins_of(answers: impl Iterator<Item = Confident>) -> Vec<CalibrationBin> {
    bins(&answers.collect::<Vec<_>>())
}

fn bins(answers: &[Confident]) -> Vec<CalibrationBin> {
    let place = |number: usize| number as f64 / BINS as f64;
    let bin = |number: usize| {
        let is_in = |one: &&Confident| bin_of(one.confidence) == number;
        let inside: Vec<&Confident> = answers.iter().filter(is_in).collect();
        let sum: f64 = inside.iter().map(|one| one.confidence).sum();
        CalibrationBin {
            from: place(number),
            to: place(number + 1),
            n: inside.len(),
            abstained: inside.iter().filter(|one| one.is_abstention).count(),
            mean_confidence: (!inside.is_empty()).then(|| sum / inside.len() as f64),
            right: share(
                inside.iter().filter(|one| one.is_right).count(),
                inside.len(),
            ),
        }
    };
    (0..BINS).map(bin).collect()
}

/// The bin of a confidence from 0 to 1.
fn bin_of(confidence: f64) -> usize {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number from 0 to 10"
    )]
    let bin = (confidence * BINS as f64) as usize;
    bin.min(BINS - 1)
}

/// The expected calibration error; none without answers.
fn expected_error(bins: &[CalibrationBin]) -> Option<f64> {
    let all: usize = bins.iter().map(|bin| bin.n).sum();
    let of_bin = |bin: &CalibrationBin| {
        let difference = bin.mean_confidence? - bin.right?;
        Some(difference.abs() * bin.n as f64)
    };
    let sum: f64 = bins.iter().filter_map(of_bin).sum();
    (all > 0).then(|| sum / all as f64)
}

fn share(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn answers(given: &[(f64, bool, bool)]) -> ConfidentAnswers {
        let mut answers = ConfidentAnswers::default();
        for &(confidence, is_right, is_abstention) in given {
            let line = AnswerLine {
                confidence: Some(confidence),
                ..AnswerLine::default()
            };
            let counts = AnswerCounts {
                n: 1,
                right: usize::from(is_right),
                abstained: usize::from(is_abstention),
                ..AnswerCounts::default()
            };
            answers.add(&line, &counts);
        }
        answers
    }

    fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn the_error_is_the_mean_difference_weighted_by_the_bins() {
        let given = [
            (0.9, true, false),
            (0.9, false, false),
            (0.95, true, false),
            (0.15, false, true),
        ];
        let calibration = answers(&given).calibration().unwrap();
        assert_eq!(calibration.n, 4);
        // (3 × |0.91667 - 0.66667| + 1 × |0.15 - 0|) / 4
        let error = calibration.expected_calibration_error;
        assert!(is_near(error, 0.225), "{error}");
        let given = calibration.expected_calibration_error_of_answers;
        assert!(is_near(given.unwrap(), 0.25), "{given:?}");
        let bin = &calibration.bins[9];
        assert_eq!((bin.n, bin.abstained), (3, 0));
        assert!(is_near(bin.right.unwrap(), 2.0 / 3.0));
        assert_eq!(
            (calibration.bins[1].n, calibration.bins[1].abstained),
            (1, 1)
        );
    }

    #[test]
    fn a_confidence_at_an_edge_is_in_the_bin_that_begins_there() {
        let given = [(0.0, false, false), (0.1, false, false), (1.0, true, false)];
        let bins = answers(&given).calibration().unwrap().bins;
        let counts: Vec<usize> = bins.iter().map(|bin| bin.n).collect();
        assert_eq!(counts, [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((bins[0].from, bins[9].to), (0.0, 1.0));
        assert_eq!(bins[2].mean_confidence, None);
        assert_eq!(bins[2].right, None);
    }

    #[test]
    fn without_a_confidence_there_is_no_calibration() {
        let mut answers = ConfidentAnswers::default();
        answers.add(&AnswerLine::default(), &AnswerCounts::default());
        assert_eq!(answers.calibration(), None);
    }

    #[test]
    fn abstentions_alone_have_no_error_of_answers() {
        let calibration = answers(&[(0.2, false, true)]).calibration().unwrap();
        assert_eq!(calibration.expected_calibration_error_of_answers, None);
        assert!(is_near(calibration.expected_calibration_error, 0.2));
    }

    #[test]
    fn precision_is_of_the_grounded_answers_and_coverage_of_the_right_ones() {
        let all = AnswerCounts {
            n: 10,
            right: 8,
            grounded: 5,
            grounded_right: 4,
            ..AnswerCounts::default()
        };
        let grounded = GroundedAnswers::of(&all);
        assert_eq!((grounded.answers, grounded.right), (5, 4));
        assert_eq!(grounded.precision, Some(0.8));
        assert_eq!(grounded.coverage, Some(0.5));
        let none = GroundedAnswers::of(&AnswerCounts::default());
        assert_eq!((none.precision, none.coverage), (None, None));
    }
}
