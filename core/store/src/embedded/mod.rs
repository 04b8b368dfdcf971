//! The embedded store: records in SQLite, and the indexes that follow them,
//! in one folder.

mod arrivals;
mod claim;
mod copy;
mod erase;
mod field_values;
mod lock;
mod lost_records;
mod matches;
mod model_folder;
mod model_index;
mod projector;
mod records;
mod runs;
mod search;
mod shared;
mod summary;
mod text_projection;
#[cfg(all(test, debug_assertions))]
mod text_projection_tests;
mod vector_projection;
mod verify;
mod writer_role;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gannet_api::{EmbeddingModel, Enhanced, Entry, FilterField, Found};

use crate::error::StoreError;
use crate::options::EmbeddedOptions;
use crate::request::{
    ListRequest, Page, RebuildScope, StatusCounts, StoreStats, TextFound, VectorCoverage,
    VectorRequest, WorkedOn,
};
use crate::token_records::TokenRecords;
use crate::upsert_report::UpsertReport;
pub(crate) use claim::FolderClaim;
use copy::Purpose;
use gannet_index::{MatchCounts, MatchRequest, TextRequest};
pub(crate) use lock::FileLock;
pub(crate) use lost_records::check_for_lost_records;
use projector::{Command, Projector, Work};
pub(crate) use records::FORMAT;
use records::is_denied;
pub(crate) use records::{
    CopiedEntry, CopiedModel, CopiedVectors, CopyPosition, Enhancements, ModelRow,
};
pub(crate) use records::{Records, check_file, copy_file, count_records};
use shared::Shared;
pub(crate) use summary::{remembered, summary};
pub(crate) use verify::verify;

/// How long opening waits for the indexes, so that a program that opens,
/// searches and ends sees everything that is there.
const CATCH_UP: Duration = Duration::from_secs(1);

/// An embedded store: entries, and the indexes over them, in one folder.
///
/// Clones share one store. What [`upsert`](Self::upsert) acknowledged is
/// durable; the indexes follow within [`EmbeddedOptions::commit_every`], during a
/// load within ten times that, or at
/// [`flush`](Self::flush). Several processes can open one folder: all of them
/// read and write entries, one of them writes the indexes.
///
/// Timestamps are kept in whole microseconds; what is finer is cut.
#[derive(Clone)]
pub struct EmbeddedStore(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    projector: Projector,
}

impl EmbeddedStore {
    /// Opens the store in a folder, which is made when it is missing. The
    /// database is migrated. The indexes are opened, made anew where they are
    /// damaged, and catch up: here when that takes less than a second,
    /// otherwise in the background.
    pub async fn open(options: EmbeddedOptions) -> Result<Self, StoreError> {
        Self::open_as(options, Purpose::Store).await
    }

    async fn open_as(options: EmbeddedOptions, purpose: Purpose) -> Result<Self, StoreError> {
        let folder = options.path.clone();
        std::fs::create_dir_all(&folder).map_err(|error| StoreError::io("make", &folder, error))?;
        // One process at a time migrates the database and makes the indexes.
        let opening = lock_opening(&folder).await?;
        check_for_lost_records(&folder)?;
        let records = Records::open(&folder.join("store.db"), options.synchronous_full).await?;
        copy::check(&records, purpose, &folder).await?;
        let origin = records.origin().await?;
        let shared = Arc::new(Shared::new(options, records, origin)?);
        let mut work = Work::new(Arc::clone(&shared));
        work.begin().await;
        drop(opening);
        let projector = Projector::start(work)?;
        let caught_up = tokio::time::timeout(CATCH_UP, projector.ask(Command::CatchUp)).await;
        if let Ok(Err(error)) = caught_up {
            tracing::warn!(%error, "the search indexes cannot follow the records yet");
        }
        Ok(Self(Arc::new(Inner { shared, projector })))
    }

    /// Writes entries in one transaction. When this returns they are
    /// committed, and found as soon as the indexes have followed. An entry
    /// with the same content as before is left alone; one with a new text
    /// loses its vectors and is enhanced anew.
    pub async fn upsert(&self, entries: Vec<Entry>) -> Result<UpsertReport, StoreError> {
        let report = self.records().upsert(entries).await?;
        if report.added + report.updated > 0 {
            self.0.projector.wake();
        }
        Ok(report)
    }

    /// Deletes entries; returns how many there were.
    pub async fn delete(&self, tenant: &str, ids: &[String]) -> Result<u64, StoreError> {
        let deleted = self.records().delete(tenant, ids).await?;
        if deleted > 0 {
            self.0.projector.wake();
        }
        Ok(deleted)
    }

