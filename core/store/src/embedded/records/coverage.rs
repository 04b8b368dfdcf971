//! Which entries have vectors of a model.

use super::Records;
use crate::error::{SqliteContext, StoreError};
use crate::models::WHITESPACE;
use crate::request::VectorCoverage;

impl Records {
    /// How many entries of a tenant there are, and how many of those with a
    /// text have no vector of a model.
    pub(crate) async fn vector_coverage(
        &self,
        tenant: &str,
        model: &str,
    ) -> Result<VectorCoverage, StoreError> {
        let (entries, missing): (i64, i64) = sqlx::query_as(
            "WITH missing AS (SELECT doc FROM entries WHERE tenant = ?1 \
                 EXCEPT SELECT v.doc FROM models m CROSS JOIN entry_vectors v \
                 ON v.model = m.model WHERE m.name = ?2 AND v.passages > 0) \
             SELECT (SELECT count(*) FROM entries WHERE tenant = ?1), \
                 (SELECT count(*) FROM missing m CROSS JOIN entries e ON e.doc = m.doc \
                  WHERE trim(e.raw_text, ?3) <> '')",
        )
        .bind(tenant)
        .bind(model)
        .bind(WHITESPACE)
        .fetch_one(&self.readers)
        .await
        .doing("count entries without vectors")?;
        Ok(VectorCoverage {
            entries: entries.unsigned_abs(),
            missing: missing.unsigned_abs(),
        })
    }

    /// Puts entries back to pending that a module has completed, and that
    /// have a text and no vector of a model; returns how many.
    pub(crate) async fn reopen_unembedded(
        &self,
        module: &str,
        model: &str,
    ) -> Result<u64, StoreError> {
        let done = sqlx::query(
            "UPDATE enhancement_status SET status = 'pending', attempts = 0, error = NULL, \
             retry_at = 0 WHERE module = ?1 AND status = 'complete' AND doc IN ( \
                 SELECT e.doc FROM (SELECT doc FROM entries \
                     EXCEPT SELECT v.doc FROM models m CROSS JOIN entry_vectors v \
                     ON v.model = m.model WHERE m.name = ?2 AND v.passages > 0) missing \
                 CROSS JOIN entries e ON e.doc = missing.doc WHERE trim(e.raw_text, ?3) <> '')",
        )
        .bind(module)
        .bind(model)
        .bind(WHITESPACE)
        .execute(&self.writer)
        .await
        .doing("reset enhancement")?;
        Ok(done.rows_affected())
    }

    /// Ends the waiting of entries that failed in a module; returns how many
    /// waited.
    pub(crate) async fn retry_failed(&self, module: &str) -> Result<u64, StoreError> {
        let done = sqlx::query(
            "UPDATE enhancement_status SET retry_at = 0 \
             WHERE module = ? AND status <> 'complete' AND retry_at > 0",
        )
        .bind(module)
        .execute(&self.writer)
        .await
        .doing("retry what failed")?;
        Ok(done.rows_affected())
    }
}
