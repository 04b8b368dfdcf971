//! ARIEL's database, only read.

use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::{PgPool, PgPoolOptions, PgRow};

use super::ariel_look::ArielLook;
use super::as_i64;
use super::changes::{token, within};
use super::connect::{label, limit, server_of};
use super::instant::Instant;
use super::options::PostgresOptions;
use crate::error::{DatabaseContext, StoreError};
use crate::request::{IngestionRun, RunOutcome, RunStatus};
use crate::stored::instant;

/// A database of ARIEL's that is never written: its connections are read
/// only, and a role that may only SELECT is enough.
#[derive(Debug, Clone)]
pub(crate) struct ArielSource {
    pool: PgPool,
    database: String,
    patience: Duration,
}

impl ArielSource {
    /// Connects when it is first asked.
    pub(crate) fn new(options: &PostgresOptions) -> Result<Self, StoreError> {
        let server = server_of("store.uri", &options.url)?;
        let server = server.application_name("gannet");
        let database = label(&server);
        let statement_timeout = options.statement_timeout;
        let pool = PgPoolOptions::new()
            .max_connections(options.max_connections)
            .acquire_timeout(options.connect_timeout)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    // A statement, since connection poolers refuse settings at
                    // the start.
                    sqlx::query("SELECT set_config('default_transaction_read_only', 'on', false)")
                        .execute(&mut *connection)
                        .await?;
                    limit(connection, statement_timeout).await
                })
            })
            .connect_lazy_with(server);
        Ok(Self {
            pool,
            database,
            patience: options.connect_timeout + statement_timeout,
        })
    }

    /// Host, port and name of the database.
    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// The state of the database.
    pub(crate) async fn token(&self) -> Result<String, StoreError> {
        token(&self.pool, self.patience)
            .await
            .map_err(|error| self.name(error))
    }

    /// Begins a look.
    pub(crate) async fn look(&self) -> Result<ArielLook, StoreError> {
        ArielLook::begin(&self.pool, self.patience, &self.database)
            .await
            .map_err(|error| self.name(error))
    }

    /// ARIEL's latest ingestion runs, newest first; none where this role may
    /// not read them.
    pub(crate) async fn runs(&self, limit: usize) -> Result<Vec<IngestionRun>, StoreError> {
        let readable = sqlx::query_scalar(
            "SELECT coalesce(has_table_privilege(to_regclass('ingestion_runs'), 'SELECT'), false)",
        )
        .fetch_one(&self.pool);
        let readable: bool = within(self.patience, readable)
            .await
            .doing("read ingestion runs")
            .map_err(|error| self.name(error))?;
        if !readable {
            return Ok(Vec::new());
        }
        let rows = sqlx::query(
            "SELECT id::bigint, source_system, started_at, completed_at, status, \
             coalesce(entries_added, 0)::bigint, coalesce(entries_updated, 0)::bigint, \
             coalesce(entries_failed, 0)::bigint, error_message \
             FROM ingestion_runs ORDER BY id DESC LIMIT $1",
        )
        .bind(as_i64(limit))
        .fetch_all(&self.pool);
        let rows = within(self.patience, rows)
            .await
            .doing("read ingestion runs")?;
        rows.iter().map(read_run).collect()
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }

    /// Tells which database it is that cannot be reached.
    fn name(&self, error: StoreError) -> StoreError {
        let is_lost = error.is_connection_lost();
        match error {
            StoreError::Database { source, .. } if is_lost => StoreError::Connection {
                database: self.database.clone(),
                source,
            },
            error => error,
        }
    }
}

fn read_run(row: &PgRow) -> Result<IngestionRun, StoreError> {
    let number = |index: usize| -> Result<u64, StoreError> {
        let number: i64 = row.try_get(index).doing("read an ingestion run")?;
        Ok(number.unsigned_abs())
    };
    let when = |Instant(micros)| instant("time", "ingestion run", micros);
    let finished: Option<Instant> = row.try_get(3).doing("read an ingestion run")?;
    let status: String = row.try_get(4).doing("read an ingestion run")?;
    Ok(IngestionRun {
        run: row.try_get(0).doing("read an ingestion run")?,
        source_system: row.try_get(1).doing("read an ingestion run")?,
        started_at: when(row.try_get(2).doing("read an ingestion run")?)?,
        finished_at: finished.map(when).transpose()?,
        outcome: RunOutcome {
            status: RunStatus::from_name(&status),
            added: number(5)?,
            updated: number(6)?,
            unchanged: 0,
            rejected: number(7)?,
            deleted: 0,
            error: row.try_get(8).doing("read an ingestion run")?,
            latest_timestamp: None,
        },
    })
}