    /// Entries by id, in the order asked; unknown ones are left out.
    pub async fn entries(&self, tenant: &str, ids: &[String]) -> Result<Vec<Entry>, StoreError> {
        self.records().entries(tenant, ids).await
    }

    /// A page of entries in the order of time, then id. Read from the
    /// records: what was just written is in it.
    pub async fn list(&self, tenant: &str, request: ListRequest) -> Result<Page, StoreError> {
        self.records().list(tenant, request).await
    }

    /// The values of a field with the number of entries that have them, most
    /// frequent first. Members of lists count one by one.
    pub async fn distinct(
        &self,
        tenant: &str,
        field: &FilterField,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        self.records().distinct(tenant, field, limit).await
    }

    /// How many entries a tenant has.
    pub async fn count(&self, tenant: &str) -> Result<u64, StoreError> {
        self.records().count(tenant).await
    }

    /// The tenants that have entries, in alphabetical order.
    pub async fn tenants(&self) -> Result<Vec<String>, StoreError> {
        self.records().tenants().await
    }

    /// Searches the text index.
    ///
    /// Entries with all words come first; when they are fewer than the limit,
    /// the best ones with some of them follow, marked so. In plain mode the
    /// order is that of the score alone. A query without words lists by time,
    /// newest first, with the time in seconds as score; without words and
    /// filter it finds nothing.
    pub async fn text_search(
        &self,
        tenant: &str,
        request: TextRequest,
    ) -> Result<TextFound, StoreError> {
        search::text_search(&self.0.shared, tenant, &request).await
    }

    /// Counts the entries that a text query matches, see
    /// [`Store::text_matches`](crate::Store::text_matches).
    pub async fn text_matches(
        &self,
        tenant: &str,
        request: MatchRequest,
    ) -> Result<MatchCounts, StoreError> {
        matches::text_matches(&self.0.shared, tenant, &request).await
    }

    /// Searches the vectors of a model. An entry is scored by its best
    /// passage, which the hit carries.
    pub async fn vector_search(
        &self,
        tenant: &str,
        request: VectorRequest,
    ) -> Result<Found, StoreError> {
        search::vector_search(&self.0.shared, tenant, &request).await
    }

    /// The token vectors of entries by a model.
    pub async fn token_records(
        &self,
        tenant: &str,
        model: &str,
        ids: &[String],
    ) -> Result<TokenRecords, StoreError> {
        match self.0.shared.model_row(model).await? {
            Some(model) => {
                self.0
                    .shared
                    .records
                    .token_records(tenant, &model, ids)
                    .await
            }
            None => Ok(TokenRecords::unknown(ids.len())),
        }
    }

    /// Notes a model, so that its vectors can be stored. Another variant or
    /// dimension under the same name is [`StoreError::ModelChanged`].
    pub async fn register_model(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        self.records().register_model(model).await
    }

    /// Forgets a model and all of its vectors, so that another variant or
    /// dimension can take its name.
    pub async fn forget_model(&self, name: &str) -> Result<(), StoreError> {
        self.records().forget_model(name).await?;
        self.0.shared.drop_model(name);
        Ok(())
    }

    /// How many entries of a tenant there are, and how many of those with a
    /// text have no vector of a model.
    pub async fn vector_coverage(
        &self,
        tenant: &str,
        model: &str,
    ) -> Result<VectorCoverage, StoreError> {
        search::vector_coverage(&self.0.shared, tenant, model).await
    }

    /// Forgets models whose vectors no store can hold; returns their names.
    pub async fn forget_unusable_models(&self) -> Result<Vec<String>, StoreError> {
        let models = self.records().models().await?.into_iter();
        let models = models.map(|model| (model.name, model.dimension));
        let unusable = crate::models::unusable_models(models);
        for name in &unusable {
            self.forget_model(name).await?;
        }
        Ok(unusable)
    }

    /// Puts entries back to pending that a module has completed, and that
    /// have a text and no vector of a model; returns how many.
    pub async fn reopen_unembedded(&self, module: &str, model: &str) -> Result<u64, StoreError> {
        self.records().reopen_unembedded(module, model).await
    }

    /// Ends the waiting of entries that failed in a module; returns how many
    /// waited.
    pub async fn retry_failed(&self, module: &str) -> Result<u64, StoreError> {
        self.records().retry_failed(module).await
    }

