//! `gannet migrate`: the schema, and what ARIEL wrote.

use sqlx::{Connection, PgConnection};

use super::PostgresStore;
use super::connect::{connect, label, server_of};
use super::migrate::{SUPPORTED, SchemaState, check_encoding, names_after, refuse_newer};
use super::options::{Migrate, PostgresOptions};
use crate::error::{DatabaseContext, StoreError};
use crate::migration::MigrationReport;

/// Brings a database to this program's schema and adopts what ARIEL wrote;
/// in a dry run only says what that would be.
pub(crate) async fn migrate(
    options: PostgresOptions,
    dry_run: bool,
) -> Result<MigrationReport, StoreError> {
    let server = server_of("store.uri", &options.url)?;
    let database = label(&server);
    let mut connection = connect(&server, &database, options.connect_timeout).await?;
    check_encoding(&mut connection, &database).await?;
    refuse_newer(&mut connection, &database).await?;
    let mut report = before(&mut connection, database).await?;
    connection.close().await.doing("close a connection")?;
    if dry_run {
        return Ok(report);
    }
    let store = PostgresStore::open(PostgresOptions {
        migrate: Migrate::Always,
        ..options
    })
    .await?;
    store.flush().await?;
    report.entries = store.stats().await?.entries;
    store.close().await?;
    Ok(report)
}

async fn before(
    connection: &mut PgConnection,
    database: String,
) -> Result<MigrationReport, StoreError> {
    let state = SchemaState::of(connection).await?;
    let entries = match state.has_entries {
        true => count(connection, "SELECT count(*) FROM enhanced_entries").await?,
        false => 0,
    };
    let adopted = match state.version {
        0 => entries,
        _ => count(connection, WAITING).await?,
    };
    Ok(MigrationReport {
        store: database,
        from: i64::from(state.version),
        to: i64::from(SUPPORTED),
        steps: names_after(state.version),
        adopted,
        entries,
    })
}

const WAITING: &str = "SELECT count(*) FROM enhanced_entries WHERE waits";

async fn count(connection: &mut PgConnection, query: &'static str) -> Result<u64, StoreError> {
    let count: i64 = sqlx::query_scalar(query)
        .fetch_one(connection)
        .await
        .doing("count entries")?;
    Ok(count.unsigned_abs())
}
