//! Looks at a database without changing it.

mod ariel_indexes;
mod indexes;
mod rights;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};

use super::connect::{connect, label, without_values};
use super::migrate::{OLDEST_PGVECTOR, SUPPORTED, SchemaState, parsed};
use super::options::{Migrate, PostgresOptions};
use crate::error::{DatabaseContext, StoreError};
use crate::finding::Finding;

/// The oldest server that is tested, as PostgreSQL counts.
const OLDEST_SERVER: i32 = 150_000;

/// Whose tables are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A database of this program.
    Gannet,
    /// A database of ARIEL's, which is only read.
    Ariel,
}

/// What there is to say about a database, what is wrong with it included.
pub(crate) async fn examine(options: &PostgresOptions, owner: Owner) -> Vec<Finding> {
    let server: PgConnectOptions = match options.url.parse() {
        Ok(server) => server,
        Err(error) => {
            let message = format!("the address cannot be read: {}", without_values(&error));
            let advice = "write `store.uri: postgres://USER@HOST/DATABASE`";
            return vec![Finding::fail("database", message, advice)];
        }
    };
    let database = label(&server);
    let mut connection = match connect(&server, &database, options.connect_timeout).await {
        Ok(connection) => connection,
        Err(error) => return vec![unreachable(&error)],
    };
    let mut findings = vec![Finding::ok("database", database)];
    if let Err(error) = look(&mut connection, options, owner, &mut findings).await {
        let advice = "see the log of the server";
        findings.push(Finding::fail("database", error.to_string(), advice));
    }
    if let Err(error) = connection.close().await {
        tracing::debug!(%error, "the connection was not closed in order");
    }
    findings
}

fn unreachable(error: &StoreError) -> Finding {
    let advice = match error.is_retryable() {
        true => "start the server, or try again in a moment",
        false => "check user, password and database in `store.uri`, and pg_hba.conf on the server",
    };
    Finding::fail("database", error.to_string(), advice)
}

async fn look(
    connection: &mut PgConnection,
    options: &PostgresOptions,
    owner: Owner,
    findings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    findings.push(server_version(connection).await?);
    findings.push(encoding(connection).await?);
    findings.push(pgvector(connection, owner).await?);
    findings.push(trigrams(connection).await?);
    let state = SchemaState::of(connection).await?;
    findings.push(schema(state, options.migrate, owner));
    let is_set_up = state.version == SUPPORTED;
    findings.extend(rights::examine(connection, owner, is_set_up).await?);
    match owner {
        Owner::Gannet if state.version == SUPPORTED => {
            findings.extend(waiting(connection).await?);
            findings.extend(indexes::missing(connection).await?);
        }
        Owner::Ariel if state.has_entries => {
            findings.extend(ariel_indexes::missing(connection).await?);
        }
        Owner::Gannet | Owner::Ariel => {}
    }
    Ok(())
}

async fn server_version(connection: &mut PgConnection) -> Result<Finding, StoreError> {
    let (text, number): (String, i32) = sqlx::query_as(
        "SELECT current_setting('server_version'), current_setting('server_version_num')::integer",
    )
    .fetch_one(connection)
    .await
    .doing("read the server's version")?;
    let message = format!("PostgreSQL {text}");
    Ok(match number >= OLDEST_SERVER {
        true => Finding::ok("server", message),
        false => Finding::warn("server", message, "use PostgreSQL 15 or later"),
    })
}

async fn encoding(connection: &mut PgConnection) -> Result<Finding, StoreError> {
    let encoding: String = sqlx::query_scalar("SELECT current_setting('server_encoding')")
        .fetch_one(connection)
        .await
        .doing("read the database's encoding")?;
    Ok(match encoding.as_str() {
        "UTF8" => Finding::ok("encoding", encoding),
        _ => Finding::fail(
            "encoding",
            encoding,
            "create a database with `createdb --encoding UTF8 --template template0`",
        ),
    })
}

/// The version of an extension that is installed in the database, and the one
/// that the server could install.
async fn extension(
    connection: &mut PgConnection,
    name: &str,
) -> Result<(Option<String>, Option<String>), StoreError> {
    sqlx::query_as(
        "SELECT (SELECT extversion FROM pg_extension WHERE extname = $1), \
         (SELECT default_version FROM pg_available_extensions WHERE name = $1)",
    )
    .bind(name)
    .fetch_one(connection)
    .await
    .doing("read the versions of extensions")
}

