//! Measures how good a configuration's search is, on a set of documents,
//! questions and judgements.
//!
//! A set is a folder with `corpus.jsonl`, a file of questions (one JSON object
//! a line: `id`, `text`, optionally `exclude`, ids that are dropped from the
//! ranking) and a file of judgements (TREC qrels as tab-separated values with
//! a header line: question, document, grade).

mod judgements;
mod metrics;
mod report;

pub use judgements::{EvalError, EvalSet, Question};
pub use metrics::{Metrics, measure};
pub use report::{EvalRequest, EvalStep, ModeReport, evaluate};
