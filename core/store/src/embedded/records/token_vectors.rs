//! The token vectors of entries.

use super::embeddings::ModelRow;
use super::{Records, json_list};
use crate::error::{SqliteContext, StoreError};
use crate::token_records::{TokenRecords, TokenRow};

impl Records {
    /// The token vectors of the passages of these entries of a tenant.
    pub(crate) async fn token_records(
        &self,
        tenant: &str,
        model: &ModelRow,
        ids: &[String],
    ) -> Result<TokenRecords, StoreError> {
        let rows: Vec<TokenRow> = sqlx::query_as(
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
        Ok(TokenRecords::read(model.dimension, ids.len(), rows))
    }
}
