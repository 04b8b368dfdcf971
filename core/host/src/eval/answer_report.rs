//! Asks questions with known answers in modes of a host and sums up.

use std::path::PathBuf;

use serde::Serialize;

use super::asking::Asking;
use super::calibration::ConfidentAnswers;
use super::index::index;
use super::report::percentile;
use super::{
    AnswerCounts, AnswerLine, Calibration, EvalError, EvalStep, GroundedAnswers, QaQuestion, Scorer,
};
use crate::{Gannet, SearchResult, Stop};

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct AnswerRequest {
    /// The documents.
    pub corpus: PathBuf,
    /// The questions with their answers, see [`QaQuestion::read`].
    pub questions: PathBuf,
    /// The modes, side by side.
    pub modes: Vec<String>,
    /// Which statuses mean that no answer is given.
    pub scorer: Scorer,
}

/// What one mode answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerReport {
    /// The mode.
    pub mode: String,
    /// Per category, in the order of the file.
    pub categories: Vec<CategoryCounts>,
    /// Over all questions that have an answer.
    pub answerable: AnswerCounts,
    /// Over all questions that have none.
    pub unanswerable: AnswerCounts,
    /// The answers with the status `grounded`, over all questions.
    pub grounded: GroundedAnswers,
    /// The confidence of the answers, over all questions; none where no answer
    /// has one.
    pub calibration: Option<Calibration>,
    /// Mean length of the answers that were given, in characters.
    pub mean_chars: f64,
    /// Length of the longest answer, in characters.
    pub max_chars: usize,
    /// Median latency of a question, in milliseconds.
    pub p50_ms: f64,
    /// 95th percentile of it.
    pub p95_ms: f64,
    /// The answers, in the order of the file.
    #[serde(skip)]
    pub answers: Vec<AnswerLine>,
    /// The questions whose answer is not right.
    #[serde(skip)]
    pub not_right: Vec<NotRight>,
}

/// The counts of one category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryCounts {
    /// The category.
    pub category: String,
    /// What was counted.
    #[serde(flatten)]
    pub counts: AnswerCounts,
}

/// A question whose answer is not right.
#[derive(Debug, Clone, PartialEq)]
pub struct NotRight {
    /// The question.
    pub text: String,
    /// Ids of the entries that answer it.
    pub gold: Vec<String>,
    /// What was answered.
    pub answer: AnswerLine,
}

/// Indexes the documents into the host's store and asks all questions in each
/// mode.
///
/// # Errors
/// A file that cannot be read, a mode that is not enabled, a search that fails.
pub async fn evaluate_answers(
    gannet: &Gannet,
    request: &AnswerRequest,
    stop: &Stop,
    mut progress: impl FnMut(EvalStep),
) -> Result<Vec<AnswerReport>, EvalError> {
    let questions = QaQuestion::read(&request.questions)?;
    let (corpus, modes) = (&request.corpus, &request.modes);
    index(gannet, corpus, modes, stop, &mut progress).await?;
    let mut reports = Vec::new();
    for mode in modes {
        let mut answered = AnsweredQuestions::default();
        let asking = Asking { gannet, mode, stop };
        let add = |question: &QaQuestion, result: &SearchResult| {
            answered.add(question, result, &request.scorer);
        };
        asking
            .ask_all(&questions, |question| &question.text, add, &mut progress)
            .await?;
        reports.push(answered.report(mode));
    }
    Ok(reports)
}

/// The questions of one mode that were answered so far.
#[derive(Default)]
struct AnsweredQuestions {
    categories: Vec<CategoryCounts>,
    answerable: AnswerCounts,
    unanswerable: AnswerCounts,
    confident: ConfidentAnswers,
    max_chars: usize,
    took_ms: Vec<f64>,
    answers: Vec<AnswerLine>,
    not_right: Vec<NotRight>,
}

impl AnsweredQuestions {
    fn add(&mut self, question: &QaQuestion, result: &SearchResult, scorer: &Scorer) {
        let answer = AnswerLine::of(&question.id, result);
        let counts = scorer.judge(question, &answer);
        self.category(&question.category).add(&counts);
        match question.unanswerable {
            true => self.unanswerable.add(&counts),
            false => self.answerable.add(&counts),
        }
        self.confident.add(&answer, &counts);
        self.max_chars = self.max_chars.max(counts.answer_chars);
        self.took_ms.push(result.took_ms);
        if counts.right + counts.right_abstentions == 0 {
            self.not_right.push(NotRight {
                text: question.text.clone(),
                gold: question.gold.clone(),
                answer: answer.clone(),
            });
        }
        self.answers.push(answer);
    }

    fn category(&mut self, name: &str) -> &mut AnswerCounts {
        let known = |counts: &CategoryCounts| counts.category == name;
        let index = self.categories.iter().position(known).unwrap_or_else(|| {
            self.categories.push(CategoryCounts {
                category: name.to_owned(),
                counts: AnswerCounts::default(),
            });
            self.categories.len() - 1
        });
        &mut self.categories[index].counts
    }

    fn report(mut self, mode: &str) -> AnswerReport {
        self.took_ms.sort_by(f64::total_cmp);
        let mut all = self.answerable.clone();
        all.add(&self.unanswerable);
        AnswerReport {
            mode: mode.to_owned(),
            categories: self.categories,
            grounded: GroundedAnswers::of(&all),
            calibration: self.confident.calibration(),
            mean_chars: all.mean_chars(),
            max_chars: self.max_chars,
            p50_ms: percentile(&self.took_ms, 0.5),
            p95_ms: percentile(&self.took_ms, 0.95),
            answerable: self.answerable,
            unanswerable: self.unanswerable,
            answers: self.answers,
            not_right: self.not_right,
        }
    }
}
