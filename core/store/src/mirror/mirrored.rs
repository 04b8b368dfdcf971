//! A database of this program's, with a replica in a folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use gannet_api::{EmbeddingModel, Enhanced, Entry, FilterField, Found};

use super::CATCH_UP;
use super::follower::Follower;
use super::freshness::Freshness;
use super::source::{LazyPostgres, Source};
use crate::arrivals::Arrivals;
use crate::embedded::EmbeddedStore;
use crate::error::StoreError;
use crate::options::EmbeddedOptions;
use crate::postgres::{PostgresOptions, PostgresStore};
use crate::request::{
    IngestionRun, ListRequest, Page, RebuildScope, RunOutcome, StateKey, StatusCounts, StoreStats,
    TextFound, VectorCoverage, VectorRequest, WorkedOn,
};
use crate::token_records::TokenRecords;
use crate::upsert_report::UpsertReport;
use gannet_index::{FieldValues, MatchCounts, MatchRequest, TextRequest};

/// PostgreSQL, and a copy that answers searches. What is written goes to the
/// database. Reading asks the copy once it has everything that this process
/// wrote, and the database before.
#[derive(Clone)]
pub(crate) struct MirroredStore(Arc<Inner>);

struct Inner {
    postgres: LazyPostgres,
    source: Arc<Source>,
    copy: EmbeddedStore,
    freshness: Arc<Freshness>,
    follower: Follower,
}

impl MirroredStore {
    /// Opens both. A database that is away is no obstacle when there is a
    /// copy of it.
    pub(crate) async fn open(
        postgres: PostgresOptions,
        folder: EmbeddedOptions,
    ) -> Result<Self, StoreError> {
        let postgres = LazyPostgres::new(postgres);
        let opened = postgres.get().await.map(drop);
        let away = match opened {
            Ok(()) => None,
            Err(error) if error.is_connection_lost() && folder.path.join("store.db").exists() => {
                Some(error)
            }
            Err(error) => return Err(error),
        };
        let tick = folder.commit_every;
        let copy = EmbeddedStore::open_copy(folder).await?;
        let freshness = Arc::new(Freshness::new(&copy));
        if let Some(error) = away {
            if !freshness.is_complete(&copy).await? {
                return Err(error);
            }
            tracing::warn!(%error, "the database is unreachable; searches use the replica");
        }
        let source = Arc::new(Source::Postgres(postgres.clone()));
        let follower = Follower::start(
            Arc::clone(&source),
            copy.clone(),
            Arc::clone(&freshness),
            tick,
        );
        let store = Self(Arc::new(Inner {
            postgres,
            source,
            copy,
            freshness,
            follower,
        }));
        store.catch_up().await;
        Ok(store)
    }

    async fn catch_up(&self) {
        let caught_up = async {
            self.0.follower.look().await?;
            self.0.copy.catch_up().await
        };
        if let Ok(Err(error)) = tokio::time::timeout(CATCH_UP, caught_up).await {
            tracing::debug!(%error, "the replica is behind the database");
        }
    }

    pub(super) async fn postgres(&self) -> Result<&PostgresStore, StoreError> {
        self.0.postgres.get().await
    }

    /// Notes that this process wrote something, and has it copied.
    async fn wrote(&self) {
        self.0.freshness.note_write(self.0.source.token().await);
        self.0.follower.wake();
    }

    async fn is_current(&self) -> Result<bool, StoreError> {
        let inner = &self.0;
        inner
            .freshness
            .has_own_writes(&inner.copy, &inner.source)
            .await
    }

    pub(crate) async fn upsert(&self, entries: Vec<Entry>) -> Result<UpsertReport, StoreError> {
        let report = self.postgres().await?.upsert(entries).await?;
        if report.added + report.updated > 0 {
            self.wrote().await;
        }
        Ok(report)
    }

    pub(crate) async fn delete(&self, tenant: &str, ids: &[String]) -> Result<u64, StoreError> {
        let deleted = self.postgres().await?.delete(tenant, ids).await?;
        if deleted > 0 {
            self.wrote().await;
        }
        Ok(deleted)
    }

