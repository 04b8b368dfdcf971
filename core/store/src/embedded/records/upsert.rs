//! Writing and deleting entries.

use gannet_api::Entry;
use sqlx::AssertSqlSafe;
use sqlx::sqlite::SqliteConnection;

use super::existing::{Before, Stored, look_up};
use super::row_checksum::EntryColumns;
use super::{Records, as_i64, json_list, json_numbers, now_micros, reserve};
use crate::error::{SqliteContext, StoreError};
use crate::incoming::{Incoming, prepare};
use crate::upsert_report::UpsertReport;

/// Rows a statement. SQLite allows 32,766 parameters; a statement text of
/// always the same length is prepared once.
const ROWS: usize = 250;
const COLUMNS: usize = 19;
/// Entries a look-up.
const LOOKUP: usize = 2_000;

const INSERT: &str = "INSERT INTO entries (tenant, entry_id, kind, source_system, timestamp, \
    author, raw_text, metadata, added, attachments, summary, keywords, checksum, content_hash, \
    text_hash, seq, created_at, updated_at, created_seq) VALUES ";
const ROW: &str = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
const REPLACE: &str = " ON CONFLICT (tenant, entry_id) DO UPDATE SET \
    kind = excluded.kind, source_system = excluded.source_system, \
    timestamp = excluded.timestamp, author = excluded.author, raw_text = excluded.raw_text, \
    metadata = excluded.metadata, added = excluded.added, attachments = excluded.attachments, \
    summary = excluded.summary, keywords = excluded.keywords, checksum = excluded.checksum, \
    content_hash = excluded.content_hash, text_hash = excluded.text_hash, \
    seq = excluded.seq, updated_at = excluded.updated_at";
/// A copy has the times of what it is a copy of.
const REPLACE_TIME: &str = ", created_at = excluded.created_at";

/// What happens to the attachments, and with the same text to what enhancers
/// made, of an entry that is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enhancements {
    /// It stays, unless the new entry brings its own.
    Keep,
    /// The new entry is all there is.
    Replace,
}

/// An entry as it is to be written.
struct NewRow {
    incoming: Incoming,
    /// What enhancers said, as JSON.
    added: String,
}

impl NewRow {
    fn without_enhancements(incoming: Incoming) -> Self {
        Self {
            incoming,
            added: "{}".to_owned(),
        }
    }

    /// What enhancers made stays as long as the text does, but for what the
    /// new entry brings itself.
    fn keeping(mut incoming: Incoming, old: Stored) -> Self {
        let entry = &mut incoming.entry;
        entry.summary = entry.summary.take().or(old.summary);
        if entry.keywords.is_empty() {
            entry.keywords = old.keywords;
        }
        Self {
            incoming,
            added: old.added,
        }
    }
}

impl Records {
    /// Writes entries in one transaction; it is committed when this returns.
    /// Of two entries with one id, the later one counts.
    pub(crate) async fn upsert(&self, entries: Vec<Entry>) -> Result<UpsertReport, StoreError> {
        let incoming = prepare(entries)?;
        if incoming.is_empty() {
            return Ok(UpsertReport::default());
        }
        let mut transaction = self.begin().await?;
        let report = write_changed(&mut transaction, incoming, Enhancements::Keep).await?;
        transaction.commit().await.doing("commit entries")?;
        Ok(report)
    }

    /// Deletes entries; unknown ids are left out of the count.
    pub(crate) async fn delete(&self, tenant: &str, ids: &[String]) -> Result<u64, StoreError> {
        let mut transaction = self.begin().await?;
        let docs: Vec<i64> = sqlx::query_scalar(
            "SELECT doc FROM entries WHERE tenant = ?1 \
             AND entry_id IN (SELECT value FROM json_each(?2)) ORDER BY doc",
        )
        .bind(tenant)
        .bind(json_list(ids))
        .fetch_all(&mut *transaction)
        .await
        .doing("find entries to delete")?;
        if docs.is_empty() {
            return Ok(0);
        }
        delete_docs(&mut transaction, &docs).await?;
        transaction.commit().await.doing("commit deletions")?;
        Ok(docs.len() as u64)
    }
}

