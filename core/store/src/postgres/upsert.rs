//! Writing and deleting entries.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use gannet_api::{Attachment, Entry};
use serde_json::{Map, Value};
use sqlx::{PgConnection, Row};

use super::adopt::{adopt_docs, number_deletions};
use super::clean::{clean, holds_nul};
use super::connect::{begin_bulk, begin_write, end_bulk};
use super::derived::{Words, write_words};
use super::retry::again;
use super::vectors::drop_vectors;
use super::write::Columns;
use super::{PostgresStore, reserve};
use crate::error::{DatabaseContext, StoreError};
use crate::incoming::{Incoming, prepare};
use crate::stored::parse;
use crate::upsert_report::UpsertReport;

/// Rows a statement.
const ROWS: usize = 500;
/// From so many on the indexes are written in bulk.
const BULK: usize = 100;

struct Stored {
    doc: i64,
    source_system: String,
    /// Whether ARIEL wrote the row since it was adopted: then the hashes are
    /// those of what it was before.
    waits: bool,
    content_hash: Option<Vec<u8>>,
    text_hash: Option<i64>,
    added: Map<String, Value>,
    summary: Option<String>,
    keywords: Vec<String>,
    attachments: Vec<Attachment>,
}

/// What a chunk becomes in the database.
#[derive(Default)]
struct Plan {
    report: UpsertReport,
    columns: Columns,
    rows: usize,
    with_new_text: Vec<i64>,
}

/// What was written so far.
#[derive(Default)]
struct Written {
    report: UpsertReport,
    words: Words,
}

impl Written {
    async fn put(&mut self, connection: &mut PgConnection, plan: Plan) -> Result<(), StoreError> {
        self.report.add(plan.report);
        if plan.rows == 0 {
            return Ok(());
        }
        let first = reserve(connection, plan.rows).await?;
        self.words
            .extend(plan.columns.write(connection, first).await?);
        forget_enhancement(connection, &plan.with_new_text).await
    }
}

impl PostgresStore {
    /// Writes entries in one transaction; it is committed when this returns.
    /// Of two entries with one id, the later one counts. An entry with the
    /// same content as before is left alone; one with a new text loses its
    /// vectors and is enhanced anew.
    pub async fn upsert(&self, entries: Vec<Entry>) -> Result<UpsertReport, StoreError> {
        let clean: Result<Vec<Entry>, StoreError> = entries.into_iter().map(clean).collect();
        let incoming: Arc<[Incoming]> = prepare(clean?)?.into();
        if incoming.is_empty() {
            return Ok(UpsertReport::default());
        }
        let report = again!({ self.write(&incoming).await })?;
        self.count_when_due(report.added);
        Ok(report)
    }

    /// While the server writes some entries, the next ones are worked out.
    async fn write(&self, incoming: &Arc<[Incoming]>) -> Result<UpsertReport, StoreError> {
        let mut written = Written::default();
        let mut transaction = begin_write(&self.pool).await?;
        let in_bulk = incoming.len() >= BULK;
        if in_bulk {
            begin_bulk(&mut transaction).await?;
        }
        let mut planned: Option<Plan> = None;
        for first in (0..incoming.len()).step_by(ROWS) {
            let chunk = first..incoming.len().min(first + ROWS);
            let stored = look_up_adopted(&mut transaction, &incoming[chunk.clone()]).await?;
            let incoming = Arc::clone(incoming);
            let next = tokio::task::spawn_blocking(move || plan(&incoming[chunk], &stored));
            if let Some(plan) = planned.take() {
                written.put(&mut transaction, plan).await?;
            }
            planned = Some(next.await.map_err(|_| StoreError::Closed)?);
        }
        if let Some(plan) = planned {
            written.put(&mut transaction, plan).await?;
        }
        self.known_words.forget_known(&mut written.words);
        write_words(&mut transaction, &written.words).await?;
        if in_bulk && written.report.added + written.report.updated > 0 {
            end_bulk(&mut transaction).await?;
        }
        transaction.commit().await.doing("commit entries")?;
        self.known_words.learn(written.words);
        Ok(written.report)
    }

    /// Deletes entries; returns how many there were.
    pub async fn delete(&self, tenant: &str, ids: &[String]) -> Result<u64, StoreError> {
        let ids: Vec<&str> = ids
            .iter()
            .map(String::as_str)
            .filter(|id| !holds_nul(id))
            .collect();
        if ids.is_empty() || holds_nul(tenant) {
            return Ok(0);
        }
        again!({
            let mut transaction = begin_write(&self.pool).await?;
            let docs: Vec<i64> = sqlx::query_scalar(
                "DELETE FROM enhanced_entries WHERE tenant = $1 AND entry_id = ANY($2) \
                 RETURNING doc",
            )
            .bind(tenant)
            .bind(&ids)
            .fetch_all(&mut *transaction)
            .await
            .doing("delete entries")?;
            number_deletions(&mut transaction).await?;
            transaction.commit().await.doing("commit deletions")?;
            Ok(docs.len() as u64)
        })
    }
}

