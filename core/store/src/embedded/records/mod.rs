//! The truth: entries, embeddings and the order of changes, in SQLite.

mod access;
mod arrivals;
mod backup;
mod backup_read;
mod backup_write;
mod changes;
mod copy;
mod copy_entries;
mod copy_vectors;
mod coverage;
mod embeddings;
mod enhancement;
mod erase;
mod existing;
mod facets;
mod history;
mod indexed;
mod list;
mod plugin_state;
mod read;
mod row;
mod row_checksum;
mod runs;
mod token_vectors;
mod upsert;
mod verification;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Connection, SqlSafeStr, Sqlite, Transaction};

use crate::error::{SqliteContext, StoreError};

pub(crate) use backup::{check_file, copy_file, count_records};
pub(crate) use copy::CopyPosition;
pub(crate) use copy_entries::CopiedEntry;
pub(crate) use copy_vectors::{CopiedModel, CopiedVectors};
pub(crate) use embeddings::{ModelRow, PassageRow};
pub(crate) use indexed::IndexedRows;
pub(crate) use upsert::Enhancements;
pub(crate) use verification::StoredVectors;

pub(crate) use access::is_denied;
use access::{Access, Opened};

/// In order: number, name and SQL. sqlx notes the checksum of the SQL in the
/// database, so that a migration never changes.
const MIGRATIONS: [(i64, &str, &str); 5] = [
    (1, "records", include_str!("migrations/0001_records.sql")),
    (2, "history", include_str!("migrations/0002_history.sql")),
    (
        3,
        "token_vectors",
        include_str!("migrations/0003_token_vectors.sql"),
    ),
    (
        4,
        "entry_checksums",
        include_str!("migrations/0004_entry_checksums.sql"),
    ),
    (
        5,
        "plugin_state",
        include_str!("migrations/0005_plugin_state.sql"),
    ),
];

/// The format of the database, in `PRAGMA user_version`. It rises by one with
/// every migration.
pub(crate) const FORMAT: i64 = MIGRATIONS.len() as i64;
/// "GNNT" in ASCII, in `PRAGMA application_id`.
const APPLICATION_ID: i64 = 0x474e_4e54;
/// How much of the database searches read through the page tables instead of
/// copying it: the most that SQLite takes. Token vectors are read from all over
/// it, in half of the time.
const MAPPED_BYTES: &str = "2147418112";
/// Page cache of each connection that searches or writes, and of each that reads
/// in order; a negative number is KiB.
const CACHE: &str = "-65536";
const SEQUENTIAL_CACHE: &str = "-8192";
/// Bytes of a page of a new database. A vector with the token vectors of its
/// passage takes some 3 kB: pages of 4 kB hold one and are a quarter empty.
const PAGE_BYTES: u32 = 16_384;
/// Pages of the log from which on it is brought into the database. With less,
/// a load writes the same pages of the indexes again and again.
const LOG_PAGES: &str = "1000";
const READERS: u32 = 4;
/// How long a statement waits for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// The records of one store. One connection writes, a few read for searches.
/// What reads all entries once and in order, to index or to copy them, has
/// connections of its own, which map no file: otherwise a load would keep the
/// whole database in the memory of the process.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    writer: SqlitePool,
    readers: SqlitePool,
    sequential: SqlitePool,
    /// SQLite's log of what is committed.
    wal: PathBuf,
    /// Whether every commit waits for the disk.
    synchronous_full: bool,
    path: PathBuf,
    access: Access,
}

impl Records {
    /// Opens the database, making and migrating it as needed. The caller sees
    /// to it that no two processes do this at once.
    pub(crate) async fn open(path: &Path, synchronous_full: bool) -> Result<Self, StoreError> {
        let mut opened = access::open(path, connect_options(path, synchronous_full)).await?;
        if !is_current(&mut opened.connection, path).await? {
            if let Access::ReadOnly(reason) = opened.access {
                return Err(read_only_error("migrate the database", path, &reason));
            }
            migrate(&mut opened.connection, path).await?;
        }
        Self::over(path, opened, synchronous_full).await
    }

    async fn over(path: &Path, opened: Opened, synchronous_full: bool) -> Result<Self, StoreError> {
        opened.connection.close().await.doing("open the database")?;
        Ok(Self {
            writer: pool(1, opened.writer),
            sequential: pool(
                READERS,
                opened
                    .readers
                    .clone()
                    .pragma("cache_size", SEQUENTIAL_CACHE),
            ),
            readers: pool(READERS, opened.readers.pragma("mmap_size", MAPPED_BYTES)),
            wal: wal_of(path),
            synchronous_full,
            path: path.to_path_buf(),
            access: opened.access,
        })
    }

