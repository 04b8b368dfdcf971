//! The API keys of a running server.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;

use super::Caller;
use super::error::{AuthError, Refusal};
use super::key::{ApiKey, PlainKey};
use super::key_file::KeyFile;

/// The API keys of a file, read again when it changes: a key that was revoked
/// is refused from the next request on.
#[derive(Debug)]
pub(super) struct KeyRing {
    file: KeyFile,
    read: Mutex<Option<Snapshot>>,
}

#[derive(Debug)]
struct Snapshot {
    keys: Vec<ApiKey>,
    stamp: Stamp,
}

/// Changes with the file.
type Stamp = Option<(SystemTime, u64)>;

impl KeyRing {
    pub(super) fn new(file: KeyFile) -> Self {
        Self {
            file,
            read: Mutex::default(),
        }
    }

    /// Whose key it is.
    ///
    /// # Errors
    /// [`AuthError::Refused`] for a key that is unknown, expired or revoked,
    /// [`AuthError::KeyFile`] when the file cannot be read.
    pub(super) fn caller(&self, sent: &str) -> Result<Caller, AuthError> {
        let plain = PlainKey::read(sent).ok_or(Refusal::UnknownKey)?;
        // Held while the file is read, which happens after a change.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp(self.file.path());
        let is_current = |snapshot: &&mut Snapshot| snapshot.stamp == stamp;
        let snapshot = match read.as_mut().filter(is_current) {
            Some(snapshot) => snapshot,
            None => {
                let keys = self.file.keys()?;
                read.insert(Snapshot { keys, stamp })
            }
        };
        let mut keys = snapshot.keys.iter();
        let key = keys.find(|key| key.id == plain.id() && key.is_of(&plain));
        let key = key.ok_or(Refusal::UnknownKey)?;
        if !key.is_valid_at(Timestamp::now()) {
            let id = key.id.clone();
            return Err(Refusal::EndedKey { id }.into());
        }
        Ok(Caller {
            name: format!("key:{}", key.id),
            tenant: key.tenant.clone(),
            scopes: key.scopes.clone(),
        })
    }
}

fn stamp(file: &Path) -> Stamp {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
