//! `GET /api/publish-info`.

use axum::Json;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether entries are written to the facility's logbook.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PublishInfo {
    /// Whether they are: adapters only read, so entries are kept here.
    supports_write: bool,
    /// Whether that needs credentials.
    requires_auth: bool,
    /// The logbook that is written to.
    source_system: Option<String>,
}

/// `GET /api/publish-info`. The contract of adapters has no way to write.
pub(crate) async fn show() -> Json<PublishInfo> {
    Json(PublishInfo {
        supports_write: false,
        requires_auth: false,
        source_system: None,
    })
}
