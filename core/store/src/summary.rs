//! What is in a store, read without opening it for work.

use std::collections::BTreeMap;

use gannet_api::DEFAULT_TENANT;

use crate::embedded;
use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::postgres::{Migrate, PostgresOptions, PostgresStore};
use crate::request::StatusCounts;
use crate::store::Store;

/// What is in a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Entries of all tenants.
    pub entries: u64,
    /// Entries of the default tenant with a text and without a vector of the
    /// model that was named.
    pub without_vectors: u64,
    /// Entries by what came of them, for each module that was named.
    pub enhancement: BTreeMap<String, StatusCounts>,
}

impl Store {
    /// What is in a store, without changing anything: nothing is made,
    /// migrated or rebuilt. Of ARIEL's database the copy in the folder is
    /// looked at, and nothing when there is none.
    ///
    /// # Errors
    /// A store that is not there, cannot be read, or is not of this program's
    /// format.
    pub async fn summary(
        options: &StoreOptions,
        modules: &[String],
        model: Option<&str>,
    ) -> Result<Summary, StoreError> {
        match options {
            StoreOptions::Embedded(folder) => embedded::summary(folder, modules, model).await,
            StoreOptions::Postgres(postgres) | StoreOptions::Mirrored { postgres, .. } => {
                of_database(postgres, modules, model).await
            }
            StoreOptions::Ariel { folder, .. } => match folder.path.join("store.db").exists() {
                true => embedded::summary(folder, &[], model).await,
                false => Ok(Summary::default()),
            },
        }
    }

    /// What is remembered for one owner and tenant, by key, read as a
    /// [`summary`](Self::summary) is.
    ///
    /// # Errors
    /// Those of [`summary`](Self::summary).
    pub async fn remembered(
        options: &StoreOptions,
        owner: &str,
        tenant: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        match options {
            StoreOptions::Embedded(folder) => embedded::remembered(folder, owner, tenant).await,
            StoreOptions::Postgres(postgres) | StoreOptions::Mirrored { postgres, .. } => {
                let store = to_read(postgres).await?;
                let states = store.plugin_states(owner, tenant).await;
                store.close().await?;
                states
            }
            // Nothing can be kept beside what ARIEL keeps.
            StoreOptions::Ariel { .. } => Ok(Vec::new()),
        }
    }
}

async fn to_read(options: &PostgresOptions) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(PostgresOptions {
        migrate: Migrate::Never,
        ..options.clone()
    })
    .await
}

async fn of_database(
    options: &PostgresOptions,
    modules: &[String],
    model: Option<&str>,
) -> Result<Summary, StoreError> {
    let store = to_read(options).await?;
    let stats = store.stats().await?;
    let mut counts = store.enhancement_counts().await?;
    let mut enhancement = BTreeMap::new();
    for module in modules {
        let of_module = counts.remove(module).unwrap_or_default();
        let waiting = store.pending_count(module).await?;
        enhancement.insert(module.clone(), with_waiting(of_module, waiting));
    }
    let without_vectors = match model {
        Some(model) => store.vector_coverage(DEFAULT_TENANT, model).await?.missing,
        None => 0,
    };
    store.close().await?;
    Ok(Summary {
        entries: stats.entries,
        without_vectors,
        enhancement,
    })
}

/// Pending is whatever waits and did not fail.
pub(crate) fn with_waiting(counts: StatusCounts, waiting: u64) -> StatusCounts {
    StatusCounts {
        pending: waiting.saturating_sub(counts.failed),
        ..counts
    }
}
