//! The file with the API keys.
//!
//! It is in the store's folder unless the configuration names another place.
//! A key opens the entries of one store, so that both are moved and backed up
//! together; and the configuration is often in a folder that the program
//! cannot write to, or under version control, where no key should be.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use gannet_core::config::AuthConfig;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::key::{ApiKey, NewKey, PlainKey};

const VERSION: u32 = 1;

/// The file with the API keys.
#[derive(Debug, Clone)]
pub struct KeyFile {
    path: PathBuf,
}

/// Why the file with the API keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It cannot be read or written.
    #[error("the key file {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not a key file, or one of a later version.
    #[error("the key file {} is not valid: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No key has this id.
    #[error("no key has the id `{id}`; `gannet keys list` shows the ids")]
    UnknownId {
        /// The id.
        id: String,
    },
    /// The system gave no random bytes.
    #[error("the system's random generator failed")]
    NoRandom,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u32,
    keys: Vec<ApiKey>,
}

impl KeyFile {
    /// The file of a configuration, whose store is in this folder.
    pub fn of(config: &AuthConfig, store_path: &Path) -> Self {
        Self::at(config.keys_path(store_path))
    }

    /// The file at this path.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The keys; none when there is no file.
    ///
    /// # Errors
    /// [`KeyFileError::Io`] and [`KeyFileError::Invalid`].
    pub fn keys(&self) -> Result<Vec<ApiKey>, KeyFileError> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.io(error)),
        };
        let contents: Contents =
            serde_json::from_str(&text).map_err(|error| self.invalid(error.to_string()))?;
        match contents.version {
            VERSION => Ok(contents.keys),
            other => Err(self.invalid(format!("version {other} is not {VERSION}"))),
        }
    }

    /// Makes a key and stores its hash. The key itself is nowhere else.
    ///
    /// # Errors
    /// [`KeyFileError`].
    pub fn create(&self, new: NewKey) -> Result<(PlainKey, ApiKey), KeyFileError> {
        let _lock = self.lock()?;
        let mut keys = self.keys()?;
        let (plain, stored) =
            ApiKey::create(new, Timestamp::now()).map_err(|_| KeyFileError::NoRandom)?;
        keys.push(stored.clone());
        self.replace(keys)?;
        Ok((plain, stored))
    }

    /// Revokes a key. It stays in the file, so that logs that name it can be
    /// read. A key that is revoked already stays as it is.
    ///
    /// # Errors
    /// [`KeyFileError`].
    pub fn revoke(&self, id: &str) -> Result<ApiKey, KeyFileError> {
        let _lock = self.lock()?;
        let mut keys = self.keys()?;
        let key = keys.iter_mut().find(|key| key.id == id);
        let key = key.ok_or_else(|| KeyFileError::UnknownId { id: id.to_owned() })?;
        key.revoked_at.get_or_insert_with(Timestamp::now);
        let revoked = key.clone();
        self.replace(keys)?;
        Ok(revoked)
    }

    /// Keeps other processes from changing the file until it is dropped.
    fn lock(&self) -> Result<File, KeyFileError> {
        let lock = private()
            .create(true)
            .truncate(false)
            .open(self.beside("lock"));
        let lock = lock.map_err(|error| self.io(error))?;
        lock.lock().map_err(|error| self.io(error))?;
        Ok(lock)
    }

    /// Puts a new file in the place of the old one, so that whoever reads it
    /// meanwhile reads one of them whole.
    fn replace(&self, keys: Vec<ApiKey>) -> Result<(), KeyFileError> {
        let contents = Contents {
            version: VERSION,
            keys,
        };
        let text = serde_json::to_string_pretty(&contents)
            .map_err(|error| self.invalid(error.to_string()))?;
        let new = self.beside("new");
        let write = || {
            let mut file = private().create(true).truncate(true).open(&new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&new, &self.path)
        };
        write().map_err(|error| self.io(error))
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{ending}"));
        name.into()
    }

    fn io(&self, source: std::io::Error) -> KeyFileError {
        KeyFileError::Io {
            path: self.path.clone(),
            source,
        }
    }

    fn invalid(&self, reason: String) -> KeyFileError {
        KeyFileError::Invalid {
            path: self.path.clone(),
            reason,
        }
    }
}

/// For a file that only its owner can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
