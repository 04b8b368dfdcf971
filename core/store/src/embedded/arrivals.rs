//! Entries in the order in which they came, and the vectors of entries.

use super::EmbeddedStore;
use crate::arrivals::Arrivals;
use crate::error::StoreError;

impl EmbeddedStore {
    /// At most `limit` entries that came after change `after`, see
    /// [`Store::arrivals`](crate::Store::arrivals).
    pub async fn arrivals(&self, after: i64, limit: usize) -> Result<Arrivals, StoreError> {
        self.records().arrivals(after, limit).await
    }

    /// The vectors of the passages of each entry, see
    /// [`Store::passage_vectors`](crate::Store::passage_vectors).
    pub async fn passage_vectors(
        &self,
        tenant: &str,
        model: &str,
        ids: &[String],
    ) -> Result<Vec<Vec<Vec<f32>>>, StoreError> {
        self.records().passage_vectors(tenant, model, ids).await
    }
}
