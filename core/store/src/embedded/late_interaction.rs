//! Scores of entries by their words.

use gannet_api::SpanSimilarities;

use super::shared::Shared;
use crate::error::StoreError;
use crate::request::LateInteraction;
use crate::span_similarity::{SpanRequest, TokenRow};

/// See [`Store::late_interaction`](crate::Store::late_interaction).
pub(super) async fn scores(
    shared: &Shared,
    tenant: &str,
    request: &LateInteraction,
) -> Result<Vec<Option<f64>>, StoreError> {
    let Some(model) = shared.model_row(&request.model).await? else {
        return Ok(vec![None; request.entry_ids.len()]);
    };
    let idfs = shared.text()?.idfs(&request.words)?;
    let dimension = usize::try_from(model.dimension).unwrap_or(usize::MAX);
    let words = request.weighted(dimension, &idfs)?;
    let ids = &request.entry_ids;
    let rows = shared.records.token_rows(tenant, &model, ids).await?;
    let passages = rows.into_iter().map(|row| (row.entry, row.record));
    Ok(request.best_scores(&words, passages))
}

/// See [`Store::span_similarity`](crate::Store::span_similarity).
pub(super) async fn spans(
    shared: &Shared,
    tenant: &str,
    request: &SpanRequest,
) -> Result<SpanSimilarities, StoreError> {
    let Some(model) = shared.model_row(&request.model).await? else {
        return Ok(request.without_vectors());
    };
    let idfs = shared.text()?.idfs(request.compared_words())?;
    let dimension = usize::try_from(model.dimension).unwrap_or(usize::MAX);
    let ids = request.entry_ids();
    let rows: Vec<TokenRow> = shared.records.token_rows(tenant, &model, &ids).await?;
    request.compare(dimension, idfs, &rows)
}
