//! An entry that a query names by its id stands first.

use gannet_api::query::named_entry;
use gannet_api::{Filter, Hit, Matched, ScoreKind};
use gannet_store::{Store, StoreError};
use serde_json::json;

/// Puts the entry whose id the query is, and nothing else, in front of what a
/// search module found, if there is one that passes the filter. Its score is
/// just above the best one: text search would rank by how often others mention
/// the id, and vectors know no ids.
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn put_named_first(
    query: &str,
    filter: &Filter,
    hits: &mut Vec<Hit>,
    store: &Store,
    tenant: &str,
) -> Result<(), StoreError> {
    let Some(id) = named_entry(query) else {
        return Ok(());
    };
    if hits.first().is_some_and(|first| first.entry_id == id) {
        return Ok(());
    }
    let entries = store.entries(tenant, &[id.to_owned()]).await?;
    let Some(entry) = entries.into_iter().find(|entry| filter.matches(entry)) else {
        return Ok(());
    };
    let best = hits
        .first()
        .map(|best| (best.score.next_up(), best.score_kind));
    let (score, kind) = best.unwrap_or((0.0, ScoreKind::None));
    let mut named = match hits.iter().position(|hit| hit.entry_id == id) {
        Some(place) => hits.remove(place),
        None => Hit::new(id, entry.kind, score, kind),
    };
    named.score = score;
    named.matched = Matched::All;
    named.explain = Some(json!({ "exact_id": true }));
    hits.insert(0, named);
    Ok(())
}
