//! The text of the answer: a model's, or quoted sentences.

use std::ops::Range;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::Context;
use gannet_stages::{
    AnswerInput, CitationStyle, Cited, ComposedAnswer, GROUNDED_PROBABILITY, answer_from_entries,
};

use crate::findings::Findings;

/// Entries that the sentences of an answer are looked for in.
const ENTRIES_READ: usize = 50;

/// The text of the answer with its citations.
pub(crate) struct GeneratedAnswer {
    pub(crate) text: String,
    pub(crate) status: AnswerStatus,
    pub(crate) confidence: Option<f64>,
    pub(crate) highlights: Vec<Range<usize>>,
    pub(crate) citations: Vec<String>,
    pub(crate) reason: String,
    /// Whether no reader looked for an answer in the entries.
    pub(crate) is_unread: bool,
}

impl GeneratedAnswer {
    /// Quoted sentences of the first `limit` entries: what is cited is
    /// in the result.
    pub(crate) async fn of_entries(
        plan: &QueryPlan,
        findings: &Findings,
        limit: usize,
        timezone: &str,
        context: &Context,
    ) -> Self {
        let input = AnswerInput {
            plan,
            entries: &findings.entries(limit.min(ENTRIES_READ)),
            scores: &findings.scores(limit.min(ENTRIES_READ)),
            matches: None,
            style: CitationStyle::EntryId,
            timezone,
            reader: None,
            grounded_probability: GROUNDED_PROBABILITY,
        };
        let ComposedAnswer {
            text,
            status,
            confidence,
            reason,
            citations,
            highlights,
            is_unread,
            ..
        } = answer_from_entries(input, context).await;
        Self {
            text,
            status,
            confidence,
            highlights,
            citations,
            reason,
            is_unread,
        }
    }
}

impl From<Cited> for GeneratedAnswer {
    /// A model's text.
    fn from(cited: Cited) -> Self {
        Self {
            text: cited.text.trim().to_owned(),
            status: cited.status(),
            confidence: None,
            highlights: Vec::new(),
            citations: cited.citations,
            reason: "phrased by a chat model".to_owned(),
            is_unread: false,
        }
    }
}
