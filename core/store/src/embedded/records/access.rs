//! How a database file can be opened where the folder cannot be written, or
//! the disk is full.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::error::{SqliteContext, StoreError, needs_space, needs_writing};

/// How often a database is opened that this process must have alone.
const ATTEMPTS: u32 = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

/// How a database was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Access {
    /// It can be read and written.
    Full,
    /// It can only be read, for this reason.
    ReadOnly(String),
}

/// A way to open a database that works here.
pub(super) struct Opened {
    pub(super) access: Access,
    /// For the connection that writes.
    pub(super) writer: SqliteConnectOptions,
    /// For those that read.
    pub(super) readers: SqliteConnectOptions,
    pub(super) connection: SqliteConnection,
}

/// Opens a database: to write if that is possible, and to read otherwise.
pub(super) async fn open(path: &Path, options: SqliteConnectOptions) -> Result<Opened, StoreError> {
    if let Some(reason) = why_not_writable(path)? {
        return open_to_read(path, options, reason).await;
    }
    match connect(&options).await {
        Ok(connection) => Ok(Opened {
            access: Access::Full,
            readers: to_read(options.clone()),
            writer: options,
            connection,
        }),
        Err(error) if needs_space(&error) => open_without_shared_memory(options).await,
        Err(error) if needs_writing(&error) => {
            let reason = error.to_string();
            open_to_read(path, options, reason).await
        }
        Err(error) => Err(error).doing("open the database"),
    }
}

/// Opens a database that is not written by this process.
pub(super) async fn open_to_read(
    path: &Path,
    options: SqliteConnectOptions,
    reason: String,
) -> Result<Opened, StoreError> {
    let options = to_read(options);
    let error = match connect(&options).await {
        Ok(connection) => {
            return Ok(Opened::only_to_read(reason, options, connection));
        }
        Err(error) => error,
    };
    // SQLite makes two files beside a database even to read it. It is told
    // that it need not where nobody can write and nothing is in these files.
    let is_prevented = needs_writing(&error) || needs_space(&error);
    if !is_prevented || has_log(path) {
        return Err(error).doing("open the database to read it");
    }
    let options = options.immutable(true);
    let connection = connect(&options)
        .await
        .doing("open the database to read it")?;
    Ok(Opened::only_to_read(reason, options, connection))
}

impl Opened {
    fn only_to_read(
        reason: String,
        options: SqliteConnectOptions,
        connection: SqliteConnection,
    ) -> Self {
        Self {
            access: Access::ReadOnly(reason),
            writer: options.clone(),
            readers: options,
            connection,
        }
    }
}

fn to_read(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options.read_only(true).create_if_missing(false)
}

/// On a full disk there is no room for the file that processes share. Without
/// it this process must be the only one: others wait until it ends.
async fn open_without_shared_memory(options: SqliteConnectOptions) -> Result<Opened, StoreError> {
    let options = options.vfs("unix-excl");
    let connection = connect_as_only_one(&options).await?;
    Ok(Opened {
        access: Access::Full,
        // One that is opened to read does not take the lock for the others.
        readers: options.clone().create_if_missing(false),
        writer: options,
        connection,
    })
}

/// Connects where no other connection may be open. The one that found the disk
/// full may still be closing, on a thread of its own.
async fn connect_as_only_one(
    options: &SqliteConnectOptions,
) -> Result<SqliteConnection, StoreError> {
    for _ in 1..ATTEMPTS {
        match connect(options).await {
            Ok(connection) => return Ok(connection),
            Err(error) => tracing::debug!(%error, "the database is not to be had alone yet"),
        }
        tokio::time::sleep(BETWEEN_ATTEMPTS).await;
    }
    connect(options).await.map_err(|error| {
        tracing::warn!(%error, "the database cannot be opened on a full disk");
        StoreError::DiskFull {
            action: "open the database",
            path: options.get_filename().to_owned(),
        }
    })
}

/// Connects and reads: a database is not looked at before.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let connected = connect_alone(options).await;
    share_like_folder(options.get_filename());
    connected
}

#[cfg(unix)]
const GROUP_WRITES: u32 = 0o020;
#[cfg(unix)]
const GROUP_READS: u32 = 0o040;

/// The group that may write in the folder may write the database: SQLite makes its files
/// with 0644 whatever the folder allows, and one user's search would leave
/// files behind that lock the others out.
#[cfg(unix)]
fn share_like_folder(database: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Some(folder) = database.parent().and_then(|folder| folder.metadata().ok()) else {
        return;
    };
    if folder.permissions().mode() & GROUP_WRITES == 0 {
        return;
    }
    let wanted = GROUP_WRITES | GROUP_READS;
    for ending in ["", "-wal", "-shm"] {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        let path = Path::new(&name);
        let Ok(file) = path.metadata() else {
            continue;
        };
        let mut permissions = file.permissions();
        let mode = permissions.mode();
        if mode & wanted == wanted {
            continue;
        }
        permissions.set_mode(mode | wanted);
        // Another user's file stays as it is: that user shares it.
        if let Err(error) = std::fs::set_permissions(path, permissions) {
            tracing::debug!(path = %path.display(), %error, "not shared with the folder's group");
        }
    }
}

#[cfg(not(unix))]
fn share_like_folder(_database: &Path) {}

async fn connect_alone(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = options.connect().await?;
    let read: Result<i64, sqlx::Error> = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut connection)
        .await;
    match read {
        Ok(_) => Ok(connection),
        Err(error) => {
            // The error that counts is the first one.
            let _ = connection.close().await;
            Err(error)
        }
    }
}

/// Why a database that is there cannot be written; `None` when it can, or is
/// not there.
fn why_not_writable(path: &Path) -> Result<Option<String>, StoreError> {
    match OpenOptions::new().write(true).open(path) {
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if is_denied(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(StoreError::io("open", path, error)),
    }
}

/// Whether changes may be in the log that are not in the database yet.
fn has_log(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    std::fs::metadata(name).is_ok_and(|log| log.len() > 0)
}

/// Whether the system forbids to write here, and not something failed.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}
