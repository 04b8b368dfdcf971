//! Feedback: what users say of answers and entries, and which entries they open
//! after a search. It is kept in the store where the configuration asks for it,
//! without who said it.

mod judged;
mod keeping;

pub(crate) use keeping::FeedbackRoom;

use gannet_api::Error;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters of a question at most.
const LONGEST_QUESTION: usize = 1_000;
/// Characters of the name of a mode at most.
const LONGEST_MODE: usize = 100;
/// Citations of an answer at most.
const MOST_CITATIONS: usize = 50;

/// What was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FeedbackVerdict")]
pub enum Verdict {
    /// It answers the question.
    Helpful,
    /// It does not answer the question.
    NotHelpful,
    /// The entry was opened from the results.
    Opened,
}

/// What it was said of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackSubject {
    /// An entry of the results.
    Entry {
        /// Its id.
        entry_id: String,
    },
    /// The answer.
    Answer {
        /// The entries that it cites.
        citations: Vec<String>,
        /// The probability of being right that it had, 0 to 1.
        confidence: Option<f64>,
        /// The mode that gave it, where that was said.
        #[serde(default)]
        mode: Option<String>,
    },
}

/// What a user said of an answer or an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feedback {
    /// The question.
    pub question: String,
    /// What it is said of.
    pub subject: FeedbackSubject,
    /// What was said.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
}

impl Feedback {
    /// Feedback that is given now.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a question or citations that are missing or
    /// too long, a mode that is too long, a confidence beyond 0 and 1, and an
    /// answer that was opened.
    pub fn new(question: &str, subject: FeedbackSubject, verdict: Verdict) -> Result<Self, Error> {
        let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
        if question.is_empty() {
            return Err(Error::invalid_input("feedback needs the `question`"));
        }
        if question.chars().count() > LONGEST_QUESTION {
            let message = format!("a `question` has at most {LONGEST_QUESTION} characters");
            return Err(Error::invalid_input(message));
        }
        if let FeedbackSubject::Answer {
            citations,
            confidence,
            mode,
        } = &subject
        {
            if verdict == Verdict::Opened {
                return Err(Error::invalid_input("`opened` needs an `entry_id`"));
            }
            if citations.len() > MOST_CITATIONS {
                let message = format!("an answer has at most {MOST_CITATIONS} `citations`");
                return Err(Error::invalid_input(message));
            }
            if confidence.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                return Err(Error::invalid_input("`answer_confidence` is from 0 to 1"));
            }
            let is_too_long = |mode: &String| mode.chars().count() > LONGEST_MODE;
            if mode.as_ref().is_some_and(is_too_long) {
                let message = format!("a `mode` has at most {LONGEST_MODE} characters");
                return Err(Error::invalid_input(message));
            }
        }
        Ok(Self {
            question,
            subject,
            verdict,
            at: Timestamp::now(),
        })
    }

    /// Whether it names any of these entries.
    pub(crate) fn names_any(&self, entry_ids: &[String]) -> bool {
        self.entry_ids().iter().any(|id| entry_ids.contains(id))
    }

    /// The entries that it names.
    pub fn entry_ids(&self) -> &[String] {
        match &self.subject {
            FeedbackSubject::Entry { entry_id } => std::slice::from_ref(entry_id),
            FeedbackSubject::Answer { citations, .. } => citations,
        }
    }
}
