//! `GET /v1/models` and `GET /v1/models/{model}`.

use axum::Json;
use gannet_core::api::Descriptor;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::of_model;
use crate::extract::PathOf;
use crate::problem::Problem;
use crate::state::App;

/// What can be named as `model`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Models {
    /// `list`.
    object: &'static str,
    /// The models.
    data: Vec<Model>,
}

/// A pipeline or search module.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Model {
    /// Its name in `model`.
    id: String,
    /// `model`.
    object: &'static str,
    /// `gannet`.
    owned_by: &'static str,
    /// Always 0: it is not known.
    created: i64,
    /// What it does.
    description: String,
}

impl Model {
    fn of(mode: Descriptor) -> Self {
        Self {
            id: mode.name,
            object: "model",
            owned_by: "gannet",
            created: 0,
            description: mode.description,
        }
    }
}

/// `GET /v1/models`: the modes of a search.
pub(crate) async fn list(app: App) -> Json<Models> {
    Json(Models {
        object: "list",
        data: app.gannet.modes().into_iter().map(Model::of).collect(),
    })
}

/// `GET /v1/models/{model}`: one of them.
pub(crate) async fn show(app: App, PathOf(model): PathOf<String>) -> Result<Json<Model>, Problem> {
    let mode = app.gannet.mode(&model).map_err(of_model)?;
    Ok(Json(Model::of(mode.descriptor.clone())))
}
