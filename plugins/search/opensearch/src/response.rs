//! What a server answers to a search.

use gannet_federation::Documents;
use gannet_plugin::prelude::{Diagnostic, Hit};
use gannet_plugin::search::ScoreKind;
use serde::Deserialize;
use serde_json::{Map, Value};

/// An answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    #[serde(default)]
    timed_out: bool,
    #[serde(default, rename = "_shards")]
    shards: Shards,
    pub(crate) hits: Hits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Shards {
    total: u64,
    failed: u64,
    failures: Vec<ShardFailure>,
}

#[derive(Debug, Deserialize)]
struct ShardFailure {
    #[serde(default)]
    reason: Cause,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cause {
    #[serde(rename = "type")]
    kind: String,
    reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Hits {
    pub(crate) hits: Vec<Document>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default, rename = "_score")]
    score: Option<f64>,
    #[serde(default, rename = "_source")]
    source: Map<String, Value>,
}

impl Response {
    /// What part of the index did not answer, in words.
    pub(crate) fn missing_part(&self) -> Option<String> {
        if self.shards.failed > 0 {
            let first = self.shards.failures.first().map(|failure| &failure.reason);
            let why = first.map_or_else(String::new, |cause| {
                let reason = cause.reason.as_deref().unwrap_or_default();
                format!(": {} {reason}", cause.kind).trim_end().to_owned()
            });
            let (failed, total) = (self.shards.failed, self.shards.total);
            return Some(format!("{failed} of {total} shards failed{why}"));
        }
        let late = "the server did not finish in its time";
        self.timed_out.then(|| late.to_owned())
    }

    /// The documents with a text, in the order of the server. Listed ones,
    /// which have no score, are scored by their time.
    pub(crate) fn into_hits(self, documents: &Documents, divisor: f64, by_time: bool) -> Vec<Hit> {
        let hits = self.hits.hits.into_iter().filter_map(|document| {
            let entry = documents.entry(&document.id, document.source)?;
            Some(match (by_time, document.score) {
                (false, Some(score)) => Hit::of_entry(entry, score / divisor, ScoreKind::Other),
                _ => {
                    let seconds = entry.timestamp.as_second() as f64;
                    Hit::of_entry(entry, seconds, ScoreKind::None)
                }
            })
        });
        hits.collect()
    }
}

/// The note about an answer that lacks a part.
pub(crate) fn partial(instance: &str, part: &str) -> Diagnostic {
    let message = format!("{instance} answered in part: {part}");
    Diagnostic::warning(instance, message).category("partial")
}
