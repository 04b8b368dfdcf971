//! `POST /api/entries/batch`.

use axum::Json;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::create::{CreateBody, CreateReply, Destination, write};
use super::idempotency::idempotency_key;
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::state::App;

/// What a key of this route stands for.
const ROUTE: &str = "POST /api/entries/batch";
/// Entries of a batch at most.
const MOST: usize = 500;

/// Entries that are to be written.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "EntryBatchRequest")]
pub(crate) struct BatchBody {
    /// The entries: all of them are written, or none. They are kept in this
    /// store, also where single entries are published.
    #[schemars(length(min = 1, max = 500))]
    entries: Vec<CreateBody>,
}

/// Entries were written.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryBatchResponse")]
pub(crate) struct BatchReply {
    /// Each entry, in the order of the request.
    entries: Vec<CreateReply>,
}

/// `POST /api/entries/batch`.
pub(crate) async fn create(
    app: App,
    headers: HeaderMap,
    JsonBody(body): JsonBody<BatchBody>,
) -> Result<Json<BatchReply>, Problem> {
    if !(1..=MOST).contains(&body.entries.len()) {
        let detail = format!(
            "entries: must have 1 to {MOST} members, has {}",
            body.entries.len()
        );
        return Err(Problem::invalid(detail));
    }
    let key = idempotency_key(&headers, ROUTE)?;
    let bodies = body.entries.into_iter().map(|entry| (entry, Vec::new()));
    let entries = write(&app, bodies.collect(), key, Destination::Here).await?;
    Ok(Json(BatchReply { entries }))
}
