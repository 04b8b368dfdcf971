//! What became of entries that were written.

use gannet_api::Entry;
use serde::{Deserialize, Serialize};

/// What became of the entries of one `upsert`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpsertReport {
    /// Entries that were not there before.
    pub added: u64,
    /// Entries that were there with other content.
    pub updated: u64,
    /// Entries that were there with the same content; nothing was written.
    pub unchanged: u64,
    /// Those of the changed ones that were of another source system.
    pub of_other_source: u64,
    /// One of these.
    pub other_source: Option<ReplacedSource>,
}

/// An entry of another source system that was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacedSource {
    /// The entry.
    pub entry_id: String,
    /// The source system that it had before.
    pub source_system: String,
}

impl UpsertReport {
    /// Adds what became of further entries.
    pub fn add(&mut self, other: Self) {
        self.added += other.added;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.of_other_source += other.of_other_source;
        self.other_source = self.other_source.take().or(other.other_source);
    }

    /// Notes that an entry is changed which had this source system.
    pub(crate) fn note_source(&mut self, entry: &Entry, before: &str) {
        if entry.source_system == before {
            return;
        }
        self.of_other_source += 1;
        self.other_source.get_or_insert_with(|| ReplacedSource {
            entry_id: entry.entry_id.clone(),
            source_system: before.to_owned(),
        });
    }
}
