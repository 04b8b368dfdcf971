//! What can go wrong in a store.

mod codes;
mod context;

use std::io;
use std::path::{Path, PathBuf};

use gannet_index::IndexError;
use gannet_vectors::InvalidVector;

use codes::{is_busy, may_pass};

pub(crate) use codes::{is_away, is_transient, needs_space, needs_writing, postgres_code};
pub(crate) use context::{DatabaseContext, SqliteContext};

/// What a store can fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or folder cannot be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is no room left.
    #[error("no space left on the disk of {} while trying to {action}; free some space and retry", path.display())]
    DiskFull {
        /// What was tried, as a verb.
        action: &'static str,
        /// The store's folder, or the file.
        path: PathBuf,
    },
    /// The database failed.
    #[error("cannot {action}: {source}")]
    Database {
        /// What was tried, as a verb.
        action: &'static str,
        /// The cause.
        source: sqlx::Error,
    },
    /// No connection could be had in the time given.
    #[error(
        "cannot {action}: timed out waiting for a connection to the database; the server is unreachable or busy, try again in a moment"
    )]
    NoConnection {
        /// What was tried, as a verb.
        action: &'static str,
    },
    /// The database cannot be brought to this program's version.
    #[error("cannot migrate {}: {source}; restore a backup, or use the version that wrote it", path.display())]
    Migration {
        /// The database.
        path: PathBuf,
        /// The cause.
        source: sqlx::migrate::MigrateError,
    },
    /// The database was written by a newer program.
    #[error("{} has format {found}, but this version reads up to {supported}; use the newer version that wrote it", path.display())]
    NewerFormat {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that this program knows.
        supported: i64,
    },
    /// A folder has indexes and no records.
    #[error("{} has indexes, but `store.db` with the entries is missing; put a copy of it back, or remove the folder and ingest the sources again", path.display())]
    RecordsLost {
        /// The folder.
        path: PathBuf,
    },
    /// The database was written by an older program, and is only looked at.
    #[error("{} was written by an older version; open it once, with `gannet status`", path.display())]
    OlderFormat {
        /// The database.
        path: PathBuf,
    },
    /// The database is some other program's.
    #[error("{} is not a Gannet store; name another folder", path.display())]
    NotAStore {
        /// The database.
        path: PathBuf,
    },
    /// The database server cannot be reached, or lets nobody in.
    #[error("cannot connect to {database}: {source}; check `store.uri`, and that the server runs")]
    Connection {
        /// Host, port and name of the database.
        database: String,
        /// The cause.
        source: sqlx::Error,
    },
    /// The database was written by a newer program.
    #[error(
        "{database} has schema {found}, but this version supports up to {supported}; update it (`cargo install gannet`), or name another database"
    )]
    NewerSchema {
        /// Host, port and name of the database.
        database: String,
        /// Its schema.
        found: i32,
        /// The newest schema that this program knows.
        supported: i32,
    },
    /// The database has old tables of this program, and may not be changed.
    #[error(
        "{database} has schema {found}, but this version requires {needed}; back it up and run `gannet migrate`"
    )]
    OlderSchema {
        /// Host, port and name of the database.
        database: String,
        /// Its schema; 0 when it has none.
        found: i32,
        /// The schema of this program.
        needed: i32,
    },
    /// The database is a database of ARIEL, not migrated.
    #[error(
        "{database} is a database of ARIEL; to search it unchanged, set `store.adopt: ariel`; to migrate it, so that Gannet and ARIEL can both write, back it up and run `gannet migrate`"
    )]
    ArielsDatabase {
        /// Host, port and name of the database.
        database: String,
    },
    /// The database lacks what the store needs.
    #[error("{database} cannot hold a store: {reason}")]
    UnfitDatabase {
        /// Host, port and name of the database.
        database: String,
        /// What is missing and what to do.
        reason: String,
    },
    /// An index failed.
    #[error(transparent)]
    Index(IndexError),
    /// The text index is there and cannot be opened. Everything but searches
    /// of the text goes on.
    #[error("the text index cannot be read, so nothing can be searched by keyword: {reason}")]
    TextUnreadable {
        /// The cause.
        reason: String,
    },
    /// The folder of a store cannot be written, so it is only read.
    #[error(
        "cannot {action}: the store in {} is opened read-only ({reason}); make the folder and its files writable, or name another one",
        path.display()
    )]
    ReadOnlyFolder {
        /// What was tried, as a verb.
        action: &'static str,
        /// The store's folder.
        path: PathBuf,
        /// Why it cannot be written.
        reason: String,
    },
    /// Every connection to a store's database was in use for too long.
    #[error(
        "cannot {action}: all connections to the store's database were in use; too much is asked at once, try again in a moment"
    )]
    Busy {
        /// What was tried, as a verb.
        action: &'static str,
    },
    /// A model's vectors do not fit those that are stored under its name.
    #[error(
        "model `{name}` has {stored} in the store, but is {offered} now; run `gannet enhance --force` to rebuild its vectors"
    )]
    ModelChanged {
        /// The model.
        name: String,
        /// Variant and dimension in the store.
        stored: String,
        /// Variant and dimension that were offered.
        offered: String,
    },
    /// No store can hold the vectors of this model.
    #[error(
        "embedding model `{name}` cannot be used: {reason}; see `embedding` and `providers` in the configuration"
    )]
    InvalidModel {
        /// The model, its name cut.
        name: String,
        /// What is wrong, with the limit.
        reason: String,
    },
    /// No vectors of this model are in the store.
    #[error(
        "no model named `{name}` in the store; embed the entries with it first (`gannet enhance`)"
    )]
    UnknownModel {
        /// The model.
        name: String,
    },
    /// The vectors of a model cannot be searched now.
    #[error("the vectors of model `{model}` cannot be searched: {reason}")]
    VectorsUnusable {
        /// The model.
        model: String,
        /// Why they cannot be followed.
        reason: String,
    },
    /// The vectors of a model are being opened or rebuilt.
    #[error("the vectors of model `{model}` are being opened or rebuilt; search again in a moment")]
    VectorsNotReady {
        /// The model.
        model: String,
    },
    /// An entry cannot be stored.
    #[error("entry `{entry_id}` cannot be stored: {reason}")]
    InvalidEntry {
        /// The entry's id.
        entry_id: String,
        /// What is wrong.
        reason: String,
    },
    /// A request cannot be answered as it stands.
    #[error("{message}")]
    InvalidRequest {
        /// What is wrong and what to do.
        message: String,
    },
    /// A stored value cannot be read.
    #[error(
        "stored {what} of entry `{entry_id}` is damaged ({reason}); ingest its source again, or restore a backup"
    )]
    Damaged {
        /// Which column.
        what: &'static str,
        /// The entry's id.
        entry_id: String,
        /// The cause.
        reason: String,
    },
    /// ARIEL's database is only read, never written.
    #[error(
        "{database} belongs to ARIEL and is read-only; to {action}, set `store.adopt: none` and run `gannet migrate`"
    )]
    OnlyRead {
        /// Host, port and name of the database.
        database: String,
        /// What was tried, as a verb.
        action: &'static str,
    },
    /// The indexes have not caught up with the records in the time given.
    #[error(
        "the search indexes are behind the records (at change {applied} of {wanted}); try again"
    )]
    Behind {
        /// The change that was reached.
        applied: i64,
        /// The change that was waited for.
        wanted: i64,
    },
    /// The replica of a database has not caught up with it in the time given.
    #[error(
        "the replica is behind the database (at change {applied}); try again, or check the log of the process that replicates"
    )]
    CopyBehind {
        /// The change that was reached.
        applied: i64,
    },
    /// Only the process that holds the store's lock can do this.
    #[error("another process writes the indexes of {}; do this there, or stop it first", path.display())]
    NotTheWriter {
        /// The store's folder.
        path: PathBuf,
    },
    /// The store was closed, or its indexing thread died.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Behind { .. }
            | Self::CopyBehind { .. }
            | Self::NoConnection { .. }
            | Self::VectorsNotReady { .. }
            | Self::TextUnreadable { .. }
            | Self::Busy { .. } => true,
            Self::Database { source, .. } => is_busy(source) || may_pass(source),
            Self::Connection { source, .. } => may_pass(source),
            Self::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ),
            _ => false,
        }
    }

    /// Whether the database server could not be reached, or let nobody in.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Connection { .. }) || self.is_connection_lost()
    }

    /// Whether the connection to a database server broke, or could not be
    /// made, and not the server refused.
    pub(crate) fn is_connection_lost(&self) -> bool {
        let source = match self {
            Self::NoConnection { .. } => return true,
            Self::Database { source, .. } | Self::Connection { source, .. } => source,
            _ => return false,
        };
        let code = postgres_code(source);
        match code.as_deref() {
            // Connection, shutdown, a database that lets nobody in or is gone.
            Some(code) => {
                ["08", "57P"].iter().any(|class| code.starts_with(class))
                    || ["53300", "55000", "3D000"].contains(&code)
            }
            None => matches!(
                source,
                sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::PoolTimedOut
            ),
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { action, path }
            }
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }
}

impl From<IndexError> for StoreError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Io {
                action,
                path,
                source,
            } => Self::io(action, &path, source),
            IndexError::DiskFull { action, place } => Self::DiskFull {
                action,
                path: PathBuf::from(place),
            },
            IndexError::Unsupported { .. } => Self::InvalidRequest {
                message: error.to_string(),
            },
            error => Self::Index(error),
        }
    }
}

impl From<InvalidVector> for StoreError {
    fn from(error: InvalidVector) -> Self {
        Self::InvalidRequest {
            message: error.to_string(),
        }
    }
}

impl From<StoreError> for gannet_api::Error {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::InvalidRequest { .. } | StoreError::InvalidEntry { .. } => {
                Self::invalid_input(error.to_string())
            }
            // Nothing failed: the vectors are still to be made.
            StoreError::UnknownModel { .. } => Self::Unavailable {
                message: error.to_string(),
            },
            _ => Self::Store {
                retryable: error.is_retryable(),
                message: with_hint(&error),
            },
        }
    }
}

/// Whoever reads it may not know that the fault is one that passes.
fn with_hint(error: &StoreError) -> String {
    let text = error.to_string();
    if error.is_retryable() && !text.contains("try again") {
        return format!("{text}; try again in a moment");
    }
    text
}
