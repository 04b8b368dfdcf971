//! An entry as a row, and back.

use std::collections::BTreeMap;

use gannet_api::{EnhancementStatus, Entry};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::error::{DatabaseContext, StoreError};

/// The columns that [`EntryRow::read`] wants, of a table `e`. The last is the
/// enhancement status as JSON: `[[module, status, at, attempts, error], …]`.
macro_rules! entry_columns {
    () => {
        "e.doc, e.tenant, e.entry_id, e.kind, e.source_system, e.timestamp, e.author, \
         e.raw_text, e.metadata, e.added, e.attachments, e.summary, e.keywords, e.seq, \
         e.created_seq, \
         (SELECT json_group_array(json_array(s.module, s.status, s.at, s.attempts, s.error)) \
          FROM enhancement_status s WHERE s.doc = e.doc) AS statuses"
    };
}
/// The same without the enhancement status.
macro_rules! bare_entry_columns {
    () => {
        "e.doc, e.tenant, e.entry_id, e.kind, e.source_system, e.timestamp, e.author, \
         e.raw_text, e.metadata, e.added, e.attachments, e.summary, e.keywords, e.seq, \
         e.created_seq, '[]' AS statuses"
    };
}
pub(super) use {bare_entry_columns, entry_columns};

/// An entry with what only the store knows of it.
#[derive(Debug, Clone)]
pub(crate) struct EntryRow {
    pub(crate) doc: i64,
    /// Its last change.
    pub(crate) seq: i64,
    /// Its first change.
    pub(crate) created_seq: i64,
    pub(crate) entry: Entry,
}

impl EntryRow {
    pub(super) fn read(row: &SqliteRow) -> Result<Self, StoreError> {
        let text = |index: usize| -> Result<String, StoreError> {
            row.try_get(index).doing("read an entry")
        };
        let number =
            |index: usize| -> Result<i64, StoreError> { row.try_get(index).doing("read an entry") };
        let entry_id = text(2)?;
        let mut metadata: Map<String, Value> = parse("metadata", &entry_id, &text(8)?)?;
        let added: Map<String, Value> = parse("metadata", &entry_id, &text(9)?)?;
        metadata.extend(added);
        Ok(Self {
            doc: number(0)?,
            seq: number(13)?,
            created_seq: number(14)?,
            entry: Entry {
                tenant: text(1)?,
                kind: text(3)?,
                source_system: text(4)?,
                timestamp: instant("timestamp", &entry_id, number(5)?)?,
                author: text(6)?,
                raw_text: text(7)?,
                attachments: parse("attachments", &entry_id, &text(10)?)?,
                metadata,
                summary: row.try_get(11).doing("read an entry")?,
                keywords: parse("keywords", &entry_id, &text(12)?)?,
                enhancement_status: statuses(&entry_id, &text(15)?)?,
                entry_id,
            },
        })
    }
}

pub(crate) fn parse<T: DeserializeOwned + Default>(
    what: &'static str,
    entry_id: &str,
    json: &str,
) -> Result<T, StoreError> {
    if json == "[]" || json == "{}" {
        return Ok(T::default());
    }
    serde_json::from_str(json).map_err(|error| StoreError::Damaged {
        what,
        entry_id: entry_id.to_owned(),
        reason: error.to_string(),
    })
}

pub(crate) fn instant(
    what: &'static str,
    entry_id: &str,
    micros: i64,
) -> Result<Timestamp, StoreError> {
    // In nanoseconds the last second of the calendar is whole.
    Timestamp::from_nanosecond(i128::from(micros) * 1_000).map_err(|error| StoreError::Damaged {
        what,
        entry_id: entry_id.to_owned(),
        reason: error.to_string(),
    })
}

type StatusRow = (String, String, i64, u32, Option<String>);

pub(crate) fn statuses(
    entry_id: &str,
    json: &str,
) -> Result<BTreeMap<String, EnhancementStatus>, StoreError> {
    let rows: Vec<StatusRow> = parse("enhancement status", entry_id, json)?;
    rows.into_iter()
        .map(|(module, status, at, attempts, error)| {
            let at = instant("enhancement status", entry_id, at)?;
            let status = match status.as_str() {
                "complete" => EnhancementStatus::Complete { completed_at: at },
                "failed" => EnhancementStatus::Failed {
                    failed_at: at,
                    error: error.unwrap_or_default(),
                    attempts,
                },
                _ => EnhancementStatus::Pending,
            };
            Ok((module, status))
        })
        .collect()
}

/// What tells whether an entry's content changed: 16 bytes of the SHA-256 of
/// everything that a source can say, with the keys of objects sorted, so that
/// a source that shuffles them changes nothing.
pub(crate) fn content_hash(entry: &Entry) -> Vec<u8> {
    let mut hash = Sha256::new();
    for part in [
        &entry.kind,
        &entry.source_system,
        &entry.author,
        &entry.raw_text,
    ] {
        feed(&mut hash, part.as_bytes());
    }
    hash.update(entry.timestamp.as_microsecond().to_le_bytes());
    feed(
        &mut hash,
        entry.summary.as_deref().unwrap_or_default().as_bytes(),
    );
    for keyword in &entry.keywords {
        feed(&mut hash, keyword.as_bytes());
    }
    hash.update([0xff]);
    for file in &entry.attachments {
        for part in [
            &file.url,
            &file.mime_type,
            &file.filename,
            &file.thumbnail_url,
            &file.caption,
        ] {
            feed(&mut hash, part.as_deref().unwrap_or_default().as_bytes());
        }
    }
    hash.update([0xff]);
    feed_object(&mut hash, &entry.metadata);
    hash.finalize()[..16].to_vec()
}

/// What tells whether an entry's text changed.
pub(crate) fn text_hash(text: &str) -> i64 {
    let hash = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash[..8]);
    i64::from_le_bytes(bytes)
}

/// Lengths go in too, so that no two lists of parts feed the same bytes.
fn feed(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn feed_object(hash: &mut Sha256, object: &Map<String, Value>) {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    hash.update((members.len() as u64).to_le_bytes());
    for (key, value) in members {
        feed(hash, key.as_bytes());
        feed_value(hash, value);
    }
}

fn feed_value(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Object(object) => {
            hash.update(b"{");
            feed_object(hash, object);
        }
        Value::Array(members) => {
            hash.update(b"[");
            hash.update((members.len() as u64).to_le_bytes());
            for member in members {
                feed_value(hash, member);
            }
        }
        scalar => {
            hash.update(b"=");
            feed(hash, scalar.to_string().as_bytes());
        }
    }
}
