//! An entry as a row, and back.

use gannet_api::Entry;
use serde_json::{Map, Value};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::error::{SqliteContext, StoreError};
use crate::stored::{instant, parse, statuses};

/// The columns that [`EntryRow::read`] wants, of a table `e`. The last is the
/// enhancement status as JSON: `[[module, status, at, attempts, error], …]`.
macro_rules! entry_columns {
    () => {
        "e.doc, e.tenant, e.entry_id, e.kind, e.source_system, e.timestamp, e.author, \
         e.raw_text, e.metadata, e.added, e.attachments, e.summary, e.keywords, e.seq, \
         e.created_seq, e.created_at, e.updated_at, \
         (SELECT json_group_array(json_array(s.module, s.status, s.at, s.attempts, s.error)) \
          FROM enhancement_status s WHERE s.doc = e.doc) AS statuses"
    };
}
/// The same without the enhancement status.
macro_rules! bare_entry_columns {
    () => {
        "e.doc, e.tenant, e.entry_id, e.kind, e.source_system, e.timestamp, e.author, \
         e.raw_text, e.metadata, e.added, e.attachments, e.summary, e.keywords, e.seq, \
         e.created_seq, e.created_at, e.updated_at, '[]' AS statuses"
    };
}
pub(super) use {bare_entry_columns, entry_columns};

/// An entry with what only the store knows of it.
#[derive(Debug, Clone)]
pub(crate) struct EntryRow {
    pub(crate) doc: i64,
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
                enhancement_status: statuses(&entry_id, &text(17)?)?,
                created_at: Some(instant("created_at", &entry_id, number(15)?)?),
                updated_at: Some(instant("updated_at", &entry_id, number(16)?)?),
                entry_id,
            },
        })
    }
}
