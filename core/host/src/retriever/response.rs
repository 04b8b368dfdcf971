//! What the Retriever answers.

use gannet_api::{AnswerStatus, Diagnostic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{RetrieverMethod, RetrieverRequest};
use crate::{SearchHit, SearchResult};

/// Characters of a result's text at most.
const CONTENT_AT_MOST: usize = 5000;

/// What the Retriever answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrieverResponse {
    /// Best first.
    pub results: Vec<RetrieverResult>,
    /// The question, as it was searched.
    pub query: String,
    /// Which search modules were asked.
    pub method_used: RetrieverMethod,
    /// How many results there are, after threshold and limit.
    pub total_results: usize,
    /// An answer with `[n]` marks, n counted in `results`; none where nothing
    /// was found.
    pub synthesis: Option<String>,
    /// The source of each result, in order; empty when not wanted.
    pub citations: Vec<String>,
    /// Times, models, notes.
    pub metadata: RetrieverMetadata,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrieverResult {
    /// The text, cut at 5,000 characters.
    pub content: String,
    /// Which entry it is.
    pub source: String,
    /// The probability that it is about the query, 0 to 1. The score that made
    /// the order is `metadata.score`.
    pub relevance_score: f64,
    /// The place, from 1, without gaps.
    pub rank: usize,
    /// What the entry's source knows of it, with `timestamp`, `author`,
    /// `source_system`, `kind`, `score` and `score_kind`.
    pub metadata: Map<String, Value>,
}

/// How the answer came about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetrieverMetadata {
    /// Milliseconds from the question to the results, without the synthesis.
    pub search_duration_ms: f64,
    /// Milliseconds of the synthesis.
    pub synthesis_duration_ms: f64,
    /// The embedder.
    pub vector_model: String,
    /// The kind of the store: `embedded` or `postgresql`.
    pub database_used: String,
    /// Whether a reranker made the order.
    pub reranked: bool,
    /// Whether a part failed and the rest stands for the whole.
    pub degraded: bool,
    /// What went wrong, or was read in a particular way.
    #[schemars(with = "Vec<Value>")]
    pub diagnostics: Vec<Diagnostic>,
}

impl RetrieverResponse {
    pub(super) fn of(
        result: SearchResult,
        request: &RetrieverRequest,
        database_used: String,
        vector_model: String,
    ) -> Self {
        let details = result.pipeline_details.as_ref();
        let synthesis_duration_ms = details.map_or(0.0, milliseconds_of_answer);
        let method_used = details
            .and_then(|details| details.get("method_used"))
            .and_then(|method| RetrieverMethod::deserialize(method).ok());
        let ids: Vec<String> = result
            .entries
            .iter()
            .map(|hit| hit.entry.entry_id.clone())
            .collect();
        let is_answer = result.answer_status != Some(AnswerStatus::Insufficient);
        let answer = result.answer.filter(|_| is_answer && !ids.is_empty());
        let reranked = details.is_some_and(was_reranked);
        Self {
            query: result.query,
            method_used: method_used.unwrap_or(request.method),
            total_results: ids.len(),
            synthesis: answer.map(|answer| numbered(&answer, &ids)),
            results: result.entries.into_iter().map(of_hit).collect(),
            citations: match request.include_citations {
                true => ids,
                false => Vec::new(),
            },
            metadata: RetrieverMetadata {
                search_duration_ms: result.took_ms - synthesis_duration_ms,
                synthesis_duration_ms,
                vector_model,
                database_used,
                reranked,
                degraded: result.degraded,
                diagnostics: result.diagnostics,
            },
        }
    }
}

fn of_hit(hit: SearchHit) -> RetrieverResult {
    let entry = hit.entry;
    let own = [
        ("timestamp", Value::from(entry.timestamp.to_string())),
        ("author", entry.author.into()),
        ("source_system", entry.source_system.into()),
        ("kind", entry.kind.into()),
        ("score", hit.score.into()),
        ("score_kind", hit.score_kind.name().into()),
    ];
    let mut metadata = entry.metadata;
    metadata.extend(own.map(|(name, value)| (name.to_owned(), value)));
    RetrieverResult {
        content: entry.raw_text.chars().take(CONTENT_AT_MOST).collect(),
        source: entry.entry_id,
        relevance_score: hit.relevance.unwrap_or_default(),
        rank: hit.rank,
        metadata,
    }
}

/// `[#DEMO-7]` as `[3]`, where the entry is the third result.
fn numbered(answer: &str, ids: &[String]) -> String {
    let mut text = answer.to_owned();
    for (place, id) in (1..).zip(ids) {
        text = text.replace(&format!("[#{id}]"), &format!("[{place}]"));
    }
    text
}

/// What the stages that make the answer took.
fn milliseconds_of_answer(details: &Value) -> f64 {
    let of_answer = |stage: &&Value| matches!(stage["stage"].as_str(), Some("generate" | "answer"));
    let took = |stage: &Value| stage["took_ms"].as_f64();
    stages(details).filter(of_answer).filter_map(took).sum()
}

/// Whether a reranker made the order, also where no result was left after it.
fn was_reranked(details: &Value) -> bool {
    stages(details).any(|stage| stage["stage"] == "rerank" && stage["applied"] == true)
}

fn stages(details: &Value) -> impl Iterator<Item = &Value> {
    let stages = details.get("stages").and_then(Value::as_array);
    stages.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_order_is_a_rerankers_where_it_was_applied() {
        let of = |stage: Value| was_reranked(&json!({ "stages": [{ "stage": "fuse" }, stage] }));
        assert!(of(
            json!({ "stage": "rerank", "applied": true, "candidates": 3 })
        ));
        assert!(!of(
            json!({ "stage": "rerank", "applied": false, "skipped": "name" })
        ));
        assert!(!of(json!({ "stage": "threshold", "applied": true })));
        assert!(!was_reranked(&json!({})));
    }
}