pub(super) async fn delete_docs(
    connection: &mut SqliteConnection,
    docs: &[i64],
) -> Result<(), StoreError> {
    if docs.is_empty() {
        return Ok(());
    }
    drop_vectors(connection, docs).await?;
    let first = reserve(connection, docs.len()).await?;
    for statement in [
        "INSERT INTO tombstones (doc, seq) SELECT value, ?2 + key FROM json_each(?1)",
        "DELETE FROM enhancement_status WHERE ?2 > 0 \
         AND doc IN (SELECT value FROM json_each(?1))",
        "DELETE FROM entries WHERE ?2 > 0 AND doc IN (SELECT value FROM json_each(?1))",
    ] {
        sqlx::query(statement)
            .bind(json_numbers(docs))
            .bind(first)
            .execute(&mut *connection)
            .await
            .doing("delete entries")?;
    }
    Ok(())
}

/// Writes those entries whose content is new, or whose row is damaged.
pub(super) async fn write_changed(
    connection: &mut SqliteConnection,
    incoming: Vec<Incoming>,
    enhancements: Enhancements,
) -> Result<UpsertReport, StoreError> {
    let mut report = UpsertReport::default();
    let mut to_write = Vec::with_capacity(incoming.len());
    let mut with_new_text = Vec::new();
    for chunk in in_chunks(incoming, LOOKUP) {
        let mut stored = look_up(connection, &chunk).await?;
        for mut item in chunk {
            let ids = stored.get_mut(&item.entry.tenant);
            let old = match ids.and_then(|ids| ids.remove(&item.entry.entry_id)) {
                None => {
                    report.added += 1;
                    to_write.push(NewRow::without_enhancements(item));
                    continue;
                }
                Some(Before::Damaged { doc }) => {
                    report.updated += 1;
                    with_new_text.push(doc);
                    to_write.push(NewRow::without_enhancements(item));
                    continue;
                }
                Some(Before::Entry(old)) => old,
            };
            if enhancements == Enhancements::Keep {
                item.keep_attachments(&old.attachments);
            }
            if old.content_hash == item.content_hash {
                report.unchanged += 1;
                continue;
            }
            report.updated += 1;
            report.note_source(&item.entry, &old.source_system);
            let has_new_text = old.text_hash != item.text_hash;
            if has_new_text {
                with_new_text.push(old.doc);
            }
            to_write.push(match enhancements {
                Enhancements::Keep if !has_new_text => NewRow::keeping(item, old),
                _ => NewRow::without_enhancements(item),
            });
        }
    }
    if to_write.is_empty() {
        return Ok(report);
    }
    let first = reserve(connection, to_write.len()).await?;
    write(connection, to_write, first, enhancements).await?;
    forget_enhancement(connection, &with_new_text).await?;
    Ok(report)
}

fn in_chunks<T>(mut items: Vec<T>, size: usize) -> Vec<Vec<T>> {
    let mut chunks = Vec::with_capacity(items.len().div_ceil(size));
    while items.len() > size {
        let rest = items.split_off(size);
        chunks.push(std::mem::replace(&mut items, rest));
    }
    chunks.push(items);
    chunks
}

