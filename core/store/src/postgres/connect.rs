//! Connections to the server.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection, PgConnection, Postgres, Transaction};

use super::migrate::{self, Version};
use super::options::PostgresOptions;
use super::retry::again;
use crate::error::{DatabaseContext, StoreError};

/// How long a statement waits for another transaction's lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// A connection that was idle longer is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// Brings the database to this program's schema and opens connections to it.
pub(super) async fn open(options: &PostgresOptions) -> Result<(PgPool, Version), StoreError> {
    let server: PgConnectOptions = options.url.parse().map_err(|error: sqlx::Error| {
        StoreError::InvalidRequest {
            message: format!(
                "`store.url` is no PostgreSQL URL ({error}); write postgres://user@host/database"
            ),
        }
    })?;
    let server = server.application_name("gannet");
    let database = label(&server);
    let pgvector = again!({
        let mut connection = connect(&server, &database, options.connect_timeout).await?;
        limit(&mut connection, options.statement_timeout)
            .await
            .doing("set the time limits")?;
        migrate::prepare(&mut connection, &database, options.migrate).await?;
        let pgvector = migrate::check_extensions(&mut connection, &database).await?;
        connection.close().await.doing("close a connection")?;
        Ok(pgvector)
    })?;
    Ok((pool(options, server), pgvector))
}

/// A transaction that alone writes, from its start to its end, so that
/// changes are numbered in the order in which they are committed.
pub(super) async fn begin_write(
    pool: &PgPool,
) -> Result<Transaction<'static, Postgres>, StoreError> {
    let mut transaction = pool.begin().await.doing("begin a transaction")?;
    sqlx::query("SELECT last FROM gannet_sequence FOR UPDATE")
        .execute(&mut *transaction)
        .await
        .doing("wait for another process that writes")?;
    Ok(transaction)
}

async fn connect(
    server: &PgConnectOptions,
    database: &str,
    patience: Duration,
) -> Result<PgConnection, StoreError> {
    let connected = tokio::time::timeout(patience, PgConnection::connect_with(server)).await;
    connected
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
        .map_err(|source| StoreError::Connection {
            database: database.to_owned(),
            source,
        })
}

pub(super) fn pool(options: &PostgresOptions, server: PgConnectOptions) -> PgPool {
    let statement_timeout = options.statement_timeout;
    PgPoolOptions::new()
        .max_connections(options.max_connections)
        .min_connections(0)
        .acquire_timeout(options.connect_timeout)
        .idle_timeout(IDLE_TIMEOUT)
        .after_connect(move |connection, _| Box::pin(limit(connection, statement_timeout)))
        .connect_lazy_with(server)
}

/// By a statement, since connection poolers refuse settings at the start.
async fn limit(
    connection: &mut PgConnection,
    statement_timeout: Duration,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false), \
         set_config('TimeZone', 'UTC', false)",
    )
    .bind(statement_timeout.as_millis().to_string())
    .bind(LOCK_TIMEOUT.as_millis().to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// The database for people, without user and password.
pub(super) fn label(server: &PgConnectOptions) -> String {
    let name = server.get_database().unwrap_or(server.get_username());
    format!(
        "postgres://{}:{}/{name}",
        server.get_host(),
        server.get_port()
    )
}
