//! ARIEL's database, only read, with a replica in a folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use gannet_api::{Diagnostic, EmbeddingModel, Enhanced, Entry, FilterField, Found};

use super::follower::Follower;
use super::freshness::Freshness;
use super::source::Source;
use super::{CATCH_UP, ariel_models};
use crate::arrivals::Arrivals;
use crate::embedded::EmbeddedStore;
use crate::error::StoreError;
use crate::options::EmbeddedOptions;
use crate::postgres::{ArielSource, PostgresOptions};
use crate::request::{
    IngestionRun, ListRequest, Page, RebuildScope, RunOutcome, StateKey, StatusCounts, StoreStats,
    TextFound, VectorCoverage, VectorRequest, WorkedOn,
};
use crate::token_records::TokenRecords;
use crate::upsert_report::UpsertReport;
use gannet_index::{FieldValues, MatchCounts, MatchRequest, TextRequest};

/// ARIEL's database as it is, and a copy that answers everything. What
/// enhancers make of its entries is kept in the copy.
#[derive(Clone)]
pub(crate) struct ArielStore(Arc<Inner>);

struct Inner {
    ariel: ArielSource,
    source: Arc<Source>,
    copy: EmbeddedStore,
    freshness: Arc<Freshness>,
    follower: Follower,
}

impl ArielStore {
    /// Opens both. A database that is away is no obstacle when there is a
    /// copy of it.
    pub(crate) async fn open(
        postgres: PostgresOptions,
        folder: EmbeddedOptions,
    ) -> Result<Self, StoreError> {
        let ariel = ArielSource::new(&postgres)?;
        let source = Arc::new(Source::Ariel(ariel.clone()));
        // A wrong address is told before a folder is made.
        let away = match ariel.look().await {
            Ok(_) => None,
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
            tracing::warn!(%error, "the database of ARIEL is unreachable; searches use the replica");
        }
        let follower = Follower::start(
            Arc::clone(&source),
            copy.clone(),
            Arc::clone(&freshness),
            tick,
        );
        let store = Self(Arc::new(Inner {
            ariel,
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
            tracing::debug!(%error, "the replica is behind the database of ARIEL");
        }
    }

    pub(crate) fn copy(&self) -> &EmbeddedStore {
        &self.0.copy
    }

    fn refuse<T>(&self, action: &'static str) -> Result<T, StoreError> {
        Err(StoreError::OnlyRead {
            database: self.0.ariel.database().to_owned(),
            action,
        })
    }

    pub(crate) async fn upsert(&self, _: Vec<Entry>) -> Result<UpsertReport, StoreError> {
        self.refuse("write entries")
    }

    pub(crate) async fn delete(&self, _: &str, _: &[String]) -> Result<u64, StoreError> {
        self.refuse("delete entries")
    }

    pub(crate) async fn begin_run(&self, _: &str) -> Result<i64, StoreError> {
        self.refuse("ingest entries")
    }

    pub(crate) async fn finish_run(&self, _: i64, _: RunOutcome) -> Result<(), StoreError> {
        self.refuse("ingest entries")
    }

    /// ARIEL's database has no place for it: nothing is remembered.
    pub(crate) async fn plugin_state(&self, _: &StateKey) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    pub(crate) async fn set_plugin_state(
        &self,
        _: &StateKey,
        _: Option<&str>,
    ) -> Result<(), StoreError> {
        self.refuse("keep the state of a plugin")
    }

    pub(crate) async fn plugin_state_bytes(&self, _: &str) -> Result<u64, StoreError> {
        Ok(0)
    }

    pub(crate) async fn plugin_state_keys(
        &self,
        _: &str,
        _: &str,
    ) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    pub(crate) async fn plugin_states(
        &self,
        _: &str,
        _: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        Ok(Vec::new())
    }

    /// ARIEL's runs.
    pub(crate) async fn runs(&self, limit: usize) -> Result<Vec<IngestionRun>, StoreError> {
        self.0.ariel.runs(limit).await
    }

    pub(crate) async fn text_search(
        &self,
        tenant: &str,
        request: TextRequest,
    ) -> Result<TextFound, StoreError> {
        let mut found = self.0.copy.text_search(tenant, request).await?;
        self.mark(&mut found.diagnostics).await?;
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
        let mut found = self.0.copy.vector_search(tenant, request).await?;
        self.mark(&mut found.diagnostics).await?;
        Ok(found)
    }

    async fn mark(&self, notes: &mut Vec<Diagnostic>) -> Result<(), StoreError> {
        let is_complete = self.0.freshness.is_complete(&self.0.copy).await?;
        self.0.freshness.mark(notes, is_complete);
        Ok(())
    }

    pub(crate) async fn register_model(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        ariel_models::register(&self.0.copy, model).await
    }

    pub(crate) async fn forget_model(&self, name: &str) -> Result<(), StoreError> {
        ariel_models::forget(&self.0.copy, name).await
    }

    /// None before everything was copied: ARIEL may have done the work.
    pub(crate) async fn pending(
        &self,
        module: &str,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        if !self.0.freshness.is_complete(&self.0.copy).await? {
            return Ok(Vec::new());
        }
        self.0.copy.pending(module, limit).await
    }

    pub(crate) async fn flush(&self) -> Result<(), StoreError> {
        let token = self.0.source.token().await?;
        self.0.follower.reach(&self.0.copy, &token).await?;
        self.0.copy.flush().await
    }

    /// Why the replica's folder is only read; `None` when it can be written.
    pub(crate) fn read_only(&self) -> Option<&str> {
        self.0.copy.read_only()
    }

    pub(crate) async fn close(self) -> Result<(), StoreError> {
        self.0.follower.stop().await;
        let closed = self.0.copy.clone().close().await;
        self.0.ariel.close().await;
        closed
    }
}

/// What the copy answers alone.
macro_rules! asks_the_copy {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        impl ArielStore {
            $(
                pub(crate) async fn $name(
                    &self,
                    $($argument: $type),*
                ) -> Result<$output, StoreError> {
                    self.0.copy.$name($($argument),*).await
                }
            )*
        }
    };
}

asks_the_copy! {
    arrivals(after: i64, limit: usize) -> Arrivals;
    passage_vectors(tenant: &str, model: &str, ids: &[String]) -> Vec<Vec<Vec<f32>>>;
    entries(tenant: &str, ids: &[String]) -> Vec<Entry>;
    list(tenant: &str, request: ListRequest) -> Page;
    distinct(tenant: &str, field: &FilterField, limit: usize) -> Vec<(String, u64)>;
    field_values(tenant: &str, most: usize) -> Vec<FieldValues>;
    document_counts(tenant: &str, words: &[String]) -> Vec<u64>;
    idfs(tenant: &str, words: &[String]) -> Vec<f64>;
    values_version() -> u64;
    count(tenant: &str) -> u64;
    tenants() -> Vec<String>;
    pending_count(module: &str) -> u64;
    save_enhanced(module: &str, outcomes: Vec<(WorkedOn, Enhanced)>) -> ();
    reset_enhancement(module: &str) -> u64;
    reopen_unembedded(module: &str, model: &str) -> u64;
    retry_failed(module: &str) -> u64;
    forget_unusable_models() -> Vec<String>;
    vector_coverage(tenant: &str, model: &str) -> VectorCoverage;
    token_records(tenant: &str, model: &str, ids: &[String]) -> TokenRecords;
    enhancement_counts() -> BTreeMap<String, StatusCounts>;
    rebuild(scope: RebuildScope) -> ();
    erase() -> ();
    stats() -> StoreStats;
}
