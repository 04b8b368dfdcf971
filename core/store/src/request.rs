//! What a store is asked, and what it reports.

use std::collections::BTreeMap;

use gannet_api::{Diagnostic, Entry, Filter, FilterField, Hit};
use gannet_index::MatchRequest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::content::text_hash;
use crate::error::StoreError;
use gannet_analysis::Highlighter;

/// The category of a diagnostic that says that more than the newest entries are
/// missing from an index, so that the result is a partial one.
pub const INCOMPLETE_INDEX: &str = "incomplete_index";

/// A wish for a page of entries in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRequest {
    /// What an entry must be to be listed.
    pub filter: Filter,
    /// Maximum number of entries.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    /// Newest first, or oldest first.
    pub newest_first: bool,
}

impl ListRequest {
    /// The first page of everything, newest first.
    pub fn newest(limit: usize) -> Self {
        Self {
            filter: Filter::none(),
            limit,
            after: None,
            newest_first: true,
        }
    }
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The entries in order.
    pub entries: Vec<Entry>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Cursor>,
}

/// A place in a list, as a text that means nothing to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

/// What a search of the text index found.
#[derive(Debug, Clone, Default)]
pub struct TextFound {
    /// The hits in order, without highlights.
    pub hits: Vec<Hit>,
    /// Notes for the result.
    pub diagnostics: Vec<Diagnostic>,
    /// Makes the highlights of the hits that are shown.
    pub highlighter: Highlighter,
}

/// A search of the vector index.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorRequest {
    /// Whose vectors are searched.
    pub model: String,
    /// The question's vector, of the model's dimension.
    pub vector: Vec<f32>,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// Maximum number of entries.
    pub limit: usize,
    /// The least cosine similarity.
    pub min_similarity: Option<f32>,
}

/// The entry that a module worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkedOn {
    /// Its tenant.
    pub tenant: String,
    text_hash: Option<i64>,
}

impl WorkedOn {
    /// An entry as it was read. When its text has changed by the time the
    /// work is kept, the work is not, and the entry stays to be done.
    pub fn entry(entry: &Entry) -> Self {
        Self {
            tenant: entry.tenant.clone(),
            text_hash: Some(text_hash(&entry.raw_text)),
        }
    }

    pub(crate) fn is_outdated(&self, stored: i64) -> bool {
        self.text_hash.is_some_and(|own| own != stored)
    }
}

/// Of a tenant, whatever the text was.
impl From<&str> for WorkedOn {
    fn from(tenant: &str) -> Self {
        Self {
            tenant: tenant.to_owned(),
            text_hash: None,
        }
    }
}

/// How many entries a module has done, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusCounts {
    /// Done.
    pub complete: u64,
    /// Tried and failed.
    pub failed: u64,
    /// Not tried since the text last changed.
    pub pending: u64,
}

/// How an ingestion run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Still going, or cut off.
    Running,
    /// Everything was read.
    Success,
    /// The source or the store failed.
    Failed,
    /// Somebody stopped it.
    Stopped,
}

impl RunStatus {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }

    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "success" => Self::Success,
            "failed" => Self::Failed,
            "stopped" => Self::Stopped,
            _ => Self::Running,
        }
    }
}

/// The end of an ingestion run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutcome {
    /// How it ended.
    pub status: RunStatus,
    /// Entries that were new.
    pub added: u64,
    /// Entries that had changed.
    pub updated: u64,
    /// Entries that were there already.
    pub unchanged: u64,
    /// Records that could not become entries.
    pub rejected: u64,
    /// Entries that the source said are gone, and that were there.
    #[serde(default)]
    pub deleted: u64,
    /// Why it failed.
    pub error: Option<String>,
    /// The greatest timestamp that was seen at the source.
    pub latest_timestamp: Option<Timestamp>,
}

impl RunOutcome {
    /// Of a run that failed before it read anything.
    pub fn failed(error: String) -> Self {
        Self {
            error: Some(error),
            ..Self::nothing_read(RunStatus::Failed)
        }
    }

    /// Of a run that was stopped before it read anything.
    pub fn stopped() -> Self {
        Self::nothing_read(RunStatus::Stopped)
    }

    fn nothing_read(status: RunStatus) -> Self {
        Self {
            status,
            added: 0,
            updated: 0,
            unchanged: 0,
            rejected: 0,
            deleted: 0,
            error: None,
            latest_timestamp: None,
        }
    }
}

/// An ingestion run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IngestionRun {
    /// Its number.
    pub run: i64,
    /// Where the entries came from.
    pub source_system: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; `None` while it runs, or when it was cut off.
    pub finished_at: Option<Timestamp>,
    /// What came of it; counts are 0 while it runs.
    pub outcome: RunOutcome,
}

/// Where something that is remembered for a plugin stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StateKey {
    /// For whom: an instance of a plugin, or a part of the host.
    pub owner: String,
    /// For whose entries.
    pub tenant: String,
    /// What it is, among what the owner keeps.
    pub key: String,
}

/// How many entries have vectors of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorCoverage {
    /// Entries of the tenant.
    pub entries: u64,
    /// Those with a text and without a vector of the model.
    pub missing: u64,
}

/// Which indexes are made again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RebuildScope {
    /// The text index and the vectors.
    #[default]
    All,
    /// The text index.
    Text,
    /// The vectors of every model.
    Vectors,
}

/// The state of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreStats {
    /// Entries of all tenants.
    pub entries: u64,
    /// Passages with a vector, by model.
    pub vectors: BTreeMap<String, u64>,
    /// Passages with token vectors, by model.
    #[serde(default)]
    pub token_vectors: BTreeMap<String, u64>,
    /// The number of the last change.
    pub sequence: i64,
    /// The last change that can be found in the text index.
    pub text_sequence: i64,
    /// The last change that can be found in the vector indexes, by model.
    pub vector_sequences: BTreeMap<String, i64>,
    /// Models whose vectors cannot be searched, or do not follow the records,
    /// with the reason.
    #[serde(default)]
    pub vector_failures: BTreeMap<String, String>,
    /// Bytes of the database, with its log.
    pub record_bytes: u64,
    /// Bytes of the text index.
    pub text_bytes: u64,
    /// Bytes of the vector indexes.
    pub vector_bytes: u64,
    /// Whether this process writes the indexes.
    pub writer: bool,
    /// Why the text index cannot follow the records, when it cannot.
    #[serde(default)]
    pub text_trouble: Option<String>,
    /// Why the store is only read, when it is.
    #[serde(default)]
    pub read_only: Option<String>,
}

impl StoreStats {
    /// Changes of the records that an index which has taken over those up to
    /// this one lacks.
    pub fn lag(&self, applied: i64) -> i64 {
        (self.sequence - applied).max(0)
    }
}

/// What the matches of a query are counted by must have values to count.
pub(crate) fn check_facets(request: &MatchRequest) -> Result<(), StoreError> {
    if request.facets.contains(&FilterField::Timestamp) {
        return Err(StoreError::InvalidRequest {
            message: "timestamps cannot be a facet; use a time range as filter".to_owned(),
        });
    }
    Ok(())
}
