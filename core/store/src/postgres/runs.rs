//! Ingestion runs, in ARIEL's table.

use sqlx::Row;
use sqlx::postgres::PgRow;

use super::clean::clean_text;
use super::instant::Instant;
use super::retry::again;
use super::{PostgresStore, as_i32, as_i64};
use crate::error::{DatabaseContext, StoreError};
use crate::request::{IngestionRun, RunOutcome, RunStatus};
use crate::stored::instant;

impl PostgresStore {
    /// Notes that an ingestion begins; returns its number.
    pub async fn begin_run(&self, source_system: &str) -> Result<i64, StoreError> {
        let mut source_system = source_system.to_owned();
        clean_text(&mut source_system);
        sqlx::query_scalar(
            "INSERT INTO ingestion_runs (source_system, started_at, status) \
             VALUES ($1, now(), 'running') RETURNING id::bigint",
        )
        .bind(source_system)
        .fetch_one(&self.pool)
        .await
        .doing("begin an ingestion run")
    }

    /// Notes how an ingestion ended. For ARIEL a run that was stopped failed.
    pub async fn finish_run(&self, run: i64, outcome: RunOutcome) -> Result<(), StoreError> {
        let status = match outcome.status {
            RunStatus::Stopped => RunStatus::Failed,
            status => status,
        };
        let mut error = outcome.error;
        error.iter_mut().for_each(clean_text);
        let latest = outcome.latest_timestamp;
        again!({
            sqlx::query(
                "UPDATE ingestion_runs SET completed_at = now(), status = $2, stopped = $3, \
                 entries_added = $4, entries_updated = $5, entries_unchanged = $6, \
                 entries_failed = $7, error_message = $8, latest_timestamp = $9, \
                 entries_deleted = $10 WHERE id = $1",
            )
            .bind(run)
            .bind(status.name())
            .bind(outcome.status == RunStatus::Stopped)
            .bind(as_i32(outcome.added))
            .bind(as_i32(outcome.updated))
            .bind(i64::try_from(outcome.unchanged).unwrap_or(i64::MAX))
            .bind(as_i32(outcome.rejected))
            .bind(&error)
            .bind(latest.map(|latest| Instant(latest.as_microsecond())))
            .bind(i64::try_from(outcome.deleted).unwrap_or(i64::MAX))
            .execute(&self.pool)
            .await
            .doing("finish an ingestion run")
        })?;
        Ok(())
    }

    /// The latest runs, newest first, ARIEL's included.
    pub async fn runs(&self, limit: usize) -> Result<Vec<IngestionRun>, StoreError> {
        let rows = again!({
            sqlx::query(
                "SELECT id::bigint, source_system, started_at, completed_at, status, stopped, \
                 coalesce(entries_added, 0)::bigint, coalesce(entries_updated, 0)::bigint, \
                 entries_unchanged, coalesce(entries_failed, 0)::bigint, error_message, \
                 latest_timestamp, entries_deleted FROM ingestion_runs ORDER BY id DESC LIMIT $1",
            )
            .bind(as_i64(limit))
            .fetch_all(&self.pool)
            .await
            .doing("read ingestion runs")
        })?;
        rows.iter().map(read_run).collect()
    }
}

fn read_run(row: &PgRow) -> Result<IngestionRun, StoreError> {
    let number = |index: usize| -> Result<i64, StoreError> {
        row.try_get(index).doing("read an ingestion run")
    };
    let when = |Instant(micros)| instant("time", "ingestion run", micros);
    let maybe_when = |index: usize| -> Result<_, StoreError> {
        let instant: Option<Instant> = row.try_get(index).doing("read an ingestion run")?;
        instant.map(when).transpose()
    };
    let status: String = row.try_get(4).doing("read an ingestion run")?;
    let stopped: bool = row.try_get(5).doing("read an ingestion run")?;
    Ok(IngestionRun {
        run: number(0)?,
        source_system: row.try_get(1).doing("read an ingestion run")?,
        started_at: when(row.try_get(2).doing("read an ingestion run")?)?,
        finished_at: maybe_when(3)?,
        outcome: RunOutcome {
            status: if stopped {
                RunStatus::Stopped
            } else {
                RunStatus::from_name(&status)
            },
            added: number(6)?.unsigned_abs(),
            updated: number(7)?.unsigned_abs(),
            unchanged: number(8)?.unsigned_abs(),
            rejected: number(9)?.unsigned_abs(),
            deleted: number(12)?.unsigned_abs(),
            error: row.try_get(10).doing("read an ingestion run")?,
            latest_timestamp: maybe_when(11)?,
        },
    })
}
