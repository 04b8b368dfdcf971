//! Files that lines of JSON are added to: the audit log and the query log.

use std::fs::{File, OpenOptions};
use std::path::Path;

use gannet_core::config::ServerConfig;

use crate::ServerError;

/// Opens a log for adding lines, and makes it for its owner alone.
///
/// # Errors
/// Those of the file system.
pub(crate) fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Checks that the logs of a configuration can be written: one that cannot
/// would be noticed at the first line that is lost.
///
/// # Errors
/// [`ServerError::Log`].
pub(crate) fn check(config: &ServerConfig) -> Result<(), ServerError> {
    let logs = [
        ("server.audit_log.path", &config.audit_log.path),
        ("server.query_log.path", &config.query_log.path),
    ];
    for (key, path) in logs {
        if let Some(path) = path {
            open(path).map_err(|source| ServerError::Log { key, source })?;
        }
    }
    Ok(())
}
