//! How far each enhancement module got with each entry.

use std::collections::BTreeMap;

use gannet_api::{Enhanced, Entry, Patch};
use serde_json::{Map, Value};
use sqlx::{PgConnection, Row};

use super::clean::{clean_object, clean_text, holds_nul};
use super::connect::begin_write;
use super::derived::{Derived, write_words};
use super::retry::again;
use super::row::{entry_columns, read_entry};
use super::vectors::replace_vectors;
use super::{PostgresStore, as_i64, reserve};
use crate::error::{DatabaseContext, StoreError};
use crate::request::StatusCounts;
use crate::stored::parse;

/// The derived columns come as arrays of one row.
const UPDATE: &str = "UPDATE enhanced_entries SET keywords = $2, summary = $3, \
        added = $4::jsonb, seq = $5, id_folded = ($6::text[])[1], \
        facet_texts = ($7::text[])[1]::jsonb, facet_numbers = ($8::text[])[1]::jsonb, \
        facet_instants = ($9::text[])[1]::jsonb, terms = ($10::text[])[1]::tsvector, \
        lengths = ($11::text[])[1]::integer[] WHERE doc = $1";

impl PostgresStore {
    /// Entries of all tenants that a module has to work on, oldest first:
    /// those whose text changed or that failed long enough ago, then those
    /// that it never saw.
    pub async fn pending(&self, module: &str, limit: usize) -> Result<Vec<Entry>, StoreError> {
        check_module(module)?;
        let mut rows = again!({
            sqlx::query(concat!(
                "SELECT ",
                entry_columns!(),
                " FROM gannet_enhancement w JOIN enhanced_entries e ON e.doc = w.doc \
                 WHERE w.module = $1 AND w.status <> 'complete' AND w.retry_at <= now() \
                 AND e.seq IS NOT NULL ORDER BY e.seq LIMIT $2"
            ))
            .bind(module)
            .bind(as_i64(limit))
            .fetch_all(&self.pool)
            .await
            .doing("find entries to enhance")
        })?;
        if rows.len() < limit {
            let wanted = limit - rows.len();
            let never_seen = again!({
                sqlx::query(concat!(
                    "SELECT ",
                    entry_columns!(),
                    " FROM enhanced_entries e WHERE e.seq IS NOT NULL AND e.created_seq > coalesce( \
                         (SELECT created_seq FROM gannet_enhancement_progress WHERE module = $1), 0) \
                     AND NOT EXISTS (SELECT 1 FROM gannet_enhancement s \
                                     WHERE s.doc = e.doc AND s.module = $1) \
                     ORDER BY e.created_seq LIMIT $2"
                ))
                .bind(module)
                .bind(as_i64(wanted))
                .fetch_all(&self.pool)
                .await
                .doing("find entries to enhance")
            })?;
            rows.extend(never_seen);
        }
        rows.iter().map(read_entry).collect()
    }

    /// How many entries a module has not completed, waiting ones included.
    pub async fn pending_count(&self, module: &str) -> Result<u64, StoreError> {
        check_module(module)?;
        let count: i64 = again!({
            sqlx::query_scalar(
                "SELECT count(*) FROM enhanced_entries e LEFT JOIN gannet_enhancement s \
                 ON s.doc = e.doc AND s.module = $1 AND s.status = 'complete' \
                 WHERE e.seq IS NOT NULL AND s.doc IS NULL",
            )
            .bind(module)
            .fetch_one(&self.pool)
            .await
            .doing("count entries to enhance")
        })?;
        Ok(count.unsigned_abs())
    }

    /// Keeps what a module made of entries, each with its tenant, and how far
    /// it got, in one transaction. An entry that is gone meanwhile is left
    /// out.
    pub async fn save_enhanced(
        &self,
        module: &str,
        outcomes: Vec<(String, Enhanced)>,
    ) -> Result<(), StoreError> {
        check_module(module)?;
        again!({
            let mut transaction = begin_write(&self.pool).await?;
            for (tenant, enhanced) in &outcomes {
                save_one(&mut transaction, module, tenant, enhanced).await?;
            }
            note_progress(&mut transaction, module).await?;
            transaction.commit().await.doing("commit enhancements")
        })
    }

    /// Puts every entry of a module back to pending; returns how many.
    pub async fn reset_enhancement(&self, module: &str) -> Result<u64, StoreError> {
        check_module(module)?;
        let done = again!({
            sqlx::query(
                "UPDATE gannet_enhancement SET status = 'pending', attempts = 0, error = NULL, \
                 retry_at = '-infinity' WHERE module = $1",
            )
            .bind(module)
            .execute(&self.pool)
            .await
            .doing("reset enhancement")
        })?;
        Ok(done.rows_affected())
    }

    /// Complete, failed and pending entries of every module that ever ran.
    pub async fn enhancement_counts(&self) -> Result<BTreeMap<String, StatusCounts>, StoreError> {
        let rows: Vec<(String, i64, i64, i64)> = again!({
            sqlx::query_as(
                "SELECT module, count(*) FILTER (WHERE status = 'complete'), \
                 count(*) FILTER (WHERE status = 'failed'), \
                 (SELECT count(*) FROM enhanced_entries WHERE seq IS NOT NULL) \
                 FROM gannet_enhancement GROUP BY module",
            )
            .fetch_all(&self.pool)
            .await
            .doing("count enhancements")
        })?;
        Ok(rows
            .into_iter()
            .map(|(module, complete, failed, total)| {
                let counts = StatusCounts {
                    complete: complete.unsigned_abs(),
                    failed: failed.unsigned_abs(),
                    pending: (total - complete - failed).max(0).unsigned_abs(),
                };
                (module, counts)
            })
            .collect())
    }
}

