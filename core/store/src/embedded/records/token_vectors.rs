//! The token vectors of entries.

use super::embeddings::ModelRow;
use super::{Records, json_list};
use crate::error::{SqliteContext, StoreError};
use crate::span_similarity::TokenRow;

impl Records {
    /// The token vectors of the passages of these entries of a tenant. Entries
    /// without token vectors are left out.
    pub(crate) async fn token_rows(
        &self,
        tenant: &str,
        model: &ModelRow,
        ids: &[String],
    ) -> Result<Vec<TokenRow>, StoreError> {
        let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
            "SELECT j.key, b.start, b.token_signs FROM json_each(?3) j \
             CROSS JOIN entries e ON e.tenant = ?1 AND e.entry_id = j.value \
             CROSS JOIN embeddings b ON b.model = ?2 AND b.doc = e.doc \
             WHERE b.token_signs IS NOT NULL",
        )
        .bind(tenant)
        .bind(model.model)
        .bind(json_list(ids))
        .fetch_all(&self.readers)
        .await
        .doing("read token vectors")?;
        Ok(rows.into_iter().filter_map(TokenRow::read).collect())
    }
}