fn plan(chunk: &[Incoming], stored: &HashMap<(String, String), Stored>) -> Plan {
    let mut plan = Plan::default();
    for item in chunk {
        let key = (item.entry.tenant.clone(), item.entry.entry_id.clone());
        let old = stored.get(&key);
        let mut item = Cow::Borrowed(item);
        if let Some(old) = old
            && item.keeps_any(&old.attachments)
        {
            item.to_mut().keep_attachments(&old.attachments);
        }
        let mut whole = None;
        match old {
            None => plan.report.added += 1,
            Some(old) if old.content_hash.as_deref() == Some(&item.content_hash) => {
                plan.report.unchanged += 1;
                continue;
            }
            Some(old) => {
                plan.report.updated += 1;
                plan.report.note_source(&item.entry, &old.source_system);
                if old.text_hash != Some(item.text_hash) {
                    plan.with_new_text.push(old.doc);
                } else {
                    whole = Some(with_enhancements(&item.entry, old));
                }
            }
        }
        let whole = whole.as_ref().unwrap_or(&item.entry);
        plan.columns
            .push(&item.entry, whole, &item.content_hash, item.text_hash);
        plan.rows += 1;
    }
    plan
}

/// An entry with what enhancers made of its text, as the statement that
/// writes it keeps it.
fn with_enhancements(entry: &Entry, old: &Stored) -> Entry {
    let mut whole = entry.clone();
    whole.metadata.extend(old.added.clone());
    whole.summary = whole.summary.or_else(|| old.summary.clone());
    if whole.keywords.is_empty() {
        whole.keywords.clone_from(&old.keywords);
    }
    whole
}

/// The stored entries of a chunk. Those that ARIEL wrote meanwhile are adopted
/// first; other waiting entries are left to the background task.
async fn look_up_adopted(
    connection: &mut PgConnection,
    chunk: &[Incoming],
) -> Result<HashMap<(String, String), Stored>, StoreError> {
    let stored = look_up(connection, chunk).await?;
    let waiting: Vec<i64> = stored
        .values()
        .filter(|old| old.waits)
        .map(|old| old.doc)
        .collect();
    if waiting.is_empty() {
        return Ok(stored);
    }
    adopt_docs(connection, &waiting).await?;
    look_up(connection, chunk).await
}

async fn look_up(
    connection: &mut PgConnection,
    chunk: &[Incoming],
) -> Result<HashMap<(String, String), Stored>, StoreError> {
    let tenants: Vec<&str> = chunk
        .iter()
        .map(|item| item.entry.tenant.as_str())
        .collect();
    let ids: Vec<&str> = chunk
        .iter()
        .map(|item| item.entry.entry_id.as_str())
        .collect();
    let rows = sqlx::query(
        "SELECT e.tenant, e.entry_id, e.doc, e.content_hash, e.text_hash, e.added::text, \
         e.summary, array_remove(coalesce(e.keywords, '{}'), NULL), e.waits, \
         coalesce(e.attachments, '[]')::text, coalesce(e.source_system, '') \
         FROM unnest($1::text[], $2::text[]) AS j (tenant, id) \
         JOIN enhanced_entries e ON e.tenant = j.tenant AND e.entry_id = j.id",
    )
    .bind(tenants)
    .bind(ids)
    .fetch_all(connection)
    .await
    .doing("look entries up")?;
    let mut stored = HashMap::with_capacity(rows.len());
    for row in rows {
        let tenant: String = row.try_get(0).doing("look entries up")?;
        let entry_id: String = row.try_get(1).doing("look entries up")?;
        let added: String = row.try_get(5).doing("look entries up")?;
        let attachments: String = row.try_get(9).doing("look entries up")?;
        let old = Stored {
            doc: row.try_get(2).doing("look entries up")?,
            source_system: row.try_get(10).doing("look entries up")?,
            content_hash: row.try_get(3).doing("look entries up")?,
            text_hash: row.try_get(4).doing("look entries up")?,
            added: parse("metadata", &entry_id, &added)?,
            summary: row.try_get(6).doing("look entries up")?,
            keywords: row.try_get(7).doing("look entries up")?,
            waits: row.try_get(8).doing("look entries up")?,
            attachments: parse("attachments", &entry_id, &attachments)?,
        };
        stored.insert((tenant, entry_id), old);
    }
    Ok(stored)
}

/// What was made from a text that is no more: enhancement starts anew.
pub(super) async fn forget_enhancement(
    connection: &mut PgConnection,
    docs: &[i64],
) -> Result<(), StoreError> {
    if docs.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE gannet_enhancement SET status = 'pending', attempts = 0, error = NULL, \
         retry_at = '-infinity' WHERE doc = ANY($1)",
    )
    .bind(docs)
    .execute(&mut *connection)
    .await
    .doing("reset enhancement")?;
    drop_vectors(connection, docs).await
}
