//! How far each enhancement module got with each entry.

use std::collections::BTreeMap;

use gannet_api::{Enhanced, Entry, Patch};
use serde_json::{Map, Value};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::embeddings::replace_vectors;
use super::row::{entry_columns, read_row};
use super::row_checksum::{EntryColumns, checked_columns};
use super::{Records, as_i64, json_list, now_micros, reserve};
use crate::error::{SqliteContext, StoreError};
use crate::models::fail_unusable;
use crate::request::{StatusCounts, WorkedOn};
use crate::stored::parse;

/// The first wait after a failure; it doubles with each further one.
const FIRST_WAIT_MICROS: i64 = 60_000_000;
const LONGEST_WAIT_MICROS: i64 = 3_600_000_000;

/// Entries that wait for a module since the time ?2 until ?3.
const DUE: &str = concat!(
    "SELECT ",
    entry_columns!(),
    " FROM enhancement_status w CROSS JOIN entries e ON e.doc = w.doc \
     WHERE w.module = ?1 AND w.status <> 'complete' \
     AND w.retry_at BETWEEN ?2 AND ?3 ORDER BY w.retry_at, w.doc LIMIT ?4"
);

impl Records {
    /// Entries that a module has to work on: those whose text changed or that
    /// failed long enough ago, then those that it never saw.
    pub(crate) async fn pending(
        &self,
        module: &str,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let now = now_micros();
        let mut rows = self.due(module, (0, now), limit).await?;
        if rows.len() < limit {
            // A waiting time beyond the longest one is what a clock that was
            // put back left.
            let stray = (now + LONGEST_WAIT_MICROS + 1, i64::MAX);
            rows.extend(self.due(module, stray, limit - rows.len()).await?);
        }
        if rows.len() < limit {
            let never_seen = sqlx::query(concat!(
                "SELECT ",
                entry_columns!(),
                " FROM entries e \
                 WHERE e.doc > coalesce((SELECT doc FROM enhancement_progress WHERE module = ?1), 0) \
                 AND NOT EXISTS (SELECT 1 FROM enhancement_status s \
                                 WHERE s.doc = e.doc AND s.module = ?1) \
                 ORDER BY e.doc LIMIT ?2"
            ))
            .bind(module)
            .bind(as_i64(limit - rows.len()))
            .fetch_all(&self.readers)
            .await
            .doing("find entries to enhance")?;
            rows.extend(never_seen);
        }
        rows.iter()
            .map(|row| read_row(row).map(|row| row.entry))
            .collect()
    }

    /// Entries that wait for a module since the first of two times, until the
    /// second. They come in the order of the index, which is not sorted anew
    /// for every batch.
    async fn due(
        &self,
        module: &str,
        (first, last): (i64, i64),
        limit: usize,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        sqlx::query(DUE)
            .bind(module)
            .bind(first)
            .bind(last)
            .bind(as_i64(limit))
            .fetch_all(&self.readers)
            .await
            .doing("find entries to enhance")
    }

    /// How many entries a module has not completed, waiting ones included.
    pub(crate) async fn pending_count(&self, module: &str) -> Result<u64, StoreError> {
        let count: i64 = sqlx::query_scalar(
            "SELECT (SELECT count(*) FROM entries) - \
             (SELECT count(*) FROM enhancement_status WHERE module = ? AND status = 'complete')",
        )
        .bind(module)
        .fetch_one(&self.readers)
        .await
        .doing("count entries to enhance")?;
        Ok(count.unsigned_abs())
    }

    /// Keeps what a module made, and its status, in one transaction. An entry
    /// that is gone, or has another text meanwhile, is left out.
    pub(crate) async fn save_enhanced(
        &self,
        module: &str,
        outcomes: Vec<(WorkedOn, Enhanced)>,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        for (worked_on, enhanced) in fail_unusable(outcomes) {
            let found: Option<(i64, i64)> = sqlx::query_as(
                "SELECT doc, text_hash FROM entries WHERE tenant = ? AND entry_id = ?",
            )
            .bind(&worked_on.tenant)
            .bind(&enhanced.entry_id)
            .fetch_optional(&mut *transaction)
            .await
            .doing("find an enhanced entry")?;
            let Some((doc, text_hash)) = found else {
                continue;
            };
            if worked_on.is_outdated(text_hash) {
                continue;
            }
            match enhanced.outcome {
                Ok(patch) => {
                    apply_patch(&mut transaction, doc, text_hash, patch).await?;
                    mark_complete(&mut transaction, doc, module).await?;
                }
                Err(error) => mark_failed(&mut transaction, doc, module, &error).await?,
            }
        }
        note_progress(&mut transaction, module).await?;
        transaction.commit().await.doing("commit enhancements")
    }

    /// Puts every entry of a module back to pending.
    pub(crate) async fn reset_enhancement(&self, module: &str) -> Result<u64, StoreError> {
        self.refuse_when_read_only("reset enhancement")?;
        let done = sqlx::query(
            "UPDATE enhancement_status SET status = 'pending', attempts = 0, error = NULL, \
             retry_at = 0 WHERE module = ?",
        )
        .bind(module)
        .execute(&self.writer)
        .await
        .doing("reset enhancement")?;
        Ok(done.rows_affected())
    }

