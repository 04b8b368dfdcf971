//! Entries in the order in which they came, and the vectors of entries.

use pgvector::Vector;

use super::clean::holds_nul;
use super::{PostgresStore, as_i64};
use crate::arrivals::Arrivals;
use crate::error::{DatabaseContext, StoreError};

impl PostgresStore {
    /// At most `limit` entries that came after change `after`, see
    /// [`Store::arrivals`](crate::Store::arrivals).
    pub async fn arrivals(&self, after: i64, limit: usize) -> Result<Arrivals, StoreError> {
        let last: i64 = sqlx::query_scalar("SELECT last FROM gannet_sequence")
            .fetch_one(&self.pool)
            .await
            .doing("read new entries")?;
        let rows = sqlx::query_as(
            "SELECT created_seq, tenant, entry_id FROM enhanced_entries \
             WHERE created_seq > $1 AND created_seq <= $2 AND seq IS NOT NULL \
             ORDER BY created_seq LIMIT $3",
        )
        .bind(after)
        .bind(last)
        .bind(as_i64(limit))
        .fetch_all(&self.pool)
        .await
        .doing("read new entries")?;
        Ok(Arrivals::of(rows, limit, last))
    }

    /// The vectors of the passages of each entry, see
    /// [`Store::passage_vectors`](crate::Store::passage_vectors).
    pub async fn passage_vectors(
        &self,
        tenant: &str,
        model: &str,
        ids: &[String],
    ) -> Result<Vec<Vec<Vec<f32>>>, StoreError> {
        let mut vectors = vec![Vec::new(); ids.len()];
        if holds_nul(tenant) || holds_nul(model) {
            return Ok(vectors);
        }
        let known: Vec<Option<&str>> = ids
            .iter()
            .map(|id| (!holds_nul(id)).then_some(id.as_str()))
            .collect();
        let rows: Vec<(i64, Vector)> = sqlx::query_as(
            "SELECT n.place - 1, p.embedding \
             FROM unnest($3::text[]) WITH ORDINALITY AS n (id, place) \
             JOIN enhanced_entries e ON e.tenant = $1 AND e.entry_id = n.id \
             JOIN gannet_models m ON m.name = $2 \
             JOIN gannet_passages p ON p.model = m.model AND p.doc = e.doc \
             ORDER BY n.place, p.ordinal",
        )
        .bind(tenant)
        .bind(model)
        .bind(known)
        .fetch_all(&self.pool)
        .await
        .doing("read vectors")?;
        for (place, vector) in rows {
            let of_entry = usize::try_from(place)
                .ok()
                .and_then(|at| vectors.get_mut(at));
            if let Some(of_entry) = of_entry {
                of_entry.push(vector.into());
            }
        }
        Ok(vectors)
    }
}
