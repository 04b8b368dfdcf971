//! The schema: which one a database has, and how it gets to this program's.

use sqlx::{Acquire, PgConnection};

use super::options::Migrate;
use crate::error::{DatabaseContext, StoreError, postgres_code};

struct Migration {
    version: i32,
    name: &'static str,
    sql: &'static str,
}

/// In order; each is run once. The schema of this program is the last one's.
const MIGRATIONS: [Migration; 5] = [
    Migration {
        version: 1,
        name: "records",
        sql: include_str!("migrations/0001_records.sql"),
    },
    Migration {
        version: 2,
        name: "text",
        sql: include_str!("migrations/0002_text.sql"),
    },
    Migration {
        version: 3,
        name: "token_vectors",
        sql: include_str!("migrations/0003_token_vectors.sql"),
    },
    Migration {
        version: 4,
        name: "unspaced text",
        sql: include_str!("migrations/0004_unspaced_text.sql"),
    },
    Migration {
        version: 5,
        name: "plugin state",
        sql: include_str!("migrations/0005_plugin_state.sql"),
    },
];
pub(super) const SUPPORTED: i32 = MIGRATIONS[MIGRATIONS.len() - 1].version;
/// "GNNT" in ASCII. One process at a time holds it while it migrates.
const LOCK: i64 = 0x474e_4e54;

/// Sees to it that the database has this program's schema.
pub(super) async fn prepare(
    connection: &mut PgConnection,
    database: &str,
    when: Migrate,
) -> Result<(), StoreError> {
    check_encoding(connection, database).await?;
    if is_current(connection, database).await? {
        return Ok(());
    }
    let state = SchemaState::of(connection).await?;
    let may_migrate = match when {
        Migrate::Never => false,
        Migrate::WhenEmpty => state.is_empty(),
        Migrate::Always => true,
    };
    if may_migrate {
        return migrate(connection, database).await;
    }
    let database = database.to_owned();
    if state.is_ariels() {
        return Err(StoreError::ArielsDatabase { database });
    }
    Err(StoreError::OlderSchema {
        database,
        found: state.version,
        needed: SUPPORTED,
    })
}

/// What a database holds of this program, and of ARIEL.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaState {
    /// The schema; 0 when it has none of ours.
    pub(super) version: i32,
    /// Whether there are tables of ours.
    has_ours: bool,
    /// Whether there is a table of entries, ours or ARIEL's.
    pub(super) has_entries: bool,
}

impl SchemaState {
    pub(super) async fn of(connection: &mut PgConnection) -> Result<Self, StoreError> {
        let version = version(connection).await?;
        let (has_ours, has_entries) = sqlx::query_as(
            "SELECT to_regclass('gannet_schema') IS NOT NULL, \
             to_regclass('enhanced_entries') IS NOT NULL",
        )
        .fetch_one(connection)
        .await
        .doing("look for the entries")?;
        Ok(Self {
            version,
            has_ours,
            has_entries,
        })
    }

    pub(super) fn is_empty(self) -> bool {
        !self.has_ours && !self.has_entries
    }

    /// Whether there are ARIEL's tables and none of ours.
    pub(super) fn is_ariels(self) -> bool {
        !self.has_ours && self.has_entries
    }
}

/// The names of the steps that a schema lacks.
pub(super) fn names_after(version: i32) -> Vec<String> {
    let missing = MIGRATIONS.iter().filter(|step| step.version > version);
    missing.map(|step| step.name.to_owned()).collect()
}

/// The SQL of all steps, in order.
pub(super) fn statements() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|step| step.sql)
}

/// Major and minor number of pgvector.
pub(super) type Version = (u32, u32);

/// pgvector's first version with vectors in half precision.
pub(super) const OLDEST_PGVECTOR: Version = (0, 7);

