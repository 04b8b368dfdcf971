//! Measures how good a configuration's search is, on a set of documents,
//! questions and judgements.
//!
//! A set is a folder with `corpus.jsonl`, a file of questions (one JSON object
//! a line: `id`, `text`, optionally `exclude`, ids that are dropped from the
//! ranking) and a file of judgements (TREC qrels as tab-separated values with
//! a header line: question, document, grade).
//!
//! [`evaluate`] measures rankings. [`evaluate_answers`] measures answers, on a
//! file of questions with known answers.

mod answer_report;
mod answer_score;
mod calibration;
mod index;
mod judgements;
mod known_answers;
mod metrics;
mod report;

pub use answer_report::{AnswerReport, AnswerRequest, CategoryCounts, NotRight, evaluate_answers};
pub use answer_score::{ABSTAINING, AnswerCounts, AnswerLine, Scorer};
pub use calibration::{Calibration, CalibrationBin, GroundedAnswers};
pub use judgements::{EvalError, EvalSet, Question};
pub use known_answers::{KnownFact, QaQuestion};
pub use metrics::{Metrics, measure};
pub use report::{EvalRequest, EvalStep, ModeReport, evaluate};