async fn write(
    connection: &mut SqliteConnection,
    rows: Vec<NewRow>,
    first_seq: i64,
    enhancements: Enhancements,
) -> Result<(), StoreError> {
    let now = now_micros();
    let mut seq = first_seq;
    for chunk in in_chunks(rows, ROWS) {
        let statement = insert_statement(chunk.len(), enhancements);
        let mut query = sqlx::query(AssertSqlSafe(statement)).persistent(chunk.len() == ROWS);
        for NewRow { incoming, added } in chunk {
            let Incoming {
                entry,
                content_hash,
                text_hash,
            } = incoming;
            let (created_at, updated_at) = match enhancements {
                Enhancements::Keep => (now, now),
                Enhancements::Replace => (
                    entry.created_at.map_or(now, |at| at.as_microsecond()),
                    entry.updated_at.map_or(now, |at| at.as_microsecond()),
                ),
            };
            let timestamp = entry.timestamp.as_microsecond();
            let metadata = serde_json::Value::Object(entry.metadata).to_string();
            let attachments = json_text(&entry.attachments);
            let keywords = json_list(&entry.keywords);
            let checksum = EntryColumns {
                tenant: &entry.tenant,
                entry_id: &entry.entry_id,
                kind: &entry.kind,
                source_system: &entry.source_system,
                timestamp,
                author: &entry.author,
                raw_text: &entry.raw_text,
                metadata: &metadata,
                added: &added,
                attachments: &attachments,
                summary: entry.summary.as_deref(),
                keywords: &keywords,
            }
            .checksum();
            query = query
                .bind(entry.tenant)
                .bind(entry.entry_id)
                .bind(entry.kind)
                .bind(entry.source_system)
                .bind(timestamp)
                .bind(entry.author)
                .bind(entry.raw_text)
                .bind(metadata)
                .bind(added)
                .bind(attachments)
                .bind(entry.summary)
                .bind(keywords)
                .bind(checksum)
                .bind(content_hash)
                .bind(text_hash)
                .bind(seq)
                .bind(created_at)
                .bind(updated_at)
                .bind(seq);
            seq += 1;
        }
        query
            .execute(&mut *connection)
            .await
            .doing("write entries")?;
    }
    Ok(())
}

fn json_text(attachments: &[gannet_api::Attachment]) -> String {
    // Structs of texts always serialise.
    serde_json::to_string(attachments).unwrap_or_else(|_| "[]".to_owned())
}

fn insert_statement(rows: usize, enhancements: Enhancements) -> String {
    let length = INSERT.len() + REPLACE.len() + REPLACE_TIME.len();
    let mut statement = String::with_capacity(length + rows * (2 * COLUMNS + 4));
    statement.push_str(INSERT);
    for row in 0..rows {
        if row > 0 {
            statement.push(',');
        }
        statement.push_str(ROW);
    }
    statement.push_str(REPLACE);
    if enhancements == Enhancements::Replace {
        statement.push_str(REPLACE_TIME);
    }
    statement
}

/// What was made from a text that is no more: enhancement starts anew.
async fn forget_enhancement(
    connection: &mut SqliteConnection,
    docs: &[i64],
) -> Result<(), StoreError> {
    if docs.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE enhancement_status SET status = 'pending', attempts = 0, error = NULL, \
         retry_at = 0 WHERE doc IN (SELECT value FROM json_each(?))",
    )
    .bind(json_numbers(docs))
    .execute(&mut *connection)
    .await
    .doing("reset enhancement")?;
    drop_vectors(connection, docs).await
}

pub(super) async fn drop_vectors(
    connection: &mut SqliteConnection,
    docs: &[i64],
) -> Result<(), StoreError> {
    drop_vectors_of(connection, docs, None).await
}

/// Drops the vectors of one model, or of all.
pub(super) async fn drop_vectors_of(
    connection: &mut SqliteConnection,
    docs: &[i64],
    model: Option<i64>,
) -> Result<(), StoreError> {
    let rows: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT v.model, v.doc FROM models m CROSS JOIN json_each(?1) j \
         CROSS JOIN entry_vectors v ON v.model = m.model AND v.doc = j.value \
         WHERE v.passages > 0 AND m.model = coalesce(?2, m.model)",
    )
    .bind(json_numbers(docs))
    .bind(model)
    .fetch_all(&mut *connection)
    .await
    .doing("find old vectors")?;
    if rows.is_empty() {
        return Ok(());
    }
    let first = reserve(connection, rows.len()).await?;
    for (index, (model, doc)) in rows.into_iter().enumerate() {
        sqlx::query("DELETE FROM embeddings WHERE model = ? AND doc = ?")
            .bind(model)
            .bind(doc)
            .execute(&mut *connection)
            .await
            .doing("drop old vectors")?;
        sqlx::query(
            "UPDATE entry_vectors SET passages = 0, with_tokens = 0, seq = ? \
             WHERE model = ? AND doc = ?",
        )
        .bind(first + as_i64(index))
        .bind(model)
        .bind(doc)
        .execute(&mut *connection)
        .await
        .doing("drop old vectors")?;
    }
    Ok(())
}
