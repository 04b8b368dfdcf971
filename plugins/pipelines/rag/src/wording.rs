//! Word: the entries' own sentences first; then a model's words, where there
//! is a model and something for it to read.

use std::ops::Range;

use gannet_plugin::pipeline::{AnswerStatus, Event};
use gannet_plugin::prelude::Error;
use gannet_stages::{AnswerBy, AnswerInput, ComposedAnswer, Worded, answer_from_entries};
use serde_json::json;

use crate::given::Given;
use crate::prompts::Prompt;
use crate::ranking::Findings;
use crate::report::Report;
use crate::run::Run;
use crate::search_text::SearchText;

/// The words of the answer, whoever found them.
pub(crate) struct Wording {
    pub(crate) text: String,
    pub(crate) status: AnswerStatus,
    pub(crate) confidence: Option<f64>,
    pub(crate) highlights: Vec<Range<usize>>,
    pub(crate) citations: Vec<String>,
    /// What it was made from.
    pub(crate) sources: Vec<String>,
    pub(crate) reason: String,
    pub(crate) degraded: bool,
}

impl Run<'_> {
    /// Words the answer.
    pub(crate) async fn word(
        &self,
        search: &SearchText,
        found: &Findings,
        given: &Given,
        report: &mut Report<'_>,
    ) -> Wording {
        let composed = self.compose(search, found).await;
        self.show_composed(&composed);
        report.done(
            "answer",
            json!({ "status": composed.status, "citations": composed.citations.len() }),
        );
        let Some(prompt) = self.prompt_for_a_model(given) else {
            return Wording::composed(composed, found, given);
        };
        let wording = match self.generate(prompt, &given.included).await {
            Ok(generated) => self.checked(generated, given),
            Err(error) => {
                self.fall_back(&composed, &error);
                Wording {
                    degraded: true,
                    ..Wording::composed(composed, found, given)
                }
            }
        };
        let numbers = json!({
            "status": wording.status,
            "citations": wording.citations.len(),
            "failed": wording.degraded,
        });
        report.done("generate", numbers);
        wording
    }

    /// The prompt, where a model is configured, wanted and has something to
    /// read.
    fn prompt_for_a_model<'g>(&self, given: &'g Given) -> Option<&'g Prompt> {
        match self.asks_a_model() && !given.included.is_empty() {
            true => given.prompt.as_ref(),
            false => None,
        }
    }

    /// Whether a chat model is configured and wanted.
    pub(crate) fn asks_a_model(&self) -> bool {
        self.settings.answer == AnswerBy::Model && self.setup.provider.is_some()
    }

    /// Notes what is amiss with a model's answer.
    fn checked(&self, generated: Worded, given: &Given) -> Wording {
        let Worded { cited, is_cut } = generated;
        let notes = cited.notes(&self.source("cite"), "that were not in the context");
        self.context.diagnostics.extend(notes);
        if is_cut {
            let message =
                "the answer of the model reached its limit and may be incomplete".to_owned();
            self.warn("generate", message, "truncated");
        }
        Wording {
            text: cited.text.trim().to_owned(),
            status: cited.status(),
            confidence: None,
            highlights: Vec::new(),
            citations: cited.citations,
            sources: given.included.clone(),
            reason: "phrased by a chat model".to_owned(),
            degraded: false,
        }
    }

    fn fall_back(&self, composed: &ComposedAnswer, error: &Error) {
        let message = format!("fell back to quoted sentences: {error}");
        self.warn("generate", message, error.category());
        // Some of the model's words may have been shown already.
        self.show_composed(composed);
    }

    fn show_composed(&self, composed: &ComposedAnswer) {
        self.context.emit(Event::Answer {
            text: composed.text.clone(),
        });
    }

    /// The entries' own sentences, of all that was found: how much a model
    /// reads does not limit them.
    async fn compose(&self, search: &SearchText, found: &Findings) -> ComposedAnswer {
        let scores: Vec<f64> = found.hits.iter().map(|hit| hit.score).collect();
        let input = AnswerInput {
            plan: &search.plan,
            entries: &found.entries,
            scores: &scores,
            matches: found.matches,
            style: self.settings.citation_style,
            timezone: &self.setup.timezone,
            reader: Some(&self.settings.reader),
            grounded_probability: self.settings.grounded_probability,
        };
        answer_from_entries(input, self.context).await
    }
}

impl Wording {
    /// The entries' own sentences. Their sources are the entries within the
    /// budget and all that are cited.
    fn composed(composed: ComposedAnswer, found: &Findings, given: &Given) -> Self {
        let ids = found.entries.iter().map(|entry| &entry.entry_id);
        let counts = |id: &&String| given.included.contains(id) || composed.citations.contains(id);
        Self {
            sources: ids.filter(counts).cloned().collect(),
            text: composed.text,
            status: composed.status,
            confidence: composed.confidence,
            highlights: composed.highlights,
            citations: composed.citations,
            reason: composed.reason,
            degraded: composed.is_unread,
        }
    }
}
