//! The service that runs on a data folder, as other commands find it: what it
//! says of itself is in `service.json`, and it holds the lock `service.lock`
//! for as long as it runs.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

const STATE: &str = "service.json";
const LOCK: &str = "service.lock";

/// What a running service says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServiceState {
    /// Its process.
    pub pid: i32,
    /// Where it listens.
    pub address: String,
    /// How often its configuration was read again.
    pub reloads: u64,
    /// Why the last time nothing was changed.
    pub error: Option<String>,
}

/// Held by the service while it runs.
pub struct RunningService {
    _lock: File,
    file: PathBuf,
    state: ServiceState,
}

impl RunningService {
    /// Announces the service; `None` where another one runs on this folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn announce(folder: &Path, address: String) -> io::Result<Option<Self>> {
        std::fs::create_dir_all(folder)?;
        let Some(lock) = lock(&folder.join(LOCK))? else {
            return Ok(None);
        };
        let pid = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        let running = Self {
            _lock: lock,
            file: folder.join(STATE),
            state: ServiceState {
                pid,
                address,
                reloads: 0,
                error: None,
            },
        };
        running.write()?;
        Ok(Some(running))
    }

    /// Notes that the configuration was read again, and why nothing changed.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn reloaded(&mut self, error: Option<String>) -> io::Result<()> {
        self.state.reloads += 1;
        self.state.error = error;
        self.write()
    }

    /// Whole or not at all: others read it at any time.
    fn write(&self) -> io::Result<()> {
        let draft = self.file.with_extension("json.part");
        std::fs::write(&draft, serde_json::to_vec(&self.state)?)?;
        std::fs::rename(&draft, &self.file)
    }
}

/// The service that runs on this folder.
///
/// # Errors
/// The folder cannot be read.
pub fn find(folder: &Path) -> io::Result<Option<ServiceState>> {
    let path = folder.join(LOCK);
    // Whoever holds the lock runs; the number of a process may be reused.
    if !path.exists() || lock(&path)?.is_some() {
        return Ok(None);
    }
    read(folder).map(Some)
}

/// What the service said last.
///
/// # Errors
/// The folder cannot be read.
pub fn read(folder: &Path) -> io::Result<ServiceState> {
    Ok(serde_json::from_slice(&std::fs::read(folder.join(STATE))?)?)
}

/// A lock, unless somebody else has it.
///
/// # Errors
/// The file cannot be opened.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let file = options
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
