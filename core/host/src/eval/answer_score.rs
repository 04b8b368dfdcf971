//! Judges answers to questions with known answers.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;

use super::QaQuestion;

/// The statuses of an answer that mean that no answer is given.
pub const ABSTAINING: [&str; 7] = [
    "insufficient",
    "clarify",
    "abstain",
    "abstained",
    "no_answer",
    "unanswerable",
    "refused",
];

/// The status of an answer that its quotes support.
pub(super) const GROUNDED: &str = "grounded";
/// The status of an answer that may not be right.
const PARTIAL: &str = "partial";

/// What a mode answered to one question; a line of the file of answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AnswerLine {
    /// The question's id.
    pub id: String,
    /// The answer's text with its citations; empty when none was given.
    pub answer: String,
    /// Ids of the cited entries.
    pub citations: Vec<String>,
    /// The name of the answer's status; empty when it has none.
    pub status: String,
    /// The probability that the answer is right, where the mode gives one.
    pub confidence: Option<f64>,
    /// Ids of the entries of the result, best first.
    pub top_ids: Vec<String>,
}

/// How many questions of a group were answered how.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AnswerCounts {
    /// Questions.
    pub n: usize,
    /// Answers that state all facts.
    pub right: usize,
    /// Right answers that cite a gold entry.
    pub right_cited: usize,
    /// Answers with the status `grounded`.
    pub grounded: usize,
    /// Right answers with the status `grounded`.
    pub grounded_right: usize,
    /// Answers with the status `partial`.
    pub partial: usize,
    /// Answers that state some facts, but not all.
    pub part: usize,
    /// Answers that state no fact.
    pub wrong: usize,
    /// Answers that cite entries, and no gold entry.
    pub wrong_entry: usize,
    /// Questions without an answer.
    pub abstained: usize,
    /// Unanswerable questions without an answer.
    pub right_abstentions: usize,
    /// Unanswerable questions with an answer.
    pub false_answers: usize,
    /// Unanswerable questions with an answer of the status `grounded`.
    pub false_grounded: usize,
    /// A gold entry is first.
    pub gold_at_1: usize,
    /// A gold entry is among the first 3.
    pub gold_at_3: usize,
    /// A gold entry is among the first 10.
    pub gold_at_10: usize,
    /// Every gold entry is among the first 10.
    pub all_at_10: usize,
    /// Characters of all answers that were given, citations included.
    pub answer_chars: usize,
    /// Questions by the status of their answer; `none` where it has none.
    pub statuses: BTreeMap<String, usize>,
}

/// Judges answers.
#[derive(Debug, Clone)]
pub struct Scorer {
    abstaining: BTreeSet<String>,
}

impl Scorer {
    /// A scorer that takes answers of these statuses for abstentions.
    pub fn new<S: AsRef<str>>(abstaining: impl IntoIterator<Item = S>) -> Self {
        let statuses = abstaining.into_iter();
        Self {
            abstaining: statuses
                .map(|status| normal_status(status.as_ref()))
                .collect(),
        }
    }

    /// Whether no answer is given: there is no text, or its status says so.
    pub fn is_abstention(&self, answer: &AnswerLine) -> bool {
        answer.answer.trim().is_empty() || self.abstaining.contains(&normal_status(&answer.status))
    }

    /// Counts one answer.
    pub fn judge(&self, question: &QaQuestion, answer: &AnswerLine) -> AnswerCounts {
        let mut counts = self.counts_of_any(answer);
        let is_answered = counts.abstained == 0;
        let is_grounded = counts.grounded > 0;
        if question.unanswerable {
            counts.right_abstentions = counts.abstained;
            counts.false_answers = usize::from(is_answered);
            counts.false_grounded = counts.grounded;
            return counts;
        }
        let gold: HashSet<String> = question.gold.iter().map(|id| normal_id(id)).collect();
        let is_gold_cited = answer
            .citations
            .iter()
            .any(|id| gold.contains(&normal_id(id)));
        let text = answer.answer.trim();
        let stated = question
            .facts
            .iter()
            .filter(|fact| fact.is_in(text))
            .count();
        let is_right = is_answered && stated == question.facts.len();
        counts.right = usize::from(is_right);
        counts.right_cited = usize::from(is_right && is_gold_cited);
        counts.grounded_right = usize::from(is_right && is_grounded);
        counts.part = usize::from(is_answered && !is_right && stated > 0);
        counts.wrong = usize::from(is_answered && stated == 0);
        counts.wrong_entry =
            usize::from(is_answered && !answer.citations.is_empty() && !is_gold_cited);
        counts.rank(&gold, &answer.top_ids);
        counts
    }

    /// What is counted of answerable and of unanswerable questions.
    fn counts_of_any(&self, answer: &AnswerLine) -> AnswerCounts {
        let status = normal_status(&answer.status);
        let is_abstention = self.is_abstention(answer);
        let chars = answer.answer.trim().chars().count();
        let named = match status.as_str() {
            "" => "none".to_owned(),
            name => name.to_owned(),
        };
        AnswerCounts {
            n: 1,
            abstained: usize::from(is_abstention),
            grounded: usize::from(!is_abstention && status == GROUNDED),
            partial: usize::from(!is_abstention && status == PARTIAL),
            answer_chars: if is_abstention { 0 } else { chars },
            statuses: BTreeMap::from([(named, 1)]),
            ..AnswerCounts::default()
        }
    }
}

impl AnswerCounts {
    /// Adds the counts of other questions.
    pub fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.right += other.right;
        self.right_cited += other.right_cited;
        self.grounded += other.grounded;
        self.grounded_right += other.grounded_right;
        self.partial += other.partial;
        self.part += other.part;
        self.wrong += other.wrong;
        self.wrong_entry += other.wrong_entry;
        self.abstained += other.abstained;
        self.right_abstentions += other.right_abstentions;
        self.false_answers += other.false_answers;
        self.false_grounded += other.false_grounded;
        self.gold_at_1 += other.gold_at_1;
        self.gold_at_3 += other.gold_at_3;
        self.gold_at_10 += other.gold_at_10;
        self.all_at_10 += other.all_at_10;
        self.answer_chars += other.answer_chars;
        for (status, number) in &other.statuses {
            *self.statuses.entry(status.clone()).or_default() += number;
        }
    }

    /// The mean length of the answers that were given, in characters; 0
    /// without answers.
    pub fn mean_chars(&self) -> f64 {
        let answers = self.n - self.abstained;
        self.answer_chars as f64 / answers.max(1) as f64
    }

    /// Counts where the gold entries are in the ranking.
    fn rank(&mut self, gold: &HashSet<String>, ranking: &[String]) {
        let mut seen = HashSet::new();
        let ids = ranking.iter().map(|id| normal_id(id));
        let ids = ids.filter(|id| seen.insert(id.clone()));
        let ranks: Vec<usize> = ids
            .enumerate()
            .filter(|(_, id)| gold.contains(id))
            .map(|(index, _)| index + 1)
            .collect();
        let first = |depth: usize| usize::from(ranks.first().is_some_and(|rank| *rank <= depth));
        self.gold_at_1 = first(1);
        self.gold_at_3 = first(3);
        self.gold_at_10 = first(10);
        let found = ranks.iter().filter(|rank| **rank <= 10).count();
        self.all_at_10 = usize::from(found == gold.len());
    }
}

/// Ids are compared without case, blanks and the marks of a citation.
fn normal_id(id: &str) -> String {
    let id = id.trim().trim_matches(['[', ']', '#']);
    id.trim().to_uppercase()
}

fn normal_status(status: &str) -> String {
    status.trim().to_lowercase()
}
