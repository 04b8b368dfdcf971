//! `GET /v1/models`.

use axum::Json;
use schemars::JsonSchema;
use serde::Serialize;

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
struct Model {
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

/// `GET /v1/models`: the modes of a search.
pub(crate) async fn show(app: App) -> Json<Models> {
    let modes = app.gannet.modes().into_iter();
    let data = modes.map(|mode| Model {
        id: mode.name,
        object: "model",
        owned_by: "gannet",
        created: 0,
        description: mode.description,
    });
    Json(Models {
        object: "list",
        data: data.collect(),
    })
}
