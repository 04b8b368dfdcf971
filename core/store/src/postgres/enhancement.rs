//! How far each enhancement module got with each entry.

use std::collections::BTreeMap;

use gannet_api::{Enhanced, Entry};
use sqlx::PgConnection;

use super::clean::holds_nul;
use super::connect::begin_write;
use super::outcomes::save;
use super::retry::again;
use super::row::{entry_columns, read_entry};
use super::{PostgresStore, as_i64};
use crate::error::{DatabaseContext, StoreError};
use crate::models::fail_unusable;
use crate::request::{StatusCounts, WorkedOn};

impl PostgresStore {
    /// Entries of all tenants that a module has to work on: those whose text
    /// changed or that failed long enough ago, then those that it never saw.
    /// A waiting time beyond the longest one is what a clock that was put
    /// back left.
    pub async fn pending(&self, module: &str, limit: usize) -> Result<Vec<Entry>, StoreError> {
        check_module(module)?;
        let mut rows = again!({
            sqlx::query(concat!(
                "SELECT ",
                entry_columns!(),
                " FROM gannet_enhancement w JOIN enhanced_entries e ON e.doc = w.doc \
                 WHERE w.module = $1 AND w.status <> 'complete' \
                 AND (w.retry_at <= now() OR w.retry_at > now() + interval '1 hour') \
                 AND e.seq IS NOT NULL ORDER BY w.retry_at, w.doc LIMIT $2"
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
        outcomes: Vec<(WorkedOn, Enhanced)>,
    ) -> Result<(), StoreError> {
        check_module(module)?;
        let outcomes = fail_unusable(outcomes);
        again!({
            let mut transaction = begin_write(&self.pool).await?;
            save(&mut transaction, module, &outcomes).await?;
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

pub(super) fn check_module(module: &str) -> Result<(), StoreError> {
    if holds_nul(module) {
        return Err(StoreError::InvalidRequest {
            message: "the name of a module cannot hold the character U+0000".to_owned(),
        });
    }
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
