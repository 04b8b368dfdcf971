//! Entries in the order in which they came, and the vectors of entries.

use super::embeddings::floats;
use super::{Records, as_i64};
use crate::arrivals::Arrivals;
use crate::error::{SqliteContext, StoreError};

impl Records {
    /// At most `limit` entries that came after change `after`.
    pub(crate) async fn arrivals(&self, after: i64, limit: usize) -> Result<Arrivals, StoreError> {
        let last = self.sequence().await?;
        // No entry changed before it came: the index by the last change leaves
        // out all that did not change since.
        let rows = sqlx::query_as(
            "SELECT created_seq, tenant, entry_id FROM entries \
             WHERE seq > ?1 AND created_seq > ?1 AND created_seq <= ?2 \
             ORDER BY created_seq LIMIT ?3",
        )
        .bind(after)
        .bind(last)
        .bind(as_i64(limit))
        .fetch_all(&self.readers)
        .await
        .doing("read new entries")?;
        Ok(Arrivals::of(rows, limit, last))
    }

    /// The vectors of the passages of each entry by a model; none of an entry
    /// or a model that is not known.
    pub(crate) async fn passage_vectors(
        &self,
        tenant: &str,
        model: &str,
        ids: &[String],
    ) -> Result<Vec<Vec<Vec<f32>>>, StoreError> {
        let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(
            "SELECT j.key, b.vector FROM json_each(?3) j \
             CROSS JOIN entries e ON e.tenant = ?1 AND e.entry_id = j.value \
             JOIN models m ON m.name = ?2 \
             JOIN embeddings b ON b.model = m.model AND b.doc = e.doc ORDER BY j.key, b.ordinal",
        )
        .bind(tenant)
        .bind(model)
        .bind(serde_json::json!(ids).to_string())
        .fetch_all(&self.readers)
        .await
        .doing("read vectors")?;
        let mut vectors = vec![Vec::new(); ids.len()];
        for (place, blob) in rows {
            let of_entry = usize::try_from(place)
                .ok()
                .and_then(|at| vectors.get_mut(at));
            if let Some(of_entry) = of_entry {
                of_entry.push(floats(&blob));
            }
        }
        Ok(vectors)
    }
}
