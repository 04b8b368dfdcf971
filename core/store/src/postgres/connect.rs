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
/// Kilobytes of rows that may wait to be put into an index: few when rows
/// come one by one, since every search looks through them; more in bulk.
const SHORT_LIST: &str = "64";
const LONG_LIST: &str = "4096";
/// A connection that was idle longer is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// Brings the database to this program's schema and opens connections to it.
pub(super) async fn open(options: &PostgresOptions) -> Result<(PgPool, Version), StoreError> {
    let server = server_of("store.uri", &options.url)?;
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

/// The server of the connection string that this key has.
///
/// # Errors
/// [`StoreError::InvalidRequest`] for one that is not valid. It shows no value
/// of the string, since any may be the password.
pub(super) fn server_of(key: &str, url: &str) -> Result<PgConnectOptions, StoreError> {
    url.parse().map_err(|error| StoreError::InvalidRequest {
        message: format!(
            "`{key}` is not a PostgreSQL URL ({}); write postgres://user@host/database",
            without_values(&error)
        ),
    })
}

/// The message of an error with `…` in the place of what it quotes.
pub(super) fn without_values(error: &sqlx::Error) -> String {
    let message = error.to_string();
    match (message.split_once('"'), message.rsplit_once('"')) {
        (Some((before, _)), Some((_, after))) => format!("{before}…{after}"),
        _ => message,
    }
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

/// Before many rows are written: they are put into the indexes over words and
/// facets together, which takes a fifth of the time of one by one.
/// [`end_bulk`] is to follow in the same transaction.
pub(super) async fn begin_bulk(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query("SELECT set_config('gin_pending_list_limit', $1, true)")
        .bind(LONG_LIST)
        .execute(connection)
        .await
        .doing("begin to write many entries")?;
    Ok(())
}

/// Puts what waits into the indexes, so that no search has to look through
/// it, and the planner does not shun them. Only their owner may; otherwise
/// the server does it in its own time.
pub(super) async fn end_bulk(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query(
        "SELECT gin_clean_pending_list(oid) FROM pg_class \
         WHERE oid IN ('gannet_entries_by_facet'::regclass, 'gannet_entries_by_term'::regclass) \
         AND pg_has_role(relowner, 'USAGE')",
    )
    .execute(connection)
    .await
    .doing("put entries into the indexes")?;
    Ok(())
}

pub(super) async fn connect(
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

/// By a statement, since connection poolers refuse settings at the start. A
/// plan made for any query does not suit a query of common words, and
/// compiling one takes longer than running it.
pub(super) async fn limit(
    connection: &mut PgConnection,
    statement_timeout: Duration,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false), \
         set_config('TimeZone', 'UTC', false), set_config('plan_cache_mode', 'force_custom_plan', false), \
         set_config('jit', 'off', false), set_config('gin_pending_list_limit', $3, false)",
    )
    .bind(statement_timeout.as_millis().to_string())
    .bind(LOCK_TIMEOUT.as_millis().to_string())
    .bind(SHORT_LIST)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_connection_string_shows_no_value_of_it() {
        for url in [
            "host=db password='s3 cret' dbname=x",
            "postgres://u@h/d?sslmode=s3 cret",
            "postgres://u@h/d?sslmode=require password='s3 \"cret\"'",
            "postgres://u:s3 cret@h:port/d",
        ] {
            let refused = server_of("store.uri", url).err();
            let told = refused.map(|error| error.to_string()).unwrap_or_default();
            assert!(
                told.contains("`store.uri` is not a PostgreSQL URL"),
                "{url}: {told}"
            );
            assert!(!told.contains("s3") && !told.contains("cret"), "{told}");
        }
    }
}