    /// Complete, failed and pending entries of every module that ever ran.
    pub(crate) async fn enhancement_counts(
        &self,
    ) -> Result<BTreeMap<String, StatusCounts>, StoreError> {
        let total = self.count_all().await?;
        let rows: Vec<(String, String, i64)> = sqlx::query_as(
            "SELECT module, status, count(*) FROM enhancement_status GROUP BY module, status",
        )
        .fetch_all(&self.readers)
        .await
        .doing("count enhancements")?;
        let mut counts: BTreeMap<String, StatusCounts> = BTreeMap::new();
        for (module, status, count) in rows {
            let of_module = counts.entry(module).or_default();
            match status.as_str() {
                "complete" => of_module.complete = count.unsigned_abs(),
                "failed" => of_module.failed = count.unsigned_abs(),
                _ => {}
            }
        }
        for of_module in counts.values_mut() {
            of_module.pending = total.saturating_sub(of_module.complete + of_module.failed);
        }
        Ok(counts)
    }
}

async fn apply_patch(
    connection: &mut SqliteConnection,
    doc: i64,
    text_hash: i64,
    patch: Patch,
) -> Result<(), StoreError> {
    if let Some(embeddings) = &patch.embeddings {
        replace_vectors(connection, doc, text_hash, embeddings).await?;
    }
    let changes_entry =
        patch.keywords.is_some() || patch.summary.is_some() || !patch.metadata.is_empty();
    if !changes_entry {
        return Ok(());
    }
    let row = sqlx::query(concat!(
        "SELECT ",
        checked_columns!(),
        ", e.checksum FROM entries e WHERE e.doc = ?"
    ))
    .bind(doc)
    .fetch_one(&mut *connection)
    .await
    .doing("read an entry")?;
    let mut columns = EntryColumns::read(&row, 0)?;
    columns.check(row.try_get(12).doing("read an entry")?)?;
    let mut added: Map<String, Value> = parse("metadata", columns.entry_id, columns.added)?;
    added.extend(patch.metadata);
    let added = Value::Object(added).to_string();
    let keywords = patch.keywords.map(|keywords| json_list(&keywords));
    columns.added = &added;
    columns.keywords = keywords.as_deref().unwrap_or(columns.keywords);
    columns.summary = patch.summary.as_deref().or(columns.summary);
    let seq = reserve(connection, 1).await?;
    sqlx::query(
        "UPDATE entries SET keywords = ?, summary = ?, added = ?, checksum = ?, seq = ? \
         WHERE doc = ?",
    )
    .bind(columns.keywords)
    .bind(columns.summary)
    .bind(columns.added)
    .bind(columns.checksum())
    .bind(seq)
    .bind(doc)
    .execute(connection)
    .await
    .doing("write enhancements")?;
    Ok(())
}

async fn mark_complete(
    connection: &mut SqliteConnection,
    doc: i64,
    module: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO enhancement_status (doc, module, status, at) VALUES (?, ?, 'complete', ?) \
         ON CONFLICT DO UPDATE SET status = 'complete', at = excluded.at, attempts = 0, \
         error = NULL, retry_at = 0",
    )
    .bind(doc)
    .bind(module)
    .bind(now_micros())
    .execute(connection)
    .await
    .doing("note an enhancement")?;
    Ok(())
}

/// A failure is tried again after a minute, then two, up to an hour.
async fn mark_failed(
    connection: &mut SqliteConnection,
    doc: i64,
    module: &str,
    error: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO enhancement_status (doc, module, status, at, attempts, error, retry_at) \
         VALUES (?1, ?2, 'failed', ?3, 1, ?4, ?3 + ?5) \
         ON CONFLICT DO UPDATE SET status = 'failed', at = ?3, attempts = attempts + 1, \
         error = ?4, retry_at = ?3 + min(?5 << min(attempts, 20), ?6)",
    )
    .bind(doc)
    .bind(module)
    .bind(now_micros())
    .bind(error)
    .bind(FIRST_WAIT_MICROS)
    .bind(LONGEST_WAIT_MICROS)
    .execute(connection)
    .await
    .doing("note a failed enhancement")?;
    Ok(())
}

/// Moves the mark below which no entry lacks a status, so that looking for
/// new entries does not pass over all old ones.
async fn note_progress(connection: &mut SqliteConnection, module: &str) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO enhancement_progress (module, doc) SELECT ?1, coalesce( \
             (SELECT e.doc - 1 FROM entries e \
              WHERE e.doc > coalesce((SELECT doc FROM enhancement_progress WHERE module = ?1), 0) \
              AND NOT EXISTS (SELECT 1 FROM enhancement_status s \
                              WHERE s.doc = e.doc AND s.module = ?1) ORDER BY e.doc LIMIT 1), \
             (SELECT max(doc) FROM entries), 0) WHERE true \
         ON CONFLICT DO UPDATE SET doc = excluded.doc",
    )
    .bind(module)
    .execute(connection)
    .await
    .doing("note the progress of a module")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use sqlx::AssertSqlSafe;

    use super::{DUE, Records};

    #[tokio::test]
    async fn a_batch_of_what_waits_is_read_without_sorting_everything_that_waits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let records = Records::open(&path, false).await.unwrap();
        let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {DUE}"));
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(explain)
            .bind("m")
            .bind(0)
            .bind(9)
            .bind(64)
            .fetch_all(&records.readers)
            .await
            .unwrap();
        let steps: Vec<String> = plan.into_iter().map(|step| step.3).collect();
        let steps = steps.join("; ");
        assert!(steps.contains("enhancement_open"), "{steps}");
        assert!(!steps.contains("TEMP B-TREE"), "{steps}");
    }
}
