//! The truth: entries, embeddings and the order of changes, in SQLite.

mod changes;
mod copy;
mod copy_entries;
mod copy_vectors;
mod coverage;
mod embeddings;
mod enhancement;
mod history;
mod list;
mod read;
mod row;
mod runs;
mod upsert;
mod verification;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Connection, Sqlite, Transaction};

use crate::error::{DatabaseContext, StoreError};

pub(crate) use changes::TextChanges;
pub(crate) use copy::CopyPosition;
pub(crate) use copy_entries::CopiedEntry;
pub(crate) use copy_vectors::{CopiedModel, CopiedVectors};
pub(crate) use embeddings::{ModelRow, PassageRow, VectorChanges};
pub(crate) use row::EntryRow;
pub(crate) use upsert::Enhancements;
pub(crate) use verification::StoredVectors;

static MIGRATIONS: Migrator = sqlx::migrate!("src/embedded/records/migrations");

/// The format of the database, in `PRAGMA user_version`. It rises by one with
/// every migration.
pub(crate) const FORMAT: i64 = 2;
/// "GNNT" in ASCII, in `PRAGMA application_id`.
const APPLICATION_ID: i64 = 0x474e_4e54;
const READERS: u32 = 4;
/// How long a statement waits for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// The records of one store. One connection writes, a few read.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    writer: SqlitePool,
    readers: SqlitePool,
    /// SQLite's log of what is committed.
    wal: PathBuf,
    /// Whether every commit waits for the disk.
    synchronous_full: bool,
}

impl Records {
    /// Opens the database, making and migrating it as needed. The caller sees
    /// to it that no two processes do this at once.
    pub(crate) async fn open(path: &Path, synchronous_full: bool) -> Result<Self, StoreError> {
        let options = connect_options(path, synchronous_full);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .doing("open the database")?;
        if !is_current(&mut connection, path).await? {
            migrate(&mut connection, path).await?;
        }
        connection.close().await.doing("open the database")?;
        Ok(Self {
            writer: pool(1, options.clone()),
            readers: pool(READERS, options.read_only(true).create_if_missing(false)),
            wal: wal_of(path),
            synchronous_full,
        })
    }

    /// Opens a database that is there, of this program's format, without
    /// changing it.
    pub(crate) async fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        // Where nobody has the database open, there is no log of it, and
        // reading it in the usual way would leave one behind.
        let is_at_rest = !path.with_extension("db-wal").exists();
        let options = connect_options(path, false)
            .read_only(true)
            .immutable(is_at_rest)
            .create_if_missing(false);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .doing("open the database")?;
        let is_current = is_current(&mut connection, path).await;
        connection.close().await.doing("open the database")?;
        if !is_current? {
            return Err(StoreError::InvalidRequest {
                message: format!(
                    "{} was written by an older program; open it once, with `gannet status`",
                    path.display()
                ),
            });
        }
        Ok(Self {
            writer: pool(1, options.clone()),
            readers: pool(READERS, options),
            wal: wal_of(path),
            synchronous_full: false,
        })
    }

    pub(crate) async fn close(&self) {
        self.readers.close().await;
        // The database is whole without its log, unless another process reads:
        // then the last one to close brings the log in.
        let checkpoint =
            sqlx::raw_sql("PRAGMA busy_timeout = 500; PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(&self.writer)
                .await;
        if let Err(error) = checkpoint {
            tracing::debug!(%error, "the log stays beside the database");
        }
        self.writer.close().await;
    }

    /// The number of the last change.
    pub(crate) async fn sequence(&self) -> Result<i64, StoreError> {
        sqlx::query_scalar("SELECT last FROM sequence")
            .fetch_one(&self.readers)
            .await
            .doing("read the change number")
    }

    /// The random name that this database was given when it was made.
    pub(crate) async fn origin(&self) -> Result<String, StoreError> {
        sqlx::query_scalar("SELECT origin FROM sequence")
            .fetch_one(&self.readers)
            .await
            .doing("read the database's name")
    }

    /// A transaction that holds the write lock from its start, so that it
    /// cannot fail halfway for another writer's sake.
    async fn begin(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.writer
            .begin_with("BEGIN IMMEDIATE")
            .await
            .doing("begin a transaction")
    }
}

/// Takes the next `count` change numbers; the first of them is returned.
async fn reserve(connection: &mut SqliteConnection, count: usize) -> Result<i64, StoreError> {
    let count = as_i64(count);
    let last: i64 = sqlx::query_scalar("UPDATE sequence SET last = last + ? RETURNING last")
        .bind(count)
        .fetch_one(connection)
        .await
        .doing("take a change number")?;
    Ok(last - count + 1)
}

/// Counts and ordinals are far below 2⁶³.
fn as_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn now_micros() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// Texts as the JSON array that `json_each` reads.
fn json_list(texts: &[impl AsRef<str>]) -> String {
    serde_json::Value::from_iter(texts.iter().map(AsRef::as_ref)).to_string()
}

fn json_numbers(numbers: &[i64]) -> String {
    serde_json::Value::from_iter(numbers.iter().copied()).to_string()
}

fn wal_of(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    wal.into()
}

fn connect_options(path: &Path, synchronous_full: bool) -> SqliteConnectOptions {
    let synchronous = if synchronous_full {
        SqliteSynchronous::Full
    } else {
        SqliteSynchronous::Normal
    };
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(500)
        .pragma("cache_size", "-65536")
        .pragma("mmap_size", "268435456")
        .pragma("temp_store", "memory")
}

fn pool(size: u32, options: SqliteConnectOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(size)
        .min_connections(0)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_lazy_with(options)
}

/// Whether the database has this program's format; an error when it is none
/// of ours, or newer.
async fn is_current(connection: &mut SqliteConnection, path: &Path) -> Result<bool, StoreError> {
    let application_id: i64 = sqlx::query_scalar("PRAGMA application_id")
        .fetch_one(&mut *connection)
        .await
        .doing("read the database's header")?;
    let found: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut *connection)
        .await
        .doing("read the database's header")?;
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut *connection)
        .await
        .doing("read the database's header")?;
    let is_new = tables == 0 && application_id == 0;
    if !is_new && application_id != APPLICATION_ID {
        return Err(StoreError::NotAStore {
            path: path.to_path_buf(),
        });
    }
    if found > FORMAT {
        return Err(StoreError::NewerFormat {
            path: path.to_path_buf(),
            found,
            supported: FORMAT,
        });
    }
    Ok(found == FORMAT)
}

async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    // The id comes first: a migration that is cut off must leave a file that
    // is still recognised.
    sqlx::query("PRAGMA application_id = 0x474e4e54")
        .execute(&mut *connection)
        .await
        .doing("mark the database")?;
    MIGRATIONS
        .run(&mut *connection)
        .await
        .map_err(|source| StoreError::Migration {
            path: path.to_path_buf(),
            source,
        })?;
    sqlx::query(AssertSqlSafe(format!("PRAGMA user_version = {FORMAT}")))
        .execute(&mut *connection)
        .await
        .doing("mark the database")?;
    Ok(())
}
