//! Asks questions about sets of entries in modes of a host and sums up.

use std::path::PathBuf;

use serde::Serialize;

use super::answer_score::GROUNDED;
use super::asking::Asking;
use super::index::index;
use super::report::percentile;
use super::{AnswerLine, EvalError, EvalStep, NotRight, SetAnswer, SetKind, SetQuestion};
use crate::{Gannet, SearchResult, Stop};

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct SetsRequest {
    /// The documents.
    pub corpus: PathBuf,
    /// The name of their collection: questions about others are left out.
    pub collection: String,
    /// The questions with their golds, see [`SetQuestion::read`].
    pub questions: PathBuf,
    /// The modes, side by side.
    pub modes: Vec<String>,
}

/// What one mode answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetsReport {
    /// The mode.
    pub mode: String,
    /// By kind, and by what decides which entries are in a set.
    pub kinds: Vec<SetKindCounts>,
    /// Over the questions that fields and times decide.
    pub field_only: SetCounts,
    /// Over the questions with a topic.
    pub with_topic: SetCounts,
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

/// The counts of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetKindCounts {
    /// What is asked of the set.
    pub kind: SetKind,
    /// Whether fields and times alone decide which entries are in the set.
    pub field_only: bool,
    /// What was counted.
    #[serde(flatten)]
    pub counts: SetCounts,
}

/// How many questions of a group were answered how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SetCounts {
    /// Questions.
    pub n: usize,
    /// Right answers.
    pub right: usize,
    /// Answers with the status `grounded`.
    pub grounded: usize,
    /// Wrong answers with the status `grounded`.
    pub grounded_wrong: usize,
}

impl SetCounts {
    fn add(&mut self, is_right: bool, is_grounded: bool) {
        self.n += 1;
        self.right += usize::from(is_right);
        self.grounded += usize::from(is_grounded);
        self.grounded_wrong += usize::from(is_grounded && !is_right);
    }
}

/// Indexes the documents into the host's store and asks the questions about
/// their collection in each mode.
///
/// # Errors
/// A file that cannot be read, no question about the collection, a mode that is
/// not enabled, a search that fails.
pub async fn evaluate_sets(
    gannet: &Gannet,
    request: &SetsRequest,
    stop: &Stop,
    mut progress: impl FnMut(EvalStep),
) -> Result<Vec<SetsReport>, EvalError> {
    let questions = SetQuestion::read(&request.questions, &request.collection)?;
    let (corpus, modes) = (&request.corpus, &request.modes);
    index(gannet, corpus, modes, stop, &mut progress).await?;
    let mut reports = Vec::new();
    for mode in modes {
        let mut answered = AnsweredSets::default();
        let asking = Asking { gannet, mode, stop };
        let add = |question: &SetQuestion, result: &SearchResult| answered.add(question, result);
        asking
            .ask_all(&questions, |question| &question.text, add, &mut progress)
            .await?;
        reports.push(answered.report(mode));
    }
    Ok(reports)
}

/// The questions of one mode that were answered so far.
#[derive(Default)]
struct AnsweredSets {
    kinds: Vec<SetKindCounts>,
    field_only: SetCounts,
    with_topic: SetCounts,
    took_ms: Vec<f64>,
    answers: Vec<AnswerLine>,
    not_right: Vec<NotRight>,
}

impl AnsweredSets {
    fn add(&mut self, question: &SetQuestion, result: &SearchResult) {
        let answer = SetAnswer::of(&question.id, result);
        let is_right = answer.is_right(question);
        let is_grounded = answer.line.status == GROUNDED;
        self.kind(question).add(is_right, is_grounded);
        match question.field_only {
            true => self.field_only.add(is_right, is_grounded),
            false => self.with_topic.add(is_right, is_grounded),
        }
        self.took_ms.push(result.took_ms);
        if !is_right {
            self.not_right.push(NotRight {
                text: question.text.clone(),
                gold: question.gold.ids.clone(),
                answer: answer.line.clone(),
            });
        }
        self.answers.push(answer.line);
    }

    fn kind(&mut self, question: &SetQuestion) -> &mut SetCounts {
        let (kind, field_only) = (question.kind, question.field_only);
        let known = |counts: &SetKindCounts| counts.kind == kind && counts.field_only == field_only;
        let index = self.kinds.iter().position(known).unwrap_or_else(|| {
            self.kinds.push(SetKindCounts {
                kind,
                field_only,
                counts: SetCounts::default(),
            });
            self.kinds.len() - 1
        });
        &mut self.kinds[index].counts
    }

    fn report(mut self, mode: &str) -> SetsReport {
        self.took_ms.sort_by(f64::total_cmp);
        self.kinds.sort_by_key(|of| (!of.field_only, of.kind));
        SetsReport {
            mode: mode.to_owned(),
            kinds: self.kinds,
            field_only: self.field_only,
            with_topic: self.with_topic,
            p50_ms: percentile(&self.took_ms, 0.5),
            p95_ms: percentile(&self.took_ms, 0.95),
            answers: self.answers,
            not_right: self.not_right,
        }
    }
}
