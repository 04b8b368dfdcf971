//! `GET /api/status`.

use axum::Json;
use schemars::JsonSchema;
use serde::Serialize;

use super::Presenter;
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
    /// The kind of the store; of a database host, port and name.
    database_uri: String,
    /// Entries.
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
    /// When the last ingestion ended.
    last_ingestion: Option<String>,
    /// What is wrong.
    errors: Vec<String>,
}

/// The vectors of a model.
#[derive(Debug, Serialize, JsonSchema)]
struct EmbeddingTable {
    /// The model.
    table_name: String,
    /// Passages with a vector.
    entry_count: u64,
    /// Its dimension, where it is the active model.
    dimension: Option<usize>,
    /// Whether questions are embedded with it.
    is_active: bool,
}

/// `GET /api/status`.
pub(crate) async fn show(app: App) -> Result<Json<StatusReply>, Problem> {
    let gannet = app.gannet.clone();
    let status = app.compute(async move { gannet.status().await }).await?;
    let mut errors = app.gannet.unavailable_plugins();
    if status.store.text_trouble.is_some() {
        errors.push("the text index does not follow the records".to_owned());
    }
    let failed = status.store.vector_failures.keys();
    errors.extend(failed.map(|model| format!("the vectors of `{model}` cannot be searched")));
    let active = status.embedder.as_ref();
    let tables = status.store.vectors.iter().map(|(model, count)| {
        let active = active.filter(|active| active.model == *model);
        EmbeddingTable {
            table_name: model.clone(),
            entry_count: *count,
            dimension: active.map(|active| active.dimension),
            is_active: active.is_some(),
        }
    });
    let last_run = status.last_run.as_ref().and_then(|run| run.finished_at);
    Ok(Json(StatusReply {
        healthy: errors.is_empty(),
        database_connected: true,
        database_uri: status
            .database
            .unwrap_or_else(|| "embedded store".to_owned()),
        entry_count: status.entries,
        embedding_tables: tables.collect(),
        active_embedding_model: active.map(|active| active.model.clone()),
        enabled_search_modules: status.search_modules,
        enabled_pipelines: status.pipelines,
        enabled_enhancement_modules: status.enhancement_modules,
        last_ingestion: last_run.map(|time| Presenter::new(&app.gannet).time(time)),
        errors,
    }))
}
