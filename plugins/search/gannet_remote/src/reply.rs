//! What the other Gannet answers to a search.

use gannet_plugin::prelude::{Entry, Hit};
use gannet_plugin::search::{Highlight, Provenance, ScoreKind};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// An answer of `POST /api/search`.
#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    entries: Vec<Found>,
    #[serde(default)]
    pub(crate) degraded: bool,
    #[serde(default)]
    diagnostics: Vec<Note>,
}

/// A note of its result.
#[derive(Debug, Deserialize)]
struct Note {
    #[serde(default)]
    category: Option<String>,
}

/// An entry of it.
#[derive(Debug, Deserialize)]
struct Found {
    entry_id: String,
    source_system: String,
    timestamp: Timestamp,
    #[serde(default)]
    author: String,
    raw_text: String,
    #[serde(default)]
    metadata: Map<String, Value>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    kind: String,
    #[serde(default)]
    score: Option<f64>,
    #[serde(default)]
    score_kind: Option<ScoreKind>,
    #[serde(default)]
    fragments: Vec<Highlight>,
    #[serde(default)]
    provenance: Vec<Provenance>,
    #[serde(default)]
    entry_url: Option<String>,
}

impl Reply {
    /// Whether its result has a note of a category.
    pub(crate) fn has_note(&self, category: &str) -> bool {
        let mut notes = self.diagnostics.iter();
        notes.any(|note| note.category.as_deref() == Some(category))
    }

    /// The entries as hits of this instance, in their order.
    pub(crate) fn into_hits(self, instance: &str, prefix: &str) -> impl Iterator<Item = Hit> {
        let entries = self.entries.into_iter();
        entries.map(move |found| found.into_hit(instance, prefix))
    }
}

impl Found {
    fn into_hit(self, instance: &str, prefix: &str) -> Hit {
        let mut metadata = self.metadata;
        metadata.insert(
            "remote".to_owned(),
            json!({ "name": instance, "entry_id": self.entry_id, "url": self.entry_url }),
        );
        let id = format!("{prefix}{}", self.entry_id);
        let entry = Entry::new(id, self.source_system, self.timestamp, self.raw_text)
            .with_kind(self.kind)
            .with_author(self.author)
            .with_metadata(metadata)
            .with_summary(self.summary)
            .with_keywords(self.keywords);
        let (score, kind) = match (self.score, self.score_kind) {
            (Some(score), Some(kind)) => (score, kind),
            _ => (entry.timestamp.as_second() as f64, ScoreKind::None),
        };
        let explain = json!({ "remote": instance, "provenance": self.provenance });
        let provenance = self.provenance.into_iter().map(|mut found| {
            found.module = format!("{instance}/{}", found.module);
            found
        });
        Hit::of_entry(entry, score, kind)
            .with_highlights(self.fragments)
            .with_provenance(provenance.collect())
            .with_explain(explain)
    }
}
