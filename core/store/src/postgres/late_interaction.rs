//! Scores of entries by their words.

use sqlx::PgConnection;

use super::PostgresStore;
use super::clean::holds_nul;
use super::models::{ModelRow, find_model};
use super::replica::reading;
use super::text::idfs;
use crate::error::{DatabaseContext, StoreError};
use crate::request::LateInteraction;

impl PostgresStore {
    /// Scores entries word by word, see
    /// [`Store::late_interaction`](crate::Store::late_interaction).
    pub async fn late_interaction(
        &self,
        tenant: &str,
        request: LateInteraction,
    ) -> Result<Vec<Option<f64>>, StoreError> {
        if holds_nul(tenant) || holds_nul(&request.model) {
            return Ok(vec![None; request.entry_ids.len()]);
        }
        reading!(self, pool, {
            let mut connection = pool.acquire().await.doing("read token vectors")?;
            scores(&mut connection, tenant, &request).await
        })
    }
}

async fn scores(
    connection: &mut PgConnection,
    tenant: &str,
    request: &LateInteraction,
) -> Result<Vec<Option<f64>>, StoreError> {
    let Some(model) = find_model(connection, &request.model).await? else {
        return Ok(vec![None; request.entry_ids.len()]);
    };
    let idfs = idfs(connection, tenant, &request.words).await?;
    let dimension = usize::try_from(model.dimension).unwrap_or(usize::MAX);
    let words = request.weighted(dimension, &idfs)?;
    let passages = token_signs(connection, tenant, &model, &request.entry_ids).await?;
    Ok(request.best_scores(&words, passages))
}

/// The signs of passages of these entries, each with the place of its entry
/// in the list. Entries without token vectors are left out.
async fn token_signs(
    connection: &mut PgConnection,
    tenant: &str,
    model: &ModelRow,
    ids: &[String],
) -> Result<Vec<(usize, Vec<u8>)>, StoreError> {
    // No entry in the database has such an id.
    let ids: Vec<Option<&str>> = ids
        .iter()
        .map(|id| (!holds_nul(id)).then_some(id.as_str()))
        .collect();
    let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(
        "SELECT n.place - 1, p.token_signs \
         FROM unnest($3::text[]) WITH ORDINALITY AS n (id, place) \
         JOIN enhanced_entries e ON e.tenant = $1 AND e.entry_id = n.id \
         JOIN gannet_passages p ON p.model = $2 AND p.doc = e.doc \
         WHERE e.seq IS NOT NULL AND p.token_signs IS NOT NULL",
    )
    .bind(tenant)
    .bind(model.model)
    .bind(ids)
    .fetch_all(connection)
    .await
    .doing("read token vectors")?;
    let places = rows.into_iter();
    Ok(places
        .filter_map(|(place, signs)| Some((usize::try_from(place).ok()?, signs)))
        .collect())
}
