//! `GET /api/status`.

use axum::Json;
use gannet_core::{Gannet, HostError, Status};
use schemars::JsonSchema;
use serde::Serialize;

use super::Presenter;
use crate::auth::Scope;
use crate::deliveries::{DeliveryReply, troubles};
use crate::problem::Problem;
use crate::state::App;

/// Contents and health of the store.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusResponse")]
pub(crate) struct StatusReply {
    /// Whether nothing is wrong.
    healthy: bool,
    /// Whether the store can be read.
    database_connected: bool,
    /// The kind of the store; of a database host, port and name, for
    /// administrators.
    database_uri: String,
    /// Entries of the caller's tenant.
    entry_count: u64,
    /// The vectors of each model.
    embedding_tables: Vec<EmbeddingTable>,
    /// The model that questions are embedded with.
    active_embedding_model: Option<String>,
    /// Search modules that are enabled.
    enabled_search_modules: Vec<String>,
    /// Pipelines that are enabled.
    enabled_pipelines: Vec<String>,
    /// Enhancement modules that are enabled.
    enabled_enhancement_modules: Vec<String>,
    /// When the last ingestion ended, of whichever tenant, for administrators.
    last_ingestion: Option<String>,
    /// The deliveries of digests and saved searches, for administrators.
    deliveries: Vec<DeliveryReply>,
    /// What is wrong.
    errors: Vec<String>,
}

/// The vectors of a model.
#[derive(Debug, Serialize, JsonSchema)]
struct EmbeddingTable {
    /// The model.
    table_name: String,
    /// Entries of the caller's tenant with vectors of it.
    entry_count: u64,
    /// Its dimension, where it is the active model.
    dimension: Option<usize>,
    /// Whether questions are embedded with it.
    is_active: bool,
}

/// `GET /api/status`.
pub(crate) async fn show(app: App) -> Result<Json<StatusReply>, Problem> {
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let work = async move {
        let status = gannet.status().await?;
        let contents = Contents::of(&gannet, &tenant, &status).await?;
        Ok::<_, HostError>((status, contents))
    };
    let (status, contents) = app.compute(work).await?;
    let sees_all = app.caller().may(Scope::Admin);
    let mut errors = app.gannet.unavailable_plugins();
    if status.store.text_trouble.is_some() {
        errors.push("the text index does not follow the records".to_owned());
    }
    let failed = status.store.vector_failures.keys();
    errors.extend(failed.map(|model| format!("the vectors of `{model}` cannot be searched")));
    errors.extend(troubles(&status));
    let presenter = Presenter::new(&app.gannet);
    let deliveries = status.deliveries.iter().filter(|_| sees_all);
    let deliveries = deliveries.map(|one| DeliveryReply::new(one, &presenter));
    let deliveries = deliveries.collect();
    let active = status.embedder.as_ref();
    let tables = contents
        .with_vectors
        .into_iter()
        .filter_map(|(model, count)| {
            let active = active.filter(|active| active.model == model);
            // Another tenant's model says nothing to this one.
            let is_shown = count > 0 || active.is_some();
            is_shown.then(|| EmbeddingTable {
                table_name: model,
                entry_count: count,
                dimension: active.map(|active| active.dimension),
                is_active: active.is_some(),
            })
        });
    let last_run = status.last_run.as_ref().filter(|_| sees_all);
    let last_run = last_run.and_then(|run| run.finished_at);
    Ok(Json(StatusReply {
        healthy: errors.is_empty(),
        database_connected: true,
        database_uri: match (status.database, sees_all) {
            (Some(database), true) => database,
            (Some(_), false) => "PostgreSQL".to_owned(),
            (None, _) => "embedded store".to_owned(),
        },
        entry_count: contents.entries,
        embedding_tables: tables.collect(),
        active_embedding_model: active.map(|active| active.model.clone()),
        enabled_search_modules: status.search_modules,
        enabled_pipelines: status.pipelines,
        enabled_enhancement_modules: status.enhancement_modules,
        last_ingestion: last_run.map(|time| presenter.time(time)),
        deliveries,
        errors,
    }))
}

/// What a tenant has.
pub(crate) struct Contents {
    /// Its entries.
    pub entries: u64,
    /// Those with vectors, by model.
    pub with_vectors: Vec<(String, u64)>,
}

impl Contents {
    /// What this tenant has of the models that the store knows.
    pub async fn of(gannet: &Gannet, tenant: &str, status: &Status) -> Result<Self, HostError> {
        let store = gannet.store();
        let entries = store.count(tenant).await?;
        let mut with_vectors = Vec::new();
        for model in status.store.vectors.keys() {
            let coverage = store.vector_coverage(tenant, model).await?;
            // What a whole index covers is counted over all tenants.
            let count = entries.saturating_sub(coverage.missing);
            with_vectors.push((model.clone(), count));
        }
        Ok(Self {
            entries,
            with_vectors,
        })
    }
}
