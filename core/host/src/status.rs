//! What is there and how it is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gannet_api::{DEFAULT_TENANT, PluginKind};
use gannet_registry::loading::FileReport;
use gannet_store::{IngestionRun, StatusCounts, StoreStats};
use jiff::Timestamp;
use serde::Serialize;

use crate::config::{Adopt, StoreKind, StoreParts};
use crate::store_options::database_label;
use crate::{DeliveryStatus, DigestStatus, Gannet, HostError, Quarantined, SourceStatus};

/// What is there and how it is.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// Which store.
    pub kind: StoreKind,
    /// Host, port and name of the database, without user and password.
    pub database: Option<String>,
    /// Whose database it is.
    pub adopt: Adopt,
    /// Whether a copy of the database in the folder answers searches.
    pub is_copied: bool,
    /// Where the records are, and which indexes follow them.
    pub parts: StoreParts,
    /// The store's folder. With PostgreSQL: the folder of its copy, and of
    /// what is kept aside.
    pub path: PathBuf,
    /// Entries of the default tenant.
    pub entries: u64,
    /// The embedder that questions are embedded with.
    pub embedder: Option<ModelStatus>,
    /// The store's own figures.
    pub store: StoreStats,
    /// How far each enhancement module got.
    pub enhancement: BTreeMap<String, StatusCounts>,
    /// The sources that are followed.
    pub sources: Vec<SourceStatus>,
    /// The digests that are made on a schedule.
    pub digests: Vec<DigestStatus>,
    /// The deliveries of digests.
    pub deliveries: Vec<DeliveryStatus>,
    /// The last ingestion.
    pub last_run: Option<IngestionRun>,
    /// Search modules that are on.
    pub search_modules: Vec<String>,
    /// Pipelines that are on.
    pub pipelines: Vec<String>,
    /// Enhancement modules that are on.
    pub enhancement_modules: Vec<String>,
    /// Adapters that are on.
    pub adapters: Vec<String>,
    /// What became of each dylib of the configuration.
    pub plugin_files: Vec<FileReport>,
    /// What is switched on and could not be had, with the reason.
    pub left_out: Vec<String>,
    /// Plugins that panicked too often and are asked no more.
    pub quarantined: Vec<Quarantined>,
}

/// An embedder in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelStatus {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Numbers a vector.
    pub dimension: usize,
    /// Entries of the default tenant that have a text and no vector of it.
    pub entries_without_vectors: u64,
}

impl Gannet {
    /// What is there and how it is.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn status(&self) -> Result<Status, HostError> {
        let catalog = self.services().catalog();
        let names =
            |kind| -> Vec<String> { catalog.names(kind).into_iter().map(str::to_owned).collect() };
        Ok(Status {
            kind: self.store_config().kind,
            database: database_label(self.store_config()),
            adopt: self.store_config().adopt,
            is_copied: self.store_config().has_copy(),
            parts: self.store_config().parts(),
            path: self.store_path().to_owned(),
            entries: self.store().count(DEFAULT_TENANT).await?,
            embedder: self.model_status().await?,
            store: self.store().stats().await?,
            enhancement: self.enhancement_counts().await?,
            sources: self.source_statuses().await?,
            digests: self.digest_statuses(Timestamp::now()).await?,
            deliveries: self.delivery_statuses().await?,
            last_run: self.store().runs(1).await?.into_iter().next(),
            search_modules: names(PluginKind::SearchModule),
            pipelines: names(PluginKind::Pipeline),
            enhancement_modules: names(PluginKind::Enhancer),
            adapters: names(PluginKind::Adapter),
            plugin_files: self.plugin_files().to_vec(),
            left_out: catalog.left_out().iter().map(ToString::to_string).collect(),
            quarantined: self.services().quarantine().list(),
        })
    }

    /// The hosts of servers that the settings of plugins name, in lower case.
    pub fn named_hosts(&self) -> Vec<String> {
        self.services().outgoing().hosts()
    }

    /// What is switched on and cannot be used, in words that name no file.
    pub fn unavailable_plugins(&self) -> Vec<String> {
        let left_out = self.services().catalog().left_out().iter();
        let left_out = left_out.map(|error| match error.key() {
            Some(key) => format!("`{key}` could not be loaded"),
            None => "a plugin could not be loaded".to_owned(),
        });
        let quarantined = self.services().quarantine().list().into_iter();
        let quarantined = quarantined.map(|plugin| {
            let kind = plugin.kind.label();
            format!("{kind} `{}` panicked too often", plugin.name)
        });
        left_out.chain(quarantined).collect()
    }

    /// Whether there is an embedder that questions are embedded with.
    pub fn has_embedder(&self) -> bool {
        let services = self.services();
        services.embedder(services.default_embedder()).is_ok()
    }

    async fn model_status(&self) -> Result<Option<ModelStatus>, HostError> {
        let provider = self.services().default_embedder().to_owned();
        let Ok(embedder) = self.services().embedder(&provider) else {
            return Ok(None);
        };
        let model = embedder.model();
        let store = self.store();
        let coverage = store.vector_coverage(DEFAULT_TENANT, &model.name).await?;
        Ok(Some(ModelStatus {
            entries_without_vectors: coverage.missing,
            provider,
            model: model.name,
            dimension: model.dimension,
        }))
    }
}
