//! Rows between one database and another, with everything that is stored.

use gannet_api::PassageEmbedding;
use sha2::{Digest, Sha256};

/// An entry with all that belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct BackupRow {
    pub(crate) entry: BackupEntry,
    pub(crate) statuses: Vec<BackupStatus>,
    /// Its passages by each model, in the order of the list of models.
    pub(crate) passages: Vec<Vec<PassageEmbedding>>,
}

/// The columns of an entry. JSON is text, times are microseconds since 1970.
#[derive(Debug, Clone)]
pub(crate) struct BackupEntry {
    /// Its number in the database that is read.
    pub(crate) doc: i64,
    pub(crate) tenant: String,
    pub(crate) entry_id: String,
    pub(crate) kind: String,
    pub(crate) source_system: String,
    pub(crate) timestamp: i64,
    pub(crate) author: String,
    pub(crate) raw_text: String,
    /// What the source says: an object.
    pub(crate) metadata: String,
    /// What enhancers added: an object.
    pub(crate) added: String,
    /// A list.
    pub(crate) attachments: String,
    pub(crate) summary: Option<String>,
    /// A list.
    pub(crate) keywords: String,
    pub(crate) content_hash: Vec<u8>,
    pub(crate) text_hash: i64,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

impl BackupEntry {
    /// Part of [`RecordCounts::fingerprint`](super::RecordCounts::fingerprint).
    pub(crate) fn fingerprint(&self) -> u64 {
        fingerprint(
            &self.tenant,
            &self.entry_id,
            &self.content_hash,
            self.text_hash,
        )
    }
}

/// The hash of one entry.
pub(crate) fn fingerprint(tenant: &str, entry_id: &str, content: &[u8], text: i64) -> u64 {
    let mut hash = Sha256::new();
    for part in [tenant.as_bytes(), entry_id.as_bytes(), content] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update(text.to_le_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_le_bytes(first)
}

/// How far a module got with an entry.
#[derive(Debug, Clone)]
pub(crate) struct BackupStatus {
    pub(crate) module: String,
    pub(crate) status: String,
    pub(crate) at: i64,
    pub(crate) attempts: i64,
    pub(crate) error: Option<String>,
    pub(crate) retry_at: i64,
}