    /// Why the database is only read; `None` when it can be written.
    pub(crate) fn read_only(&self) -> Option<&str> {
        match &self.access {
            Access::Full => None,
            Access::ReadOnly(reason) => Some(reason),
        }
    }

    /// # Errors
    /// [`StoreError::ReadOnlyFolder`] when the database is only read.
    pub(crate) fn refuse_when_read_only(&self, action: &'static str) -> Result<(), StoreError> {
        match self.read_only() {
            None => Ok(()),
            Some(reason) => Err(read_only_error(action, &self.path, reason)),
        }
    }

    /// Opens a database that is there, of this program's format, without
    /// changing it.
    pub(crate) async fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        let reason = "it is only looked at".to_owned();
        // Where nobody has the database open, there is no log of it, and
        // reading it in the usual way would leave one behind.
        let is_at_rest = !wal_of(path).exists();
        let options = connect_options(path, false).immutable(is_at_rest);
        let mut opened = access::open_to_read(path, options, reason).await?;
        if !is_current(&mut opened.connection, path).await? {
            return Err(StoreError::OlderFormat {
                path: path.to_path_buf(),
            });
        }
        Self::over(path, opened, false).await
    }

    /// Opens a database that is there, of this program's format, which others
    /// may be writing. A backup is not changed by it.
    pub(crate) async fn open_beside(path: &Path) -> Result<Self, StoreError> {
        if !is_in_wal_mode(path).map_err(|error| StoreError::io("read", path, error))? {
            return Self::open_to_read(path).await;
        }
        let options = connect_options(path, false).create_if_missing(false);
        let mut opened = access::open(path, options).await?;
        if !is_current(&mut opened.connection, path).await? {
            return Err(StoreError::OlderFormat {
                path: path.to_path_buf(),
            });
        }
        Self::over(path, opened, false).await
    }

    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.sequential.close().await;
        if self.read_only().is_none() {
            self.empty_log().await;
        }
        self.writer.close().await;
    }

    /// The database is whole without its log, unless another process reads:
    /// then the last one to close brings the log in.
    async fn empty_log(&self) {
        let checkpoint =
            sqlx::raw_sql("PRAGMA busy_timeout = 500; PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(&self.writer)
                .await;
        if let Err(error) = checkpoint {
            tracing::debug!(%error, "the log stays beside the database");
        }
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
        self.refuse_when_read_only("write to the store")?;
        self.writer
            .begin_with("BEGIN IMMEDIATE")
            .await
            .doing("begin a transaction")
    }
}

fn read_only_error(action: &'static str, database: &Path, reason: &str) -> StoreError {
    StoreError::ReadOnlyFolder {
        action,
        path: database.parent().unwrap_or(database).to_path_buf(),
        reason: reason.to_owned(),
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

/// A file that SQLite wrote anew, as that of a backup, is not, and opening it in
/// the usual way would change it.
fn is_in_wal_mode(path: &Path) -> std::io::Result<bool> {
    let mut header = [0; 20];
    std::fs::File::open(path)?.read_exact(&mut header)?;
    Ok(header[18] == 2)
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
        .page_size(PAGE_BYTES)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(500)
        .pragma("cache_size", CACHE)
        .pragma("mmap_size", "0")
        .pragma("wal_autocheckpoint", LOG_PAGES)
        .pragma("temp_store", "memory")
}

fn pool(size: u32, options: SqliteConnectOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(size)
        .min_connections(0)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        // After a full disk SQLite has ended the transaction by itself, and
        // sqlx cannot: such a connection would refuse every later one.
        .before_acquire(|connection, _| {
            let is_free = !connection.is_in_transaction();
            Box::pin(async move { Ok(is_free) })
        })
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
    migrations()
        .run(&mut *connection)
        .await
        .map_err(|source| StoreError::Migration {
            path: path.to_path_buf(),
            source,
        })?;
    row_checksum::fill_in(connection).await?;
    sqlx::query(AssertSqlSafe(format!("PRAGMA user_version = {FORMAT}")))
        .execute(&mut *connection)
        .await
        .doing("mark the database")?;
    Ok(())
}

fn migrations() -> Migrator {
    let kind = MigrationType::Simple;
    let migrations = MIGRATIONS.map(|(number, name, sql)| {
        Migration::new(number, name.into(), kind, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.into())
}
