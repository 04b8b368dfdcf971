//! The token vectors of entries.

use super::embeddings::ModelRow;
use super::{Records, json_list};
use crate::error::{SqliteContext, StoreError};

impl Records {
    /// The signs of passages of these entries of a tenant, each with the place
    /// of its entry in the list. Entries without token vectors are left out.
    pub(crate) async fn token_signs(
        &self,
        tenant: &str,
        model: &ModelRow,
        ids: &[String],
    ) -> Result<Vec<(usize, Vec<u8>)>, StoreError> {
        let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(
            "SELECT j.key, b.token_signs FROM json_each(?3) j \
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
        let places = rows.into_iter();
        Ok(places
            .filter_map(|(place, signs)| Some((usize::try_from(place).ok()?, signs)))
            .collect())
    }
}
