//! From one store to another: opening both, and moving what is there.

use std::path::{Path, PathBuf};

use super::transfer::{Origin, Source, transfer};
use super::{RECORDS, RecordCounts, not_empty, sync};
use crate::embedded::{self, EmbeddedStore, Records};
use crate::error::StoreError;
use crate::mirror::ArielStore;
use crate::options::{EmbeddedOptions, StoreOptions};
use crate::postgres::{PostgresOptions, PostgresStore};
use crate::store::Store;

/// The records of a folder that are not complete yet. A file of this name in
/// which no mark is left was complete when its copy was cut off.
const UNFINISHED: &str = "store.db.unfinished";

/// Where records go.
pub(super) enum Destination<'a> {
    /// A new file.
    File(&'a Path),
    /// An empty store.
    Store(Box<StoreOptions>),
}

impl Store {
    /// Copies everything that is stored, of all tenants, to another store,
    /// which is empty or holds a part of the same copy: one that was cut off
    /// goes on where it stopped. The source is read as it is at one moment;
    /// others may go on writing it. `progress` is told the step, how many
    /// entries are copied, and how many there are. The indexes are complete
    /// when this returns.
    ///
    /// # Errors
    /// A target that is not empty, or ARIEL's database; a source that changed
    /// since the copy was begun; the same store twice.
    pub async fn copy(
        from: &StoreOptions,
        to: StoreOptions,
        progress: &mut impl FnMut(&'static str, u64, u64),
    ) -> Result<RecordCounts, StoreError> {
        if place(from) == place(&to) {
            return Err(StoreError::InvalidRequest {
                message: format!(
                    "{} cannot be copied to itself; name another store",
                    place(from)
                ),
            });
        }
        if let StoreOptions::Ariel { postgres, .. } = &to {
            return Err(StoreError::OnlyRead {
                database: postgres.database(),
                action: "copy a store into it",
            });
        }
        let to = Destination::Store(Box::new(to));
        match from {
            StoreOptions::Embedded(folder) => {
                let records = Records::open_beside(&folder.path.join(RECORDS)).await?;
                let copied = from_records(&records, place(from), to, progress).await;
                records.close().await;
                copied
            }
            StoreOptions::Postgres(database)
            | StoreOptions::Mirrored {
                postgres: database, ..
            } => from_database(database.clone(), to, progress).await,
            StoreOptions::Ariel { postgres, folder } => {
                let store = ArielStore::open(postgres.clone(), folder.clone()).await?;
                let copied = from_ariel(&store, place(from), to, progress).await;
                store.close().await?;
                copied
            }
        }
    }
}

/// The store for people: without user and password.
fn place(options: &StoreOptions) -> String {
    match options {
        StoreOptions::Embedded(folder) => {
            let path = &folder.path;
            let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
            whole.unwrap_or_else(|_| path.clone()).display().to_string()
        }
        StoreOptions::Postgres(database)
        | StoreOptions::Mirrored {
            postgres: database, ..
        }
        | StoreOptions::Ariel {
            postgres: database, ..
        } => database.database(),
    }
}

pub(super) async fn from_records(
    records: &Records,
    name: String,
    to: Destination<'_>,
    progress: &mut impl FnMut(&'static str, u64, u64),
) -> Result<RecordCounts, StoreError> {
    let origin = Origin {
        name,
        runs: records.runs(usize::MAX).await?,
        states: records.all_plugin_state().await?,
    };
    deliver(origin, &mut records.snapshot().await?, to, progress).await
}

/// What ARIEL wrote a moment ago is adopted first.
pub(super) async fn from_database(
    options: PostgresOptions,
    to: Destination<'_>,
    progress: &mut impl FnMut(&'static str, u64, u64),
) -> Result<RecordCounts, StoreError> {
    let name = options.database();
    let store = PostgresStore::open(options).await?;
    let copied = async {
        store.flush_here().await?;
        let origin = Origin {
            name,
            runs: store.runs(usize::MAX).await?,
            states: store.all_plugin_state().await?,
        };
        deliver(origin, &mut store.snapshot().await?, to, progress).await
    };
    let copied = copied.await;
    store.close().await?;
    copied
}

/// The replica has everything, once it has followed, but for the runs.
async fn from_ariel(
    store: &ArielStore,
    name: String,
    to: Destination<'_>,
    progress: &mut impl FnMut(&'static str, u64, u64),
) -> Result<RecordCounts, StoreError> {
    progress("replicate", 0, 0);
    store.flush().await?;
    let origin = Origin {
        name,
        runs: store.runs(usize::MAX).await?,
        states: Vec::new(),
    };
    let mut snapshot = store.copy().copied().snapshot().await?;
    deliver(origin, &mut snapshot, to, progress).await
}

async fn deliver(
    origin: Origin,
    source: &mut impl Source,
    to: Destination<'_>,
    progress: &mut impl FnMut(&'static str, u64, u64),
) -> Result<RecordCounts, StoreError> {
    let mut copying = |done, total| progress("copy", done, total);
    let to = match to {
        Destination::Store(options) => *options,
        Destination::File(file) => {
            let records = Records::open(file, false).await?;
            let copied = transfer(origin, source, &records, &mut copying).await;
            records.close().await;
            return copied;
        }
    };
    match to {
        StoreOptions::Embedded(options) => {
            let unfinished = begin_folder(&options.path).await?;
            let copied = fill(origin, source, &unfinished, &mut copying).await?;
            let entries = copied.entries;
            progress("index", entries, entries);
            finish_folder(options, &unfinished, copied).await
        }
        StoreOptions::Postgres(options)
        | StoreOptions::Mirrored {
            postgres: options, ..
        }
        | StoreOptions::Ariel {
            postgres: options, ..
        } => {
            let store = PostgresStore::open(options).await?;
            let copied = transfer(origin, source, &store, &mut copying).await;
            let counted = match copied {
                Ok(copied) => count_database(&store, copied).await,
                Err(error) => Err(error),
            };
            store.close().await?;
            counted
        }
    }
}

async fn begin_folder(folder: &Path) -> Result<PathBuf, StoreError> {
    if folder.join(RECORDS).exists() {
        return Err(not_empty(&folder.display().to_string()));
    }
    tokio::fs::create_dir_all(folder)
        .await
        .map_err(|error| StoreError::io("make", folder, error))?;
    Ok(folder.join(UNFINISHED))
}

/// What the file holds afterwards.
async fn fill(
    origin: Origin,
    source: &mut impl Source,
    unfinished: &Path,
    progress: &mut impl FnMut(u64, u64),
) -> Result<RecordCounts, StoreError> {
    let records = Records::open(unfinished, false).await?;
    let copied = match is_complete(&records).await {
        Ok(true) => records.record_counts().await,
        Ok(false) => transfer(origin, source, &records, progress).await,
        Err(error) => Err(error),
    };
    records.close().await;
    copied
}

async fn is_complete(records: &Records) -> Result<bool, StoreError> {
    let is_marked = records.plugin_state(&super::transfer::mark_key()).await?;
    Ok(is_marked.is_none() && records.is_used().await?)
}

async fn finish_folder(
    options: EmbeddedOptions,
    unfinished: &Path,
    copied: RecordCounts,
) -> Result<RecordCounts, StoreError> {
    let records = options.path.join(RECORDS);
    sync(unfinished).await?;
    tokio::fs::rename(unfinished, &records)
        .await
        .map_err(|error| StoreError::io("rename", unfinished, error))?;
    let store = EmbeddedStore::open(options).await?;
    store.flush().await?;
    store.close().await?;
    let counted = embedded::count_records(&records).await?;
    compared(counted, copied)
}

/// The fingerprint is that of what was written.
async fn count_database(
    store: &PostgresStore,
    copied: RecordCounts,
) -> Result<RecordCounts, StoreError> {
    store.flush_here().await?;
    let stats = store.stats().await?;
    let counted = RecordCounts {
        entries: stats.entries,
        vectors: stats.vectors,
        fingerprint: copied.fingerprint,
    };
    compared(counted, copied)
}

fn compared(counted: RecordCounts, copied: RecordCounts) -> Result<RecordCounts, StoreError> {
    if counted == copied {
        return Ok(counted);
    }
    Err(StoreError::InvalidRequest {
        message: format!(
            "the new store holds {} entries and the vectors {:?}, but {} and {:?} were copied; \
             remove it and copy again",
            counted.entries, counted.vectors, copied.entries, copied.vectors
        ),
    })
}
