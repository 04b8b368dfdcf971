//! What a question over every domain is answered with.

use gannet_core::SearchResult;
use gannet_core::api::Diagnostic;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::ariel::{EntryReply, Presenter};
use crate::state::App;
use crate::text_range::TextRange;

/// The answer of unified search. Parts that a later version adds are optional.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnifiedResult")]
pub(super) struct QueryReply {
    /// The question, as it was searched.
    pub q: String,
    /// What was decided before the search: intent, entities, scope, weights of
    /// domains, each with its reason.
    pub plan: Value,
    /// Hits grouped by entity, best first.
    pub cards: Vec<Value>,
    /// Hits from outside of the scope, and why they are or are not offered;
    /// missing without a scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<Value>,
    /// What each domain had to say.
    pub coverage: Value,
    /// Whether the question is answered, by what, and what to ask next.
    pub context_answer: Value,
    /// The probability that the answer's `summary` is right, 0 to 1, where it
    /// is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_confidence: Option<f64>,
    /// The words of the answer's `summary` that answer the question, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub answer_highlights: Vec<TextRange>,
    /// The entries, best first.
    pub entries: Vec<EntryReply>,
    /// Why each entry is where it is, in the same order.
    pub hits: Vec<Value>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionReply>,
    /// What went wrong, or was read in a particular way.
    #[schemars(with = "Vec<Value>")]
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a part failed, so that the result is partial.
    pub degraded: bool,
    /// The same for every run of the same search on the same index.
    pub stability_hash: String,
    /// Milliseconds of the search.
    pub took_ms: f64,
}

/// What is remembered of a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnifiedSession")]
pub(super) struct SessionReply {
    /// Its id.
    pub id: String,
    /// The entities that the next question may be about, the newest first.
    pub entities: Vec<String>,
    /// Seconds without a question after which it is forgotten.
    pub expires_in_seconds: u64,
}

impl QueryReply {
    /// The reply of a result, and what else the pipeline gave.
    pub fn new(
        app: &App,
        result: SearchResult,
        session: Option<SessionReply>,
    ) -> (Self, Map<String, Value>) {
        let presenter = Presenter::new(&app.gannet);
        let mut extensions = result.extensions;
        let mut details = result.pipeline_details.unwrap_or_default();
        let hits = result.entries.iter().map(|hit| {
            let mut shown = json!({
                "entryId": hit.entry.entry_id,
                "rank": hit.rank,
                "score": hit.score,
            });
            if let (Some(Value::Object(explain)), Some(shown)) =
                (hit.explain.clone(), shown.as_object_mut())
            {
                shown.extend(explain);
            }
            shown
        });
        let hits = hits.collect();
        let entries = result.entries.into_iter().map(|hit| presenter.hit(hit));
        let cards = match extensions.remove("cards") {
            Some(Value::Array(cards)) => cards,
            _ => Vec::new(),
        };
        let context_answer = extensions.remove("contextAnswer").unwrap_or_default();
        // A model's words are beside the summary, in `synthesis`.
        let is_summary = context_answer["summary"].as_str() == result.answer.as_deref();
        let highlights = match is_summary {
            true => result.answer_highlights,
            false => Vec::new(),
        };
        let reply = Self {
            q: result.query,
            plan: details.get_mut("plan").map(Value::take).unwrap_or_default(),
            cards,
            overflow: extensions.remove("overflow"),
            coverage: extensions.remove("coverage").unwrap_or_default(),
            context_answer,
            answer_confidence: result.answer_confidence.filter(|_| is_summary),
            answer_highlights: TextRange::of(highlights),
            entries: entries.collect(),
            hits,
            session,
            diagnostics: result.diagnostics,
            degraded: result.degraded,
            stability_hash: result.stability_hash,
            took_ms: result.took_ms,
        };
        (reply, extensions)
    }

    /// Status and code of the answer.
    pub fn status(&self) -> (Option<&str>, Option<&str>) {
        let part = |name: &str| self.context_answer.get(name).and_then(Value::as_str);
        (part("status"), part("code"))
    }
}
