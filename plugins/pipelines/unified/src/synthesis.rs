//! Synthesis: a chat model's answer after the deterministic one, checked
//! against what it was given.

use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{Diagnostic, Entry, Result};
use gannet_plugin::provider::ChatRequest;
use gannet_stages::{
    AnswerBy, AssembleSettings, CitationCheck, Cited, Worded, assemble, fence, fence_mark,
    word_with_model,
};
use serde::Serialize;

use crate::cards::{Action, actions};
use crate::context_answer::ContextAnswer;
use crate::grounding::{Grounding, citable, grounding};
use crate::grouping::Cluster;
use crate::prompts::messages;
use crate::ranking::Ranked;
use crate::run::Run;

/// Suggested actions, at most.
const ACTIONS_AT_MOST: usize = 3;

/// Who answered in the end, and how well it is supported.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Synthesis {
    /// `model` or `entries`.
    pub(crate) by: &'static str,
    /// Why the entries' own sentences stand, where a model was to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    #[serde(flatten)]
    pub(crate) grounding: Grounding,
    pub(crate) actions: Vec<Action>,
}

/// An answer of a model, with what it rests on.
pub(crate) struct Synthesised {
    /// Its words; nothing where the deterministic answer stands.
    pub(crate) cited: Option<Cited>,
    pub(crate) synthesis: Synthesis,
    pub(crate) degraded: bool,
}

impl Run<'_> {
    /// Lets a chat model phrase the answer, where that is configured or asked
    /// for. Without a model, when there is nothing to read and when the model
    /// fails, the deterministic answer stands.
    pub(crate) async fn synthesise(
        &self,
        answer: &ContextAnswer,
        ranked: &Ranked,
        clusters: &[Cluster],
    ) -> Synthesised {
        let entries = self.answering_entries(ranked);
        let (style, zone) = (self.settings.citation_style, &self.setup.timezone);
        let given = citable(&entries, style, zone);
        let stands = |reason| Synthesised {
            cited: None,
            synthesis: Synthesis {
                by: "entries",
                reason,
                grounding: grounding(&answer.summary, &given),
                actions: suggested(ranked, clusters),
            },
            degraded: false,
        };
        if self.settings.answer != AnswerBy::Model {
            return stands(None);
        }
        if answer.set.is_some() {
            return stands(Some("the store counted the entries"));
        }
        if self.setup.provider.is_none() {
            return stands(Some("no chat model is configured"));
        }
        if entries.is_empty() {
            return stands(Some("there is nothing to read"));
        }
        match self.generate(&entries).await {
            Ok(cited) => Synthesised {
                synthesis: Synthesis {
                    by: "model",
                    reason: None,
                    grounding: grounding(&cited.text, &given),
                    actions: suggested(ranked, clusters),
                },
                cited: Some(cited),
                degraded: false,
            },
            Err(error) => {
                let message = format!("fell back to quoted sentences: {error}");
                let note = Diagnostic::warning(self.source("synthesis"), message);
                self.context.diagnose(note.category(error.category()));
                // Some of the model's words may have been shown already.
                self.context.emit(Event::Answer {
                    text: answer.summary.clone(),
                });
                Synthesised {
                    degraded: true,
                    ..stands(Some("the chat model failed"))
                }
            }
        }
    }

    /// Asks the model and streams its words, the marks checked as they come.
    ///
    /// # Errors
    /// What the provider fails with; [`Error::Timeout`]; [`Error::Provider`]
    /// for an empty answer.
    async fn generate(&self, entries: &[Entry]) -> Result<Cited> {
        let assembly = AssembleSettings {
            max_total: self.settings.max_context_chars,
            ..AssembleSettings::default()
        };
        let assembled = assemble(entries, &assembly, &self.setup.timezone);
        let question = &self.request.query;
        let mark = fence_mark(&[&assembled.text, question]);
        let context_text = fence(&assembled.text, &mark);
        let style = self.settings.citation_style;
        let messages = messages(self.setup, style, &mark, (&context_text, question));
        let chat = ChatRequest::new(messages)
            .with_provider(self.setup.provider.clone())
            .with_model(self.setup.model.clone())
            .with_temperature(self.settings.temperature)
            .with_max_tokens(self.settings.max_tokens);
        let check = CitationCheck::new(assembled.included, style);
        let Worded { cited, is_cut } = word_with_model(chat, check, self.context).await?;
        if is_cut {
            self.note_cut();
        }
        let notes = cited.notes(&self.source("cite"), "that were not in the context");
        self.context.diagnostics.extend(notes);
        Ok(cited)
    }

    fn note_cut(&self) {
        let message = "the answer of the model reached its limit and may be incomplete";
        let note = Diagnostic::warning(self.source("synthesis"), message);
        self.context.diagnose(note.category("truncated"));
    }
}

/// What can be done next, of the best cards.
fn suggested(ranked: &Ranked, clusters: &[Cluster]) -> Vec<Action> {
    let of_cards = clusters.iter().filter_map(|cluster| {
        let first = ranked.hits.get(*cluster.places.first()?)?;
        Some(actions(cluster, first, ranked))
    });
    of_cards.flatten().take(ACTIONS_AT_MOST).collect()
}
