//! Scores of entries by their words.

use gannet_api::SpanSimilarities;
use sqlx::PgConnection;

use super::PostgresStore;
use super::clean::holds_nul;
use super::models::{ModelRow, find_model};
use super::replica::reading;
use super::text::idfs;
use crate::error::{DatabaseContext, StoreError};
use crate::request::LateInteraction;
use crate::span_similarity::{SpanRequest, TokenRow};

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

impl PostgresStore {
    /// How rare words are, see [`Store::idfs`](crate::Store::idfs).
    pub async fn idfs(&self, tenant: &str, words: &[String]) -> Result<Vec<f64>, StoreError> {
        if holds_nul(tenant) {
            return Ok(vec![0.0; words.len()]);
        }
        reading!(self, pool, {
            let mut connection = pool.acquire().await.doing("count entries with a word")?;
            idfs(&mut connection, tenant, words).await
        })
    }

    /// Compares a question with spans of entries, see
    /// [`Store::span_similarity`](crate::Store::span_similarity).
    pub async fn span_similarity(
        &self,
        tenant: &str,
        request: SpanRequest,
    ) -> Result<SpanSimilarities, StoreError> {
        if holds_nul(tenant) || holds_nul(&request.model) {
            return Ok(request.without_vectors());
        }
        reading!(self, pool, {
            let mut connection = pool.acquire().await.doing("read token vectors")?;
            spans(&mut connection, tenant, &request).await
        })
    }
}

async fn spans(
    connection: &mut PgConnection,
    tenant: &str,
    request: &SpanRequest,
) -> Result<SpanSimilarities, StoreError> {
    let Some(model) = find_model(connection, &request.model).await? else {
        return Ok(request.without_vectors());
    };
    let idfs = idfs(connection, tenant, request.compared_words()).await?;
    let dimension = usize::try_from(model.dimension).unwrap_or(usize::MAX);
    let rows = token_rows(connection, tenant, &model, &request.entry_ids()).await?;
    request.compare(dimension, idfs, &rows)
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
    let rows = token_rows(connection, tenant, &model, &request.entry_ids).await?;
    let passages = rows.into_iter().map(|row| (row.entry, row.record));
    Ok(request.best_scores(&words, passages))
}

/// The token vectors of the passages of these entries. Entries without token
/// vectors are left out.
async fn token_rows(
    connection: &mut PgConnection,
    tenant: &str,
    model: &ModelRow,
    ids: &[String],
) -> Result<Vec<TokenRow>, StoreError> {
    // No entry in the database has such an id.
    let ids: Vec<Option<&str>> = ids
        .iter()
        .map(|id| (!holds_nul(id)).then_some(id.as_str()))
        .collect();
    let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
        "SELECT n.place - 1, p.\"start\"::bigint, p.token_signs \
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
    Ok(rows.into_iter().filter_map(TokenRow::read).collect())
}
