//! Errors of libraries, with what was tried.

use std::path::PathBuf;

use super::StoreError;
use super::codes::is_full;

/// Adds to a database error what was tried.
pub(crate) trait DatabaseContext<T> {
    fn doing(self, action: &'static str) -> Result<T, StoreError>;
}

impl<T> DatabaseContext<T> for Result<T, sqlx::Error> {
    fn doing(self, action: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| {
            match source {
                sqlx::Error::PoolClosed => return StoreError::Closed,
                sqlx::Error::PoolTimedOut => return StoreError::NoConnection { action },
                _ => {}
            }
            if is_full(&source) {
                return StoreError::DiskFull {
                    action,
                    path: PathBuf::from("the database"),
                };
            }
            StoreError::Database { action, source }
        })
    }
}

/// Adds to an error of a store's own database what was tried. It has no
/// server that could be away.
pub(crate) trait SqliteContext<T> {
    fn doing(self, action: &'static str) -> Result<T, StoreError>;
}

impl<T> SqliteContext<T> for Result<T, sqlx::Error> {
    fn doing(self, action: &'static str) -> Result<T, StoreError> {
        match self {
            Err(sqlx::Error::PoolTimedOut) => Err(StoreError::Busy { action }),
            result => DatabaseContext::doing(result, action),
        }
    }
}
