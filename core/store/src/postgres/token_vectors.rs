//! The token vectors of entries.

use sqlx::PgConnection;

use super::PostgresStore;
use super::clean::holds_nul;
use super::models::{ModelRow, find_model};
use super::replica::reading;
use super::text::idfs;
use crate::error::{DatabaseContext, StoreError};
use crate::token_records::{TokenRecords, TokenRow};

impl PostgresStore {
    /// The token vectors of entries by a model.
    pub async fn token_records(
        &self,
        tenant: &str,
        model: &str,
        ids: &[String],
    ) -> Result<TokenRecords, StoreError> {
        if holds_nul(tenant) || holds_nul(model) {
            return Ok(TokenRecords::unknown(ids.len()));
        }
        reading!(self, pool, {
            let mut connection = pool.acquire().await.doing("read token vectors")?;
            match find_model(&mut connection, model).await? {
                Some(model) => token_records(&mut connection, tenant, &model, ids).await,
                None => Ok(TokenRecords::unknown(ids.len())),
            }
        })
    }

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
}

/// The token vectors of the passages of these entries.
async fn token_records(
    connection: &mut PgConnection,
    tenant: &str,
    model: &ModelRow,
    ids: &[String],
) -> Result<TokenRecords, StoreError> {
    // No entry in the database has such an id.
    let known: Vec<Option<&str>> = ids
        .iter()
        .map(|id| (!holds_nul(id)).then_some(id.as_str()))
        .collect();
    let rows: Vec<TokenRow> = sqlx::query_as(
        "SELECT n.place - 1, p.\"start\"::bigint, p.token_signs \
         FROM unnest($3::text[]) WITH ORDINALITY AS n (id, place) \
         JOIN enhanced_entries e ON e.tenant = $1 AND e.entry_id = n.id \
         JOIN gannet_passages p ON p.model = $2 AND p.doc = e.doc \
         WHERE e.seq IS NOT NULL AND p.token_signs IS NOT NULL",
    )
    .bind(tenant)
    .bind(model.model)
    .bind(known)
    .fetch_all(connection)
    .await
    .doing("read token vectors")?;
    Ok(TokenRecords::read(model.dimension, ids.len(), rows))
}
