//! The same calls to every kind of store.

use std::collections::BTreeMap;

use gannet_api::{EmbeddingModel, Enhanced, Entry, FilterField, Found};
use gannet_store::{
    IngestionRun, ListRequest, Page, PostgresStore, RunOutcome, StatusCounts, Store, StoreError,
    StoreStats, UpsertReport, VectorRequest,
};

#[derive(Clone)]
pub enum AnyStore {
    Embedded(Store),
    Postgres(PostgresStore),
}

macro_rules! delegate {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        impl AnyStore {
            $(pub async fn $name(&self, $($argument: $type),*) -> Result<$output, StoreError> {
                match self {
                    Self::Embedded(store) => store.$name($($argument),*).await,
                    Self::Postgres(store) => store.$name($($argument),*).await,
                }
            })*
        }
    };
}

delegate! {
    upsert(entries: Vec<Entry>) -> UpsertReport;
    delete(tenant: &str, ids: &[String]) -> u64;
    entries(tenant: &str, ids: &[String]) -> Vec<Entry>;
    list(tenant: &str, request: ListRequest) -> Page;
    distinct(tenant: &str, field: &FilterField, limit: usize) -> Vec<(String, u64)>;
    count(tenant: &str) -> u64;
    register_model(model: &EmbeddingModel) -> ();
    forget_model(name: &str) -> ();
    pending(module: &str, limit: usize) -> Vec<Entry>;
    pending_count(module: &str) -> u64;
    save_enhanced(module: &str, outcomes: Vec<(String, Enhanced)>) -> ();
    reset_enhancement(module: &str) -> u64;
    enhancement_counts() -> BTreeMap<String, StatusCounts>;
    begin_run(source_system: &str) -> i64;
    finish_run(run: i64, outcome: RunOutcome) -> ();
    runs(limit: usize) -> Vec<IngestionRun>;
    vector_search(tenant: &str, request: VectorRequest) -> Found;
    flush() -> ();
    stats() -> StoreStats;
}

/// Runs each of these functions over every kind of store, as a test of its
/// own.
#[macro_export]
macro_rules! over_every_store {
    ($($test:ident),* $(,)?) => {
        mod embedded {
            $(#[tokio::test]
            async fn $test() {
                let (_folder, store) = $crate::common::fresh().await;
                super::$test($crate::common::any_store::AnyStore::Embedded(store)).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                let Some(database) = $crate::common::postgres::Database::create().await else {
                    return;
                };
                let store = database.store().await;
                super::$test($crate::common::any_store::AnyStore::Postgres(store)).await;
                database.drop_if_there().await;
            })*
        }
    };
}