const INSTALL: &str = "install pgvector 0.7 or later on the server (Debian: \
    postgresql-17-pgvector, with the number of your server)";

async fn pgvector(connection: &mut PgConnection, owner: Owner) -> Result<Finding, StoreError> {
    let (installed, available) = extension(connection, "vector").await?;
    let check = "pgvector";
    Ok(match (installed, available) {
        (Some(version), _) if owner == Owner::Ariel => Finding::ok(check, version),
        (None, _) if owner == Owner::Ariel => Finding::ok(check, "not required"),
        (Some(version), _) if parsed(&version) < OLDEST_PGVECTOR => Finding::fail(
            check,
            format!("{version} has no half-precision vectors"),
            "install 0.7 or later on the server, then run: ALTER EXTENSION vector UPDATE;",
        ),
        (Some(version), _) if parsed(&version) < (0, 8) => Finding::warn(
            check,
            format!("{version} may find too few vectors under a filter"),
            "install 0.8 or later on the server, then run: ALTER EXTENSION vector UPDATE;",
        ),
        (Some(version), _) => Finding::ok(check, version),
        (None, Some(version)) if parsed(&version) >= OLDEST_PGVECTOR => {
            Finding::ok(check, format!("{version}, available on the server"))
        }
        (None, Some(version)) => Finding::fail(check, format!("{version} is too old"), INSTALL),
        (None, None) => Finding::fail(check, "not installed on the server", INSTALL),
    })
}

async fn trigrams(connection: &mut PgConnection) -> Result<Finding, StoreError> {
    let (installed, available) = extension(connection, "pg_trgm").await?;
    let check = "pg_trgm";
    Ok(match (installed, available) {
        (Some(version), _) => Finding::ok(check, version),
        (None, Some(version)) => Finding::ok(check, format!("{version}, available on the server")),
        (None, None) => Finding::fail(
            check,
            "not installed on the server",
            "install the contributed modules on the server (Debian: they come with postgresql-17)",
        ),
    })
}

fn schema(state: SchemaState, migrate: Migrate, owner: Owner) -> Finding {
    let check = "schema";
    if owner == Owner::Ariel {
        return match state.has_entries {
            true => Finding::ok(check, "a database of ARIEL, read-only"),
            false => Finding::fail(
                check,
                "there is no table `enhanced_entries`",
                "set `store.uri` to the database of ARIEL, or remove `store.adopt`",
            ),
        };
    }
    match state.version {
        SUPPORTED => Finding::ok(check, format!("{SUPPORTED}, current")),
        newer if newer > SUPPORTED => Finding::fail(
            check,
            format!("{newer}; this version supports up to {SUPPORTED}"),
            "update this program",
        ),
        _ if state.is_ariels() => Finding::fail(
            check,
            "a database of ARIEL, not migrated",
            "set `store.adopt: ariel` to search it unchanged, or back it up and run \
             `gannet migrate`",
        ),
        _ if state.is_empty() && migrate == Migrate::Never => {
            Finding::fail(check, "the database is empty", "run `gannet migrate`")
        }
        _ if state.is_empty() => Finding::warn(
            check,
            "the database is empty",
            "nothing: it is set up at first use",
        ),
        older => Finding::fail(
            check,
            format!("{older}; this version requires {SUPPORTED}"),
            "back it up and run `gannet migrate`",
        ),
    }
}

/// Rows that ARIEL wrote and that are not adopted yet.
async fn waiting(connection: &mut PgConnection) -> Result<Option<Finding>, StoreError> {
    let waiting: i64 = sqlx::query_scalar("SELECT count(*) FROM enhanced_entries WHERE waits")
        .fetch_one(connection)
        .await
        .doing("count entries of ARIEL's")?;
    Ok((waiting > 0).then(|| {
        Finding::warn(
            "adoption",
            format!("{waiting} entries written by ARIEL are not searchable yet"),
            "run `gannet migrate`; any other command that opens the store adopts them too",
        )
    }))
}
