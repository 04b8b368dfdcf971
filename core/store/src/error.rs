//! What can go wrong in a store.

use std::io;
use std::path::{Path, PathBuf};

use crate::vector::VectorError;

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
    #[error("no space left on the disk of {} while trying to {action}; free some and repeat", path.display())]
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
    /// The database cannot be brought to this program's version.
    #[error("cannot migrate {}: {source}; restore a backup, or use the program that wrote it", path.display())]
    Migration {
        /// The database.
        path: PathBuf,
        /// The cause.
        source: sqlx::migrate::MigrateError,
    },
    /// The database was written by a newer program.
    #[error("{} has format {found}, this program reads up to {supported}; use the newer program that wrote it", path.display())]
    NewerFormat {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that this program knows.
        supported: i64,
    },
    /// The database is some other program's.
    #[error("{} is not a Gannet store; name another folder", path.display())]
    NotAStore {
        /// The database.
        path: PathBuf,
    },
    /// The text index failed.
    #[error("cannot {action} in the text index: {source}")]
    Text {
        /// What was tried, as a verb.
        action: &'static str,
        /// The cause.
        source: tantivy::TantivyError,
    },
    /// The vector index failed.
    #[error("vector index: {0}")]
    Vector(#[from] VectorError),
    /// A model's vectors do not fit those that are stored under its name.
    #[error(
        "model `{name}` has {stored} in the store, but is {offered} now; run `gannet enhance --force` to make its vectors anew"
    )]
    ModelChanged {
        /// The model.
        name: String,
        /// Variant and dimension in the store.
        stored: String,
        /// Variant and dimension that were offered.
        offered: String,
    },
    /// No vectors of this model are in the store.
    #[error(
        "no model named `{name}` in the store; embed the entries with it first (`gannet enhance`)"
    )]
    UnknownModel {
        /// The model.
        name: String,
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
    #[error("stored {what} of entry `{entry_id}` is damaged: {reason}")]
    Damaged {
        /// Which column.
        what: &'static str,
        /// The entry's id.
        entry_id: String,
        /// The cause.
        reason: String,
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
            Self::Behind { .. } => true,
            Self::Database { source, .. } => is_busy(source),
            Self::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ),
            _ => false,
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

impl From<StoreError> for gannet_api::Error {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::InvalidRequest { .. } | StoreError::InvalidEntry { .. } => {
                Self::invalid_input(error.to_string())
            }
            _ => Self::Store {
                retryable: error.is_retryable(),
                message: error.to_string(),
            },
        }
    }
}

/// Adds to a database error what was tried.
pub(crate) trait DatabaseContext<T> {
    fn doing(self, action: &'static str) -> Result<T, StoreError>;
}

impl<T> DatabaseContext<T> for Result<T, sqlx::Error> {
    fn doing(self, action: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| match primary_code(&source) {
            Some(SQLITE_FULL) => StoreError::DiskFull {
                action,
                path: PathBuf::from("the database"),
            },
            _ => StoreError::Database { action, source },
        })
    }
}

/// Adds to a text index error what was tried.
pub(crate) trait TextContext<T> {
    fn doing(self, action: &'static str) -> Result<T, StoreError>;
}

impl<T> TextContext<T> for Result<T, tantivy::TantivyError> {
    fn doing(self, action: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| match &source {
            tantivy::TantivyError::IoError(io) if io.kind() == io::ErrorKind::StorageFull => {
                StoreError::DiskFull {
                    action,
                    path: PathBuf::from("the text index"),
                }
            }
            _ => StoreError::Text { action, source },
        })
    }
}

// Result codes of SQLite (sqlite.org/rescode.html).
const SQLITE_BUSY: i32 = 5;
const SQLITE_LOCKED: i32 = 6;
const SQLITE_FULL: i32 = 13;

fn is_busy(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::PoolTimedOut)
        || matches!(primary_code(error), Some(SQLITE_BUSY | SQLITE_LOCKED))
}

/// The low byte of an extended result code is the primary one.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}
