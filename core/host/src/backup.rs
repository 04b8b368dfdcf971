//! Backups: a folder with the records of a store, the files that were
//! uploaded, and the API keys.
//!
//! ```text
//! BACKUP/
//!   backup.json     what there is, with sizes and SHA-256 sums
//!   store.db        entries, vectors, states (SQLite, whatever the store is)
//!   attachments/    uploaded files
//!   keys.json       hashes of API keys
//! ```

mod copy;
mod files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gannet_store::{RecordCounts, Store, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::error::HostError;
use crate::store_options::store_options;
pub use copy::copy;
use copy::copy_keys;
pub use files::BackupFile;
use files::{copy_folder, describe, make_folder};

/// The format of [`Backup`].
const FORMAT: u32 = 1;
const DESCRIPTION: &str = "backup.json";
const RECORDS: &str = "store.db";
const ATTACHMENTS: &str = "attachments";
const KEYS: &str = "keys.json";

/// What a backup holds: `backup.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// Always 1.
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    /// When it was complete.
    pub created_at: Timestamp,
    /// What the records hold.
    #[serde(flatten)]
    pub counts: RecordCounts,
    /// Every other file, by its path in the folder with `/` between names.
    pub files: BTreeMap<String, BackupFile>,
}

/// Makes a backup of a configuration's store in a new folder. Other processes
/// may go on reading and writing the store. A backup that is cut off leaves a
/// folder with `.partial` in its name.
///
/// # Errors
/// A folder that exists, a store that cannot be read, a disk that is full.
pub async fn create(config: &Config, folder: &Path) -> Result<Backup, HostError> {
    let mut config = config.clone();
    config.make_paths_absolute();
    if folder.exists() {
        return Err(refused(format!(
            "{} exists; name a new folder",
            folder.display()
        )));
    }
    let partial = partial_name(folder);
    if partial.exists() {
        std::fs::remove_dir_all(&partial).map_err(|error| file_error(&partial, error))?;
    }
    make_folder(&partial)?;
    let options = store_options(&config.store);
    let counts = Store::copy_records(&options, &partial.join(RECORDS)).await?;
    // After the records: every file that an entry names is there by now.
    copy_folder(&config.store.attachments(), &partial.join(ATTACHMENTS))?;
    let keys = config.server.auth.keys_path(&config.store.path);
    copy_keys(&keys, &partial.join(KEYS))?;
    let backup = Backup {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: Timestamp::now(),
        counts,
        files: describe(&partial)?,
    };
    files::write_description(&partial.join(DESCRIPTION), &backup)?;
    std::fs::rename(&partial, folder).map_err(|error| file_error(&partial, error))?;
    Ok(backup)
}

/// Compares every file of a backup with its description, and the records with
/// their checksums. Changes nothing.
///
/// # Errors
/// What is missing, damaged, or of a newer program, by name.
pub async fn check(folder: &Path) -> Result<Backup, HostError> {
    let backup = read(folder)?;
    files::compare(folder, &backup.files)?;
    let counts = Store::check_records(&folder.join(RECORDS)).await;
    // An older schema is brought up to date when it is restored.
    match counts {
        Ok(counts) if counts != backup.counts => Err(refused(format!(
            "{} does not hold what `{DESCRIPTION}` says; use another backup",
            folder.join(RECORDS).display()
        ))),
        Err(StoreError::OlderFormat { .. }) | Ok(_) => Ok(backup),
        Err(error) => Err(error.into()),
    }
}

/// Checks a backup and puts it into the configuration's store, which must be
/// empty. Its indexes are complete when this returns.
///
/// # Errors
/// What [`check`] finds; a store with entries; a restored store that does not
/// hold what the backup says.
pub async fn restore(config: &Config, folder: &Path) -> Result<Backup, HostError> {
    let mut config = config.clone();
    config.make_paths_absolute();
    let backup = check(folder).await?;
    let restored =
        Store::restore_records(store_options(&config.store), &folder.join(RECORDS)).await?;
    if restored != backup.counts {
        let Backup { counts, .. } = &backup;
        return Err(refused(format!(
            "the restored store holds {} entries and the vectors {:?}, the backup {} and {:?}; \
             remove it and restore again",
            restored.entries, restored.vectors, counts.entries, counts.vectors
        )));
    }
    copy_folder(&folder.join(ATTACHMENTS), &config.store.attachments())?;
    let keys = config.server.auth.keys_path(&config.store.path);
    copy_keys(&folder.join(KEYS), &keys)?;
    Ok(backup)
}

fn read(folder: &Path) -> Result<Backup, HostError> {
    let path = folder.join(DESCRIPTION);
    let text = std::fs::read(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => refused(format!(
            "{} is not a backup: it has no `{DESCRIPTION}`",
            folder.display()
        )),
        _ => file_error(&path, error),
    })?;
    let format = serde_json::from_slice::<Format>(&text).map(|found| found.format);
    if let Ok(found) = format
        && found > FORMAT
    {
        return Err(refused(format!(
            "{} has format {found}, this program reads {FORMAT}; use a newer program",
            folder.display()
        )));
    }
    serde_json::from_slice(&text)
        .map_err(|error| refused(format!("{} is damaged: {error}", path.display())))
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

fn partial_name(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

fn refused(message: String) -> HostError {
    StoreError::InvalidRequest { message }.into()
}

fn file_error(path: &Path, source: std::io::Error) -> HostError {
    HostError::File {
        path: path.to_owned(),
        source,
    }
}
