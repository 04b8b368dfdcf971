//! `GET /api/publish-info`.

use axum::Json;
use schemars::JsonSchema;
use serde::Serialize;

use crate::state::App;

/// Whether entries are written to the facility's logbook.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PublishInfo {
    /// Whether they are; otherwise they are kept here.
    supports_write: bool,
    /// Whether whoever writes has to give credentials.
    requires_auth: bool,
    /// The source system of the logbook that is written to.
    source_system: Option<String>,
}

/// `GET /api/publish-info`.
pub(crate) async fn show(app: App) -> Json<PublishInfo> {
    let writing = app.gannet.writing();
    Json(PublishInfo {
        supports_write: writing.is_some(),
        requires_auth: writing.is_some_and(|writing| writing.needs_credentials),
        source_system: writing.map(|writing| writing.source_system.clone()),
    })
}
