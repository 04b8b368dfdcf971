//! Scores of entries by their words.

use super::shared::Shared;
use crate::error::StoreError;
use crate::request::LateInteraction;

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
    let passages = shared.records.token_signs(tenant, &model, ids).await?;
    Ok(request.best_scores(&words, passages))
}