    /// Entries of all tenants that a module has to work on.
    /// Those that failed come back after a while.
    pub async fn pending(&self, module: &str, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.records().pending(module, limit).await
    }

    /// How many entries a module has not completed, failed ones included.
    pub async fn pending_count(&self, module: &str) -> Result<u64, StoreError> {
        self.records().pending_count(module).await
    }

    /// Keeps what a module made of entries, each with its tenant, and how far
    /// it got, in one transaction.
    pub async fn save_enhanced(
        &self,
        module: &str,
        outcomes: Vec<(WorkedOn, Enhanced)>,
    ) -> Result<(), StoreError> {
        self.records().save_enhanced(module, outcomes).await?;
        self.0.projector.wake();
        Ok(())
    }

    /// Puts every entry of a module back to pending; returns how many.
    pub async fn reset_enhancement(&self, module: &str) -> Result<u64, StoreError> {
        self.records().reset_enhancement(module).await
    }

    /// Complete, failed and pending entries of every module that ever ran.
    pub async fn enhancement_counts(&self) -> Result<BTreeMap<String, StatusCounts>, StoreError> {
        self.records().enhancement_counts().await
    }

    /// Waits until every change committed so far can be found. In a process
    /// that does not write the indexes it waits for the one that does, and
    /// gives up with [`StoreError::Behind`].
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.0.projector.ask(Command::Flush).await
    }

    /// Makes indexes again from the records, also damaged ones and such that
    /// lack entries.
    ///
    /// # Errors
    /// [`StoreError::NotTheWriter`] while another process writes the indexes.
    pub async fn rebuild(&self, scope: RebuildScope) -> Result<(), StoreError> {
        let command = |reply| Command::Rebuild(scope, reply);
        self.0.projector.ask(command).await
    }

    /// Why the folder is only read; `None` when it can be written.
    pub fn read_only(&self) -> Option<&str> {
        self.records().read_only()
    }

    /// The state of the store.
    pub async fn stats(&self) -> Result<StoreStats, StoreError> {
        let shared = &self.0.shared;
        let counts = self.records().vector_counts().await?;
        let sequence = self.records().sequence().await?;
        let text_sequence = match shared.is_text_behind(sequence).await? {
            true => shared.text_sequence(),
            false => sequence,
        };
        Ok(StoreStats {
            entries: self.records().count_all().await?,
            vectors: counts
                .iter()
                .map(|(name, count, _)| (name.clone(), count.unsigned_abs()))
                .collect(),
            token_vectors: counts
                .into_iter()
                .map(|(name, _, count)| (name, count.unsigned_abs()))
                .collect(),
            sequence,
            text_sequence,
            vector_sequences: shared
                .models()
                .into_iter()
                .map(|(name, model)| (name, model.index.applied()))
                .collect(),
            vector_failures: shared.failures(),
            record_bytes: ["store.db", "store.db-wal", "store.db-shm"]
                .iter()
                .map(|name| bytes_of(&shared.options.path.join(name)))
                .sum(),
            text_bytes: bytes_of(&shared.text_path()),
            vector_bytes: bytes_of(&shared.vectors_path()),
            writer: shared.is_writer(),
            text_trouble: shared.text_trouble(),
            read_only: self.read_only().map(str::to_owned),
        })
    }

    /// Flushes, puts everything on disk and lets go of the lock. Other clones
    /// of this store cannot search for what is written after it.
    pub async fn close(self) -> Result<(), StoreError> {
        let closed = self.0.projector.ask(Command::Close).await;
        self.records().close().await;
        closed
    }

    fn records(&self) -> &Records {
        &self.0.shared.records
    }
}

/// `None` in a folder that may not be written: nothing is made there.
async fn lock_opening(folder: &Path) -> Result<Option<FileLock>, StoreError> {
    let path = folder.join("open.lock");
    let locked = tokio::task::spawn_blocking(move || FileLock::wait(&path))
        .await
        .map_err(|_| StoreError::Closed)?;
    match locked {
        Err(StoreError::Io { source, .. }) if is_denied(&source) => Ok(None),
        locked => locked.map(Some),
    }
}

/// Bytes of a file, or of everything in a folder; 0 when there is none.
fn bytes_of(path: &Path) -> u64 {
    let Ok(metadata) = std::fs::metadata(path) else {
        return 0;
    };
    if !metadata.is_dir() {
        return metadata.len();
    }
    std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| bytes_of(&entry.path()))
        .sum()
}
