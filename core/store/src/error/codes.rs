//! What the codes of databases say of an error.

use sqlx::error::DatabaseError;

use super::StoreError;

// Result codes of SQLite (sqlite.org/rescode.html).
const SQLITE_BUSY: i32 = 5;
const SQLITE_LOCKED: i32 = 6;
const SQLITE_FULL: i32 = 13;
const SQLITE_PERM: i32 = 3;
const SQLITE_READONLY: i32 = 8;
const SQLITE_CANTOPEN: i32 = 14;
const SQLITE_IOERR_WRITE: i32 = 778;
const SQLITE_IOERR_SHMSIZE: i32 = 4874;
const SQLITE_IOERR_SHMMAP: i32 = 5386;

pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(SQLITE_BUSY | SQLITE_LOCKED))
}

pub(super) fn is_full(error: &sqlx::Error) -> bool {
    primary_code(error) == Some(SQLITE_FULL) || postgres_code(error).as_deref() == Some("53100")
}

/// The low byte of an extended result code is the primary one.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    Some(extended_code(error)? & 0xff)
}

fn extended_code(error: &sqlx::Error) -> Option<i32> {
    let error = error.as_database_error()?;
    let error: &sqlx::sqlite::SqliteError = error.try_downcast_ref()?;
    error.code()?.parse().ok()
}

/// Whether SQLite could not open a database because the disk is full.
pub(crate) fn needs_space(error: &sqlx::Error) -> bool {
    let code = extended_code(error);
    is_full(error)
        || matches!(
            code,
            Some(SQLITE_IOERR_WRITE | SQLITE_IOERR_SHMSIZE | SQLITE_IOERR_SHMMAP)
        )
}

/// Whether SQLite could not open a database because it cannot write beside
/// it.
pub(crate) fn needs_writing(error: &sqlx::Error) -> bool {
    let code = primary_code(error);
    matches!(code, Some(SQLITE_PERM | SQLITE_READONLY | SQLITE_CANTOPEN))
}

/// The SQLSTATE of an error of PostgreSQL (its manual, appendix A).
pub(crate) fn postgres_code(error: &sqlx::Error) -> Option<String> {
    let error = error.as_database_error()?;
    let error: &sqlx::postgres::PgDatabaseError = error.try_downcast_ref()?;
    Some(error.code().to_owned())
}

/// Whether it was the moment and not the question: two transactions in each
/// other's way, or a connection that broke.
pub(crate) fn is_transient(error: &StoreError) -> bool {
    let (StoreError::Database { source, .. } | StoreError::Connection { source, .. }) = error
    else {
        return false;
    };
    if matches!(source, sqlx::Error::Io(_)) {
        return true;
    }
    postgres_code(source).is_some_and(|code| {
        // Serialisation failure, deadlock, shutdown, not yet started.
        code.starts_with("08")
            || ["40001", "40P01", "57P01", "57P02", "57P03"].contains(&code.as_str())
    })
}

/// Whether the server, and not the question, is why a call failed; or a
/// replica, which ended it for the sake of what it has to take over.
pub(crate) fn is_away(error: &StoreError) -> bool {
    matches!(error, StoreError::NoConnection { .. })
        || is_transient(error)
        || matches!(error, StoreError::Database { source, .. }
            if postgres_code(source).as_deref() == Some("53300"))
}

/// Whether the same may succeed later, when the server is less busy, or back.
pub(super) fn may_pass(error: &sqlx::Error) -> bool {
    if matches!(error, sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut) {
        return true;
    }
    postgres_code(error).is_some_and(|code| {
        // Connection, resources, rollback; a time-out; a standby.
        ["08", "40", "53", "57P"]
            .iter()
            .any(|class| code.starts_with(class))
            || ["55P03", "57014", "25006"].contains(&code.as_str())
    })
}
