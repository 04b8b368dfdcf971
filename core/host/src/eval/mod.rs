//! Measures how good a configuration's search is, on a set of documents,
//! questions and judgements.
//!
//! A set is a folder with `corpus.jsonl`, a file of questions (one JSON object
//! a line: `id`, `text`, optionally `exclude`, ids that are dropped from the
//! ranking) and a file of judgements (TREC qrels as tab-separated values with
//! a header line: question, document, grade).
//!
//! [`evaluate`] measures rankings. [`evaluate_answers`] measures answers, on a
//! file of questions with known answers, and [`evaluate_sets`] answers about sets
//! of entries, on a file of questions with complete golds.

mod answer_report;
mod answer_score;
mod asking;
mod calibration;
mod index;
mod judgements;
mod known_answers;
mod metrics;
mod report;
mod set_questions;
mod set_report;
mod set_score;

pub use answer_report::{AnswerReport, AnswerRequest, CategoryCounts, NotRight, evaluate_answers};
pub use answer_score::{ABSTAINING, AnswerCounts, AnswerLine, Scorer};
pub use asking::write_answers;
pub use calibration::{Calibration, CalibrationBin, GroundedAnswers};
pub use judgements::{EvalError, EvalSet, Question};
pub use known_answers::{KnownFact, QaQuestion};
pub use metrics::{Metrics, measure};
pub(crate) use report::rank;
pub use report::{EvalRequest, EvalStep, ModeReport, evaluate};
pub use set_questions::{SetGold, SetKind, SetQuestion};
pub use set_report::{SetCounts, SetKindCounts, SetsReport, SetsRequest, evaluate_sets};
pub use set_score::SetAnswer;
