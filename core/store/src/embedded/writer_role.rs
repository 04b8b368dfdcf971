//! The right to write the indexes: one process at a time has it.

use crate::embedded::lock::FileLock;
use crate::embedded::records::is_denied;
use crate::embedded::shared::Shared;
use crate::error::StoreError;

/// The right to write the indexes. Whoever gets it next must find them closed:
/// it is dropped after them.
#[derive(Debug)]
pub(crate) struct WriterRole {
    _lock: FileLock,
}

impl WriterRole {
    /// Takes the lock if it is free and the store may be written.
    pub(crate) fn take(shared: &Shared) -> Result<Option<Self>, StoreError> {
        if shared.options.read_only_projections || shared.records.read_only().is_some() {
            return Ok(None);
        }
        let lock = match FileLock::try_take(&shared.lock_path()) {
            // Another user's folder, in which everything else may be shared.
            Err(StoreError::Io { source, .. }) if is_denied(&source) => None,
            lock => lock?,
        };
        shared.set_writer(lock.is_some());
        Ok(lock.map(|lock| Self { _lock: lock }))
    }
}
