//! The text of the answer: a model's, or quoted sentences.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::QueryPlan;
use gannet_stages::{
    AnswerInput, CitationStyle, Cited, ComposedAnswer, GROUNDED_SHARE, compose_answer,
};

use crate::findings::Findings;

/// Entries that the sentences of an answer are looked for in.
const ENTRIES_READ: usize = 50;

/// The text of the answer with its citations.
pub(crate) struct GeneratedAnswer {
    pub(crate) text: String,
    pub(crate) status: AnswerStatus,
    pub(crate) citations: Vec<String>,
    pub(crate) reason: String,
}

impl GeneratedAnswer {
    /// Quoted sentences of the first `limit` entries: what is cited is
    /// in the result.
    pub(crate) fn of_entries(
        plan: &QueryPlan,
        findings: &Findings,
        limit: usize,
        timezone: &str,
    ) -> Self {
        let composed = compose_answer(AnswerInput {
            plan,
            entries: &findings.entries(limit.min(ENTRIES_READ)),
            matches: None,
            style: CitationStyle::EntryId,
            timezone,
            grounded_share: GROUNDED_SHARE,
        });
        let ComposedAnswer {
            text,
            status,
            reason,
            citations,
            ..
        } = composed;
        Self {
            text,
            status,
            citations,
            reason,
        }
    }
}

impl From<Cited> for GeneratedAnswer {
    /// A model's text.
    fn from(cited: Cited) -> Self {
        Self {
            text: cited.text.trim().to_owned(),
            status: cited.status(),
            citations: cited.citations,
            reason: "phrased by a chat model".to_owned(),
        }
    }
}
