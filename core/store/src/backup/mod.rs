//! Copying the records of a store to a file, back into an empty store, and
//! from one store to another.
//!
//! The file is an SQLite database with the schema of the embedded store,
//! whatever the store is kept in. So a backup of a folder can be restored to
//! PostgreSQL, and the other way round. Indexes are not part of it: they are
//! rebuilt.

mod copy;
mod rows;
mod transfer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::embedded::{self, EmbeddedStore, Records};
use crate::error::StoreError;
use crate::options::{EmbeddedOptions, StoreOptions};
use crate::store::Store;
use copy::{Destination, from_database, from_records};

pub(crate) use rows::{BackupEntry, BackupRow, BackupStatus, fingerprint};
pub(crate) use transfer::{Counts, Origin, Source, Target, counts_of, model_of};

/// The name of the file with the records of an embedded store.
const RECORDS: &str = "store.db";

/// What a copy of a store's records holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordCounts {
    /// Entries of all tenants.
    pub entries: u64,
    /// Passages with a vector, by model.
    pub vectors: BTreeMap<String, u64>,
    /// Sum, without carry, of a hash of each entry's tenant, id, content and
    /// text. Two stores with the same entries have the same number.
    pub fingerprint: u64,
}

impl Store {
    /// Copies the records of a store to a new file, as they are at one moment.
    /// The store need not be open here; other processes may go on reading and
    /// writing.
    ///
    /// # Errors
    /// A store that cannot be read, ARIEL's own database, a file that exists
    /// or cannot be written.
    pub async fn copy_records(
        options: &StoreOptions,
        file: &Path,
    ) -> Result<RecordCounts, StoreError> {
        if file.exists() {
            return Err(StoreError::InvalidRequest {
                message: format!("{} exists", file.display()),
            });
        }
        match options {
            StoreOptions::Embedded(folder) => {
                embedded::copy_file(&folder.path.join(RECORDS), file).await?;
            }
            StoreOptions::Postgres(database)
            | StoreOptions::Mirrored {
                postgres: database, ..
            } => {
                let to = Destination::File(file);
                from_database(database.clone(), to, &mut |_, _, _| ()).await?;
            }
            StoreOptions::Ariel { postgres, .. } => {
                return Err(StoreError::OnlyRead {
                    database: postgres.database(),
                    action: "back it up",
                });
            }
        }
        embedded::count_records(file).await
    }

    /// What a file of [`copy_records`](Self::copy_records) holds. Changes
    /// nothing.
    ///
    /// # Errors
    /// A file that is no such copy, is damaged, or was written by a newer
    /// program.
    pub async fn check_records(file: &Path) -> Result<RecordCounts, StoreError> {
        embedded::check_file(file).await
    }

    /// Puts the records of a file into a store that has no entries, and counts
    /// what arrived. The indexes are complete when this returns.
    ///
    /// # Errors
    /// A store with entries, ARIEL's own database, a file that is damaged.
    pub async fn restore_records(
        options: StoreOptions,
        file: &Path,
    ) -> Result<RecordCounts, StoreError> {
        match options {
            StoreOptions::Embedded(folder) => to_folder(folder, file).await,
            StoreOptions::Postgres(_) | StoreOptions::Mirrored { .. } => {
                to_database(options, file).await
            }
            StoreOptions::Ariel { postgres, .. } => Err(StoreError::OnlyRead {
                database: postgres.database(),
                action: "restore a backup into it",
            }),
        }
    }
}

async fn to_folder(options: EmbeddedOptions, file: &Path) -> Result<RecordCounts, StoreError> {
    let folder = options.path.clone();
    let records = folder.join(RECORDS);
    if records.exists() {
        return Err(not_empty(&folder.display().to_string()));
    }
    tokio::fs::create_dir_all(&folder)
        .await
        .map_err(|error| StoreError::io("make", &folder, error))?;
    // What is cut off leaves no store that looks whole.
    let partial = folder.join("store.db.partial");
    copy_durably(file, &partial).await?;
    tokio::fs::rename(&partial, &records)
        .await
        .map_err(|error| StoreError::io("rename", &partial, error))?;
    let store = EmbeddedStore::open(options).await?;
    store.flush().await?;
    store.close().await?;
    embedded::count_records(&records).await
}

async fn copy_durably(from: &Path, to: &Path) -> Result<(), StoreError> {
    tokio::fs::copy(from, to)
        .await
        .map_err(|error| StoreError::io("copy", from, error))?;
    sync(to).await
}

/// Waits until a file is on the disk.
pub(crate) async fn sync(path: &Path) -> Result<(), StoreError> {
    let file = tokio::fs::File::open(path)
        .await
        .map_err(|error| StoreError::io("open", path, error))?;
    file.sync_all()
        .await
        .map_err(|error| StoreError::io("write", path, error))
}

/// The file is read through a copy: one of an older program is migrated, and
/// a backup stays as it is.
async fn to_database(options: StoreOptions, file: &Path) -> Result<RecordCounts, StoreError> {
    let scratch = Scratch::new()?;
    let copy = scratch.0.join(RECORDS);
    copy_durably(file, &copy).await?;
    let records = Records::open(&copy, false).await?;
    let to = Destination::Store(Box::new(options));
    let name = file.display().to_string();
    let restored = from_records(&records, name, to, &mut |_, _, _| ()).await;
    records.close().await;
    restored
}

pub(crate) fn not_empty(store: &str) -> StoreError {
    StoreError::InvalidRequest {
        message: format!("{store} has a store already; name an empty folder or a new database"),
    }
}

/// A folder that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, StoreError> {
        let name = format!("gannet-restore-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|error| StoreError::io("make", &folder, error))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "cannot be removed");
        }
    }
}
