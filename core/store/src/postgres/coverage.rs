//! Which entries have vectors of a model.

use super::PostgresStore;
use super::clean::holds_nul;
use super::enhancement::check_module;
use super::retry::again;
use crate::error::{DatabaseContext, StoreError};
use crate::models::WHITESPACE;
use crate::request::VectorCoverage;

impl PostgresStore {
    /// How many entries of a tenant there are, and how many of those with a
    /// text have no vector of a model.
    pub async fn vector_coverage(
        &self,
        tenant: &str,
        model: &str,
    ) -> Result<VectorCoverage, StoreError> {
        if holds_nul(tenant) || holds_nul(model) {
            return Ok(VectorCoverage::default());
        }
        let (entries, missing): (i64, i64) = again!({
            sqlx::query_as(
                "SELECT count(*), count(*) FILTER (WHERE CASE WHEN v.doc IS NULL \
                     THEN btrim(e.raw_text, $3) <> '' ELSE false END) \
                 FROM enhanced_entries e LEFT JOIN gannet_entry_vectors v ON v.doc = e.doc \
                     AND v.passages > 0 \
                     AND v.model = (SELECT model FROM gannet_models WHERE name = $2) \
                 WHERE e.tenant = $1 AND e.seq IS NOT NULL",
            )
            .bind(tenant)
            .bind(model)
            .bind(WHITESPACE)
            .fetch_one(&self.pool)
            .await
            .doing("count entries without vectors")
        })?;
        Ok(VectorCoverage {
            entries: entries.unsigned_abs(),
            missing: missing.unsigned_abs(),
        })
    }

    /// Puts entries back to pending that a module has completed, and that
    /// have a text and no vector of a model; returns how many.
    pub async fn reopen_unembedded(&self, module: &str, model: &str) -> Result<u64, StoreError> {
        check_module(module)?;
        check_module(model)?;
        let done = again!({
            sqlx::query(
                "UPDATE gannet_enhancement s SET status = 'pending', attempts = 0, \
                 error = NULL, retry_at = '-infinity' FROM enhanced_entries e \
                 WHERE s.module = $1 AND s.status = 'complete' AND e.doc = s.doc \
                 AND e.seq IS NOT NULL AND NOT EXISTS ( \
                     SELECT 1 FROM gannet_entry_vectors v JOIN gannet_models m \
                     ON m.model = v.model WHERE m.name = $2 AND v.doc = s.doc AND v.passages > 0) \
                 AND btrim(e.raw_text, $3) <> ''",
            )
            .bind(module)
            .bind(model)
            .bind(WHITESPACE)
            .execute(&self.pool)
            .await
            .doing("reset enhancement")
        })?;
        Ok(done.rows_affected())
    }

    /// Ends the waiting of entries that failed in a module; returns how many
    /// waited.
    pub async fn retry_failed(&self, module: &str) -> Result<u64, StoreError> {
        check_module(module)?;
        let done = again!({
            sqlx::query(
                "UPDATE gannet_enhancement SET retry_at = '-infinity' \
                 WHERE module = $1 AND status <> 'complete' AND retry_at > '-infinity'",
            )
            .bind(module)
            .execute(&self.pool)
            .await
            .doing("retry what failed")
        })?;
        Ok(done.rows_affected())
    }

    /// Forgets models whose vectors no store can hold; returns their names.
    pub async fn forget_unusable_models(&self) -> Result<Vec<String>, StoreError> {
        let models: Vec<(String, i32)> = again!({
            sqlx::query_as("SELECT name, dimension FROM gannet_models")
                .fetch_all(&self.pool)
                .await
                .doing("read the models")
        })?;
        let models = models
            .into_iter()
            .map(|(name, dimension)| (name, i64::from(dimension)));
        let unusable = crate::models::unusable_models(models);
        for name in &unusable {
            self.forget_model(name).await?;
        }
        Ok(unusable)
    }
}