fn check_module(module: &str) -> Result<(), StoreError> {
    if holds_nul(module) {
        return Err(StoreError::InvalidRequest {
            message: "the name of a module cannot hold the character U+0000".to_owned(),
        });
    }
    Ok(())
}

async fn save_one(
    connection: &mut PgConnection,
    module: &str,
    tenant: &str,
    enhanced: &Enhanced,
) -> Result<(), StoreError> {
    if holds_nul(tenant) || holds_nul(&enhanced.entry_id) {
        return Ok(());
    }
    let found: Option<(i64, i64)> = sqlx::query_as(
        "SELECT doc, text_hash FROM enhanced_entries \
         WHERE tenant = $1 AND entry_id = $2 AND seq IS NOT NULL",
    )
    .bind(tenant)
    .bind(&enhanced.entry_id)
    .fetch_optional(&mut *connection)
    .await
    .doing("find an enhanced entry")?;
    let Some((doc, text_hash)) = found else {
        return Ok(());
    };
    match &enhanced.outcome {
        Ok(patch) => {
            apply_patch(connection, doc, text_hash, patch.clone()).await?;
            mark_complete(connection, doc, module).await
        }
        Err(error) => mark_failed(connection, doc, module, error).await,
    }
}

async fn apply_patch(
    connection: &mut PgConnection,
    doc: i64,
    text_hash: i64,
    mut patch: Patch,
) -> Result<(), StoreError> {
    if let Some(embeddings) = patch.embeddings.take() {
        replace_vectors(connection, doc, text_hash, embeddings).await?;
    }
    let changes_entry =
        patch.keywords.is_some() || patch.summary.is_some() || !patch.metadata.is_empty();
    if !changes_entry {
        return Ok(());
    }
    let row = sqlx::query(concat!(
        "SELECT ",
        entry_columns!(),
        " FROM enhanced_entries e WHERE e.doc = $1"
    ))
    .bind(doc)
    .fetch_one(&mut *connection)
    .await
    .doing("read an entry")?;
    let mut entry = read_entry(&row)?;
    let added: String = row.try_get(8).doing("read an entry")?;
    let mut added: Map<String, Value> = parse("metadata", &entry.entry_id, &added)?;
    clean_object(&mut patch.metadata);
    patch.summary.iter_mut().for_each(clean_text);
    patch.keywords.iter_mut().flatten().for_each(clean_text);
    entry.metadata.extend(patch.metadata.clone());
    added.extend(patch.metadata);
    entry.summary = patch.summary.or(entry.summary);
    entry.keywords = patch.keywords.unwrap_or(entry.keywords);
    let mut derived = Derived::default();
    derived.push(&entry);
    let seq = reserve(connection, 1).await?;
    let query = sqlx::query(UPDATE)
        .bind(doc)
        .bind(entry.keywords)
        .bind(entry.summary)
        .bind(Value::Object(added).to_string())
        .bind(seq);
    let (query, words) = derived.bind(query);
    query
        .execute(&mut *connection)
        .await
        .doing("write enhancements")?;
    write_words(connection, words).await
}

async fn mark_complete(
    connection: &mut PgConnection,
    doc: i64,
    module: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO gannet_enhancement (doc, module, status, at) \
         VALUES ($1, $2, 'complete', now()) ON CONFLICT (doc, module) DO UPDATE SET \
         status = 'complete', at = excluded.at, attempts = 0, error = NULL, retry_at = '-infinity'",
    )
    .bind(doc)
    .bind(module)
    .execute(connection)
    .await
    .doing("note an enhancement")?;
    Ok(())
}

/// A failure is tried again after a minute, then two, up to an hour.
async fn mark_failed(
    connection: &mut PgConnection,
    doc: i64,
    module: &str,
    error: &str,
) -> Result<(), StoreError> {
    let mut error = error.to_owned();
    clean_text(&mut error);
    sqlx::query(
        "INSERT INTO gannet_enhancement AS s (doc, module, status, at, attempts, error, retry_at) \
         VALUES ($1, $2, 'failed', now(), 1, $3, now() + interval '1 minute') \
         ON CONFLICT (doc, module) DO UPDATE SET status = 'failed', at = now(), \
         attempts = s.attempts + 1, error = $3, retry_at = now() + least( \
             interval '1 minute' * (1 << least(s.attempts, 20)), interval '1 hour')",
    )
    .bind(doc)
    .bind(module)
    .bind(error)
    .execute(connection)
    .await
    .doing("note a failed enhancement")?;
    Ok(())
}

/// Moves the mark below which no entry lacks a status, so that looking for
/// new entries does not pass over all old ones.
async fn note_progress(connection: &mut PgConnection, module: &str) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO gannet_enhancement_progress (module, created_seq) SELECT $1, coalesce( \
             (SELECT e.created_seq - 1 FROM enhanced_entries e \
              WHERE e.created_seq > coalesce((SELECT created_seq \
                  FROM gannet_enhancement_progress WHERE module = $1), 0) \
              AND NOT EXISTS (SELECT 1 FROM gannet_enhancement s \
                              WHERE s.doc = e.doc AND s.module = $1) \
              ORDER BY e.created_seq LIMIT 1), \
             (SELECT max(created_seq) FROM enhanced_entries), 0) \
         ON CONFLICT (module) DO UPDATE SET created_seq = excluded.created_seq",
    )
    .bind(module)
    .execute(connection)
    .await
    .doing("note the progress of a module")?;
    Ok(())
}
