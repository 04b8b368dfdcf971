//! What is stored under ids that come again.

use std::collections::HashMap;

use futures::TryStreamExt;
use gannet_api::Attachment;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::json_list;
use super::row_checksum::{EntryColumns, checked_columns};
use crate::error::{SqliteContext, StoreError};
use crate::incoming::Incoming;
use crate::stored::parse;

/// An entry as it was before.
pub(super) struct Stored {
    pub(super) doc: i64,
    pub(super) source_system: String,
    pub(super) content_hash: Vec<u8>,
    pub(super) text_hash: i64,
    pub(super) attachments: Vec<Attachment>,
    pub(super) summary: Option<String>,
    pub(super) keywords: Vec<String>,
    /// What enhancers said, as JSON.
    pub(super) added: String,
}

/// What there is under an id.
pub(super) enum Before {
    Entry(Stored),
    /// A row that is not as it was written: nothing of it counts.
    Damaged {
        doc: i64,
    },
}

/// By tenant and id.
type StoredByTenant = HashMap<String, HashMap<String, Before>>;

/// What is stored under the ids of incoming entries.
pub(super) async fn look_up(
    connection: &mut SqliteConnection,
    chunk: &[Incoming],
) -> Result<StoredByTenant, StoreError> {
    let mut wanted: HashMap<&str, Vec<&str>> = HashMap::new();
    for item in chunk {
        let ids = wanted.entry(item.entry.tenant.as_str()).or_default();
        ids.push(item.entry.entry_id.as_str());
    }
    let mut stored = StoredByTenant::new();
    for (tenant, ids) in wanted {
        let found = stored.entry(tenant.to_owned()).or_default();
        let mut rows = sqlx::query(concat!(
            "SELECT ",
            checked_columns!(),
            ", e.checksum, e.doc, e.content_hash, e.text_hash FROM json_each(?2) j \
             CROSS JOIN entries e ON e.tenant = ?1 AND e.entry_id = j.value"
        ))
        .bind(tenant)
        .bind(json_list(&ids))
        .fetch(&mut *connection);
        while let Some(row) = rows.try_next().await.doing("look entries up")? {
            let columns = EntryColumns::read(&row, 0)?;
            found.insert(columns.entry_id.to_owned(), before(&row, &columns)?);
        }
    }
    Ok(stored)
}

fn before(row: &SqliteRow, columns: &EntryColumns<'_>) -> Result<Before, StoreError> {
    let doc = row.try_get(13).doing("look entries up")?;
    let checksum = row.try_get(12).doing("look entries up")?;
    if let Err(error) = columns.check(checksum) {
        tracing::warn!(%error, "the entry is written again");
        return Ok(Before::Damaged { doc });
    }
    Ok(Before::Entry(Stored {
        doc,
        source_system: columns.source_system.to_owned(),
        content_hash: row.try_get(14).doing("look entries up")?,
        text_hash: row.try_get(15).doing("look entries up")?,
        attachments: parse("attachments", columns.entry_id, columns.attachments)?,
        summary: columns.summary.map(str::to_owned),
        keywords: parse("keywords", columns.entry_id, columns.keywords)?,
        added: columns.added.to_owned(),
    }))
}
