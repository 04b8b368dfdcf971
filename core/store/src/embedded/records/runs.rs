//! Ingestion runs.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Records, as_i64, now_micros};
use crate::error::{SqliteContext, StoreError};
use crate::request::{IngestionRun, RunOutcome, RunStatus};
use crate::stored::instant;

impl Records {
    pub(crate) async fn begin_run(&self, source_system: &str) -> Result<i64, StoreError> {
        self.refuse_when_read_only("ingest entries")?;
        sqlx::query_scalar(
            "INSERT INTO ingestion_runs (source_system, started_at, status) \
             VALUES (?, ?, 'running') RETURNING run",
        )
        .bind(source_system)
        .bind(now_micros())
        .fetch_one(&self.writer)
        .await
        .doing("begin an ingestion run")
    }

    pub(crate) async fn finish_run(&self, run: i64, outcome: RunOutcome) -> Result<(), StoreError> {
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        sqlx::query(
            "UPDATE ingestion_runs SET finished_at = ?, status = ?, added = ?, updated = ?, \
             unchanged = ?, rejected = ?, deleted = ?, error = ?, latest_timestamp = ? WHERE run = ?",
        )
        .bind(now_micros())
        .bind(outcome.status.name())
        .bind(count(outcome.added))
        .bind(count(outcome.updated))
        .bind(count(outcome.unchanged))
        .bind(count(outcome.rejected))
        .bind(count(outcome.deleted))
        .bind(outcome.error)
        .bind(
            outcome
                .latest_timestamp
                .map(|latest| latest.as_microsecond()),
        )
        .bind(run)
        .execute(&self.writer)
        .await
        .doing("finish an ingestion run")?;
        Ok(())
    }

    /// The latest runs, newest first.
    pub(crate) async fn runs(&self, limit: usize) -> Result<Vec<IngestionRun>, StoreError> {
        let rows = sqlx::query(
            "SELECT run, source_system, started_at, finished_at, status, added, updated, \
             unchanged, rejected, deleted, error, latest_timestamp \
             FROM ingestion_runs ORDER BY run DESC LIMIT ?",
        )
        .bind(as_i64(limit))
        .fetch_all(&self.readers)
        .await
        .doing("read ingestion runs")?;
        rows.iter().map(read_run).collect()
    }
}

fn read_run(row: &SqliteRow) -> Result<IngestionRun, StoreError> {
    let number = |index: usize| -> Result<i64, StoreError> {
        row.try_get(index).doing("read an ingestion run")
    };
    let when = |micros: i64| instant("time", "ingestion run", micros);
    let maybe_when = |index: usize| -> Result<_, StoreError> {
        let micros: Option<i64> = row.try_get(index).doing("read an ingestion run")?;
        micros.map(when).transpose()
    };
    let status: String = row.try_get(4).doing("read an ingestion run")?;
    Ok(IngestionRun {
        run: number(0)?,
        source_system: row.try_get(1).doing("read an ingestion run")?,
        started_at: when(number(2)?)?,
        finished_at: maybe_when(3)?,
        outcome: RunOutcome {
            status: RunStatus::from_name(&status),
            added: number(5)?.unsigned_abs(),
            updated: number(6)?.unsigned_abs(),
            unchanged: number(7)?.unsigned_abs(),
            rejected: number(8)?.unsigned_abs(),
            deleted: number(9)?.unsigned_abs(),
            error: row.try_get(10).doing("read an ingestion run")?,
            latest_timestamp: maybe_when(11)?,
        },
    })
}