    pub(crate) async fn text_search(
        &self,
        tenant: &str,
        request: TextRequest,
    ) -> Result<TextFound, StoreError> {
        let is_current = self.is_current().await?;
        let mut found = self.0.copy.text_search(tenant, request).await?;
        self.0.freshness.mark(&mut found.diagnostics, is_current);
        Ok(found)
    }

    pub(crate) async fn text_matches(
        &self,
        tenant: &str,
        request: MatchRequest,
    ) -> Result<MatchCounts, StoreError> {
        self.0.copy.text_matches(tenant, request).await
    }

    pub(crate) async fn vector_search(
        &self,
        tenant: &str,
        request: VectorRequest,
    ) -> Result<Found, StoreError> {
        let is_current = self.is_current().await?;
        let mut found = self.0.copy.vector_search(tenant, request).await?;
        self.0.freshness.mark(&mut found.diagnostics, is_current);
        Ok(found)
    }

    pub(crate) async fn token_records(
        &self,
        tenant: &str,
        model: &str,
        ids: &[String],
    ) -> Result<TokenRecords, StoreError> {
        self.0.copy.token_records(tenant, model, ids).await
    }

    pub(crate) async fn register_model(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        self.postgres().await?.register_model(model).await?;
        self.copy_model().await;
        Ok(())
    }

    pub(crate) async fn forget_model(&self, name: &str) -> Result<(), StoreError> {
        self.postgres().await?.forget_model(name).await?;
        self.copy_model().await;
        Ok(())
    }

    /// A search for the vectors of a model that was just registered is no
    /// error, and one for those of a forgotten one is.
    async fn copy_model(&self) {
        self.wrote().await;
        self.catch_up().await;
    }

    pub(crate) async fn save_enhanced(
        &self,
        module: &str,
        outcomes: Vec<(WorkedOn, Enhanced)>,
    ) -> Result<(), StoreError> {
        let postgres = self.postgres().await?;
        postgres.save_enhanced(module, outcomes).await?;
        self.wrote().await;
        Ok(())
    }

    pub(crate) async fn reset_enhancement(&self, module: &str) -> Result<u64, StoreError> {
        let reset = self.postgres().await?.reset_enhancement(module).await?;
        self.wrote().await;
        Ok(reset)
    }

    pub(crate) async fn reopen_unembedded(
        &self,
        module: &str,
        model: &str,
    ) -> Result<u64, StoreError> {
        let postgres = self.postgres().await?;
        let reopened = postgres.reopen_unembedded(module, model).await?;
        self.wrote().await;
        Ok(reopened)
    }

    pub(crate) async fn forget_unusable_models(&self) -> Result<Vec<String>, StoreError> {
        let forgotten = self.postgres().await?.forget_unusable_models().await?;
        self.copy_model().await;
        Ok(forgotten)
    }

    pub(crate) async fn flush(&self) -> Result<(), StoreError> {
        let postgres = self.postgres().await?;
        postgres.flush().await?;
        let token = self.0.source.token().await?;
        self.0.follower.reach(&self.0.copy, &token).await?;
        self.0.copy.flush().await
    }

    /// Makes the copy anew, and what the database derives from its entries.
    pub(crate) async fn rebuild(&self, scope: RebuildScope) -> Result<(), StoreError> {
        if scope != RebuildScope::All {
            return self.0.copy.rebuild(scope).await;
        }
        self.postgres().await?.rebuild(scope).await?;
        if !self.0.follower.make_anew().await? {
            return Err(StoreError::NotTheWriter {
                path: self.0.copy.folder().to_path_buf(),
            });
        }
        self.0.copy.flush().await
    }

    /// In the database, and in the replica of this host once it has followed.
    pub(crate) async fn erase(&self) -> Result<(), StoreError> {
        self.postgres().await?.erase().await?;
        self.flush().await?;
        self.0.copy.erase().await
    }

