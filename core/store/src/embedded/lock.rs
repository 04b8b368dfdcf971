//! Locks between processes: files that the system unlocks when their holder
//! dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::StoreError;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    // Closing the file releases the lock.
    _file: File,
}

impl FileLock {
    /// Waits for the lock.
    pub(crate) fn wait(path: &Path) -> Result<Self, StoreError> {
        let file = open(path)?;
        file.lock()
            .map_err(|error| StoreError::io("lock", path, error))?;
        Ok(Self { _file: file })
    }

    /// Takes the lock if nobody has it.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Self>, StoreError> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", path, error)),
        }
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(|error| StoreError::io("open", path, error))
}