/// The version of pgvector; refuses one that is too old.
pub(super) async fn check_extensions(
    connection: &mut PgConnection,
    database: &str,
) -> Result<Version, StoreError> {
    let text: Option<String> =
        sqlx::query_scalar("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            .fetch_optional(connection)
            .await
            .doing("read the version of pgvector")?;
    let text = text.unwrap_or_default();
    let version = parsed(&text);
    if version >= OLDEST_PGVECTOR {
        return Ok(version);
    }
    Err(StoreError::UnfitDatabase {
        database: database.to_owned(),
        reason: format!(
            "it has pgvector `{text}`; install 0.7 or later on its server and run \
             `ALTER EXTENSION vector UPDATE`"
        ),
    })
}

/// Major and minor number of `0.8.1`; 0 for what is no number.
pub(super) fn parsed(text: &str) -> Version {
    let mut numbers = text.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Texts of all languages are compared byte by byte in UTF-8.
pub(super) async fn check_encoding(
    connection: &mut PgConnection,
    database: &str,
) -> Result<(), StoreError> {
    let encoding: String = sqlx::query_scalar("SELECT current_setting('server_encoding')")
        .fetch_one(connection)
        .await
        .doing("read the database's encoding")?;
    if encoding == "UTF8" {
        return Ok(());
    }
    Err(StoreError::UnfitDatabase {
        database: database.to_owned(),
        reason: format!("its encoding is {encoding}; create one with `createdb --encoding UTF8`"),
    })
}

async fn is_current(connection: &mut PgConnection, database: &str) -> Result<bool, StoreError> {
    Ok(refuse_newer(connection, database).await? == SUPPORTED)
}

/// The schema that the database has, which this program has to know.
pub(super) async fn refuse_newer(
    connection: &mut PgConnection,
    database: &str,
) -> Result<i32, StoreError> {
    let found = version(connection).await?;
    if found > SUPPORTED {
        return Err(StoreError::NewerSchema {
            database: database.to_owned(),
            found,
            supported: SUPPORTED,
        });
    }
    Ok(found)
}

/// The schema that the database has; 0 when it has none of ours.
async fn version(connection: &mut PgConnection) -> Result<i32, StoreError> {
    // By a table of the catalogue: `to_regclass` alone may answer from what
    // the server knew before it waited for another process that migrates.
    let exists: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_class WHERE oid = to_regclass('gannet_schema'))",
    )
    .fetch_one(&mut *connection)
    .await
    .doing("look for the schema")?;
    if !exists {
        return Ok(0);
    }
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM gannet_schema")
        .fetch_one(connection)
        .await
        .doing("read the schema's version")
}

/// All steps in one transaction: they are taken whole, or not at all.
async fn migrate(connection: &mut PgConnection, database: &str) -> Result<(), StoreError> {
    let mut transaction = connection.begin().await.doing("begin to migrate")?;
    sqlx::query(
        "SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)",
    )
    .execute(&mut *transaction)
    .await
    .doing("begin to migrate")?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(LOCK)
        .execute(&mut *transaction)
        .await
        .doing("wait for another process that migrates")?;
    if is_current(&mut transaction, database).await? {
        return Ok(());
    }
    let found = version(&mut transaction).await?;
    sqlx::query(
        "CREATE TABLE IF NOT EXISTS gannet_schema (version INTEGER PRIMARY KEY, \
         name TEXT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())",
    )
    .execute(&mut *transaction)
    .await
    .doing("note the schema's version")?;
    for step in MIGRATIONS.iter().filter(|step| step.version > found) {
        sqlx::raw_sql(step.sql)
            .execute(&mut *transaction)
            .await
            .map_err(|source| refused(source, database))?;
        sqlx::query("INSERT INTO gannet_schema (version, name) VALUES ($1, $2)")
            .bind(step.version)
            .bind(step.name)
            .execute(&mut *transaction)
            .await
            .doing("note the schema's version")?;
    }
    transaction.commit().await.doing("migrate the database")
}

/// What an operator has to do when a step is refused.
fn refused(source: sqlx::Error, database: &str) -> StoreError {
    let reason = match postgres_code(&source).as_deref() {
        // Undefined file, or feature not supported: no such extension.
        Some("58P01" | "0A000") => format!(
            "{source}; install pgvector 0.7 or later and pg_trgm on its server \
             (Debian: postgresql-17-pgvector)"
        ),
        // Insufficient privilege.
        Some("42501") => format!(
            "{source}; as its owner run `CREATE EXTENSION vector; CREATE EXTENSION pg_trgm`, \
             and let this role own the tables"
        ),
        _ => {
            return StoreError::Database {
                action: "migrate the database",
                source,
            };
        }
    };
    StoreError::UnfitDatabase {
        database: database.to_owned(),
        reason,
    }
}