    /// The database's, with what of it searches find.
    pub(crate) async fn stats(&self) -> Result<StoreStats, StoreError> {
        let copy = self.0.copy.stats().await?;
        let position = self.0.copy.copied().copy_position().await?;
        let reached = position.map_or(0, |position| position.reached);
        // How far an index is behind the copy, it is at least behind the
        // database.
        let found = |index: i64| (reached - (copy.sequence - index).max(0)).max(0);
        let database = match self.postgres().await {
            Ok(postgres) => postgres.stats().await,
            Err(error) => Err(error),
        };
        let database = match database {
            Err(error) if error.is_connection_lost() => StoreStats {
                sequence: reached,
                ..copy.clone()
            },
            database => database?,
        };
        Ok(StoreStats {
            text_sequence: found(copy.text_sequence),
            vector_sequences: copy
                .vector_sequences
                .iter()
                .map(|(name, index)| (name.clone(), found(*index)))
                .collect(),
            vector_failures: copy.vector_failures,
            text_bytes: copy.text_bytes,
            text_trouble: copy.text_trouble,
            read_only: copy.read_only,
            vector_bytes: copy.vector_bytes,
            writer: copy.writer,
            ..database
        })
    }

    /// Why the replica's folder is only read; `None` when it can be written.
    pub(crate) fn read_only(&self) -> Option<&str> {
        self.0.copy.read_only()
    }

    pub(crate) async fn close(self) -> Result<(), StoreError> {
        self.0.follower.stop().await;
        let closed = self.0.copy.clone().close().await;
        self.0.postgres.close().await?;
        closed
    }
}

/// Reading asks the copy when it has what this process wrote, or when the
/// database is away.
macro_rules! readings {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        impl MirroredStore {
            $(
                pub(crate) async fn $name(
                    &self,
                    $($argument: $type),*
                ) -> Result<$output, StoreError> {
                    if self.is_current().await? {
                        return self.0.copy.$name($($argument),*).await;
                    }
                    let asked = match self.postgres().await {
                        Ok(postgres) => postgres.$name($(Clone::clone(&$argument)),*).await,
                        Err(error) => Err(error),
                    };
                    match asked {
                        Err(error) if error.is_connection_lost() => {
                            tracing::debug!(%error, "searches use the replica instead of the database");
                            self.0.copy.$name($($argument),*).await
                        }
                        asked => asked,
                    }
                }
            )*
        }
    };
}

readings! {
    entries(tenant: &str, ids: &[String]) -> Vec<Entry>;
    list(tenant: &str, request: ListRequest) -> Page;
    distinct(tenant: &str, field: &FilterField, limit: usize) -> Vec<(String, u64)>;
    field_values(tenant: &str, most: usize) -> Vec<FieldValues>;
    document_counts(tenant: &str, words: &[String]) -> Vec<u64>;
    idfs(tenant: &str, words: &[String]) -> Vec<f64>;
    values_version() -> u64;
    count(tenant: &str) -> u64;
    tenants() -> Vec<String>;
    vector_coverage(tenant: &str, model: &str) -> VectorCoverage;
}

/// What only the database knows.
macro_rules! asks_the_database {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        impl MirroredStore {
            $(
                pub(crate) async fn $name(
                    &self,
                    $($argument: $type),*
                ) -> Result<$output, StoreError> {
                    self.postgres().await?.$name($($argument),*).await
                }
            )*
        }
    };
}

asks_the_database! {
    arrivals(after: i64, limit: usize) -> Arrivals;
    passage_vectors(tenant: &str, model: &str, ids: &[String]) -> Vec<Vec<Vec<f32>>>;
    pending(module: &str, limit: usize) -> Vec<Entry>;
    pending_count(module: &str) -> u64;
    retry_failed(module: &str) -> u64;
    enhancement_counts() -> BTreeMap<String, StatusCounts>;
    begin_run(source_system: &str) -> i64;
    finish_run(run: i64, outcome: RunOutcome) -> ();
    runs(limit: usize) -> Vec<IngestionRun>;
    plugin_state(key: &StateKey) -> Option<String>;
    set_plugin_state(key: &StateKey, value: Option<&str>) -> ();
    plugin_state_bytes(owner: &str) -> u64;
    plugin_state_keys(owner: &str, tenant: &str) -> Vec<String>;
    plugin_states(owner: &str, tenant: &str) -> Vec<(String, String)>;
}
