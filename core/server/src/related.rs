//! `GET /api/entries/{entry_id}/related`: entries that belong to an entry.

use axum::Json;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ariel::{EntryReply, Presenter};
use crate::extract::PathOf;
use crate::problem::Problem;
use crate::state::App;

/// Entries that belong to an entry; each is in one list only, of 8 at most.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RelatedResponse")]
pub(crate) struct RelatedReply {
    /// Entries whose id stands in its text or metadata.
    links: Vec<EntryReply>,
    /// Entries whose text has its id.
    linked_from: Vec<EntryReply>,
    /// Entries that tell of a similar event, most probable first.
    similar: Vec<SimilarReply>,
}

/// An entry that tells of a similar event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SimilarEntryResponse")]
pub(crate) struct SimilarReply {
    #[serde(flatten)]
    entry: EntryReply,
    /// The probability that it is about the same event or fault, 0 to 1.
    probability: f64,
    /// What both have in common, the most telling first: the device or place,
    /// words, the time between.
    why: Vec<String>,
}

/// `GET /api/entries/{entry_id}/related`.
pub(crate) async fn show(
    app: App,
    PathOf(entry_id): PathOf<String>,
) -> Result<Json<RelatedReply>, Problem> {
    let (gannet, tenant, id) = (
        app.gannet.clone(),
        app.tenant().to_owned(),
        entry_id.clone(),
    );
    let related = app
        .compute(async move { gannet.related(&tenant, &id).await })
        .await?;
    let not_found = || Problem::not_found(format!("Entry {entry_id} not found"));
    let related = related.ok_or_else(not_found)?;
    let presenter = Presenter::new(&app.gannet);
    let entries = |entries: Vec<_>| {
        entries
            .into_iter()
            .map(|one| presenter.entry(one))
            .collect()
    };
    Ok(Json(RelatedReply {
        links: entries(related.links),
        linked_from: entries(related.linked_from),
        similar: related
            .similar
            .into_iter()
            .map(|one| SimilarReply {
                entry: presenter.entry(one.entry),
                probability: one.probability,
                why: one.why,
            })
            .collect(),
    }))
}
