//! Which model's vectors answer a question.
//!
//! After a change of the embedding model, the vectors of the new one are
//! incomplete until every entry was embedded again. Until then the model that
//! has more of them goes on answering, when its provider is still there, and
//! the answer says so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gannet_api::{Diagnostic, DynEmbedder, PluginKind, Result};
use gannet_store::VectorCoverage;

use crate::services::Services;

/// The category of notes that vectors are missing; they make an answer
/// degraded.
pub(crate) const PARTIAL: &str = "partial_vectors";

/// For how long a count of entries without vectors is used again. In a large
/// store counting takes longer than a search.
const REMEMBERED: Duration = Duration::from_secs(10);

/// What is remembered of the models in the store.
#[derive(Default)]
pub(crate) struct AnsweringModels {
    /// By tenant and model.
    coverages: Mutex<HashMap<(String, String), (Instant, VectorCoverage)>>,
    /// Models that answer in the place of another one.
    substitutes: Mutex<HashMap<String, String>>,
}

impl AnsweringModels {
    /// Forgets the counts: vectors were made.
    pub(crate) fn forget(&self) {
        lock(&self.coverages).clear();
    }
}

impl Services {
    /// The embedder for a question, and its name: the one that is asked for
    /// or, while its model has fewer entries embedded, another one.
    pub(crate) async fn answering_embedder(
        &self,
        tenant: &str,
        name: &str,
    ) -> Result<(String, Arc<dyn DynEmbedder>)> {
        let configured = self.embedder(name)?;
        let model = configured.model().name;
        let coverage = self.coverage(tenant, &model).await?;
        let mut best = (coverage.missing, name.to_owned(), configured);
        if coverage.missing > 0 {
            for other in self.catalog().names(PluginKind::Embedder) {
                let embedder = self.embedder(other)?;
                let coverage = self.coverage(tenant, &embedder.model().name).await?;
                if coverage.missing < best.0 {
                    best = (coverage.missing, other.to_owned(), embedder);
                }
            }
        }
        let (_, provider, embedder) = best;
        let mut substitutes = lock(&self.answering_models().substitutes);
        let answering = embedder.model().name;
        match answering == model {
            true => substitutes.retain(|_, replaced| *replaced != model),
            false => {
                substitutes.insert(answering, model);
            }
        }
        drop(substitutes);
        Ok((provider, embedder))
    }

    /// What an answer from the vectors of a model has to say of them; `None`
    /// when every entry has one.
    pub(crate) async fn coverage_note(
        &self,
        tenant: &str,
        model: &str,
    ) -> Result<Option<Diagnostic>> {
        let replaced = lock(&self.answering_models().substitutes)
            .get(model)
            .cloned();
        let incomplete = replaced.as_deref().unwrap_or(model);
        let VectorCoverage { entries, missing } = self.coverage(tenant, incomplete).await?;
        if missing == 0 {
            return Ok(None);
        }
        let covered = entries.saturating_sub(missing);
        let instead = match &replaced {
            Some(_) => format!("; the vectors of `{model}` were used instead"),
            None => String::new(),
        };
        let message = format!(
            "vectors of model `{incomplete}` cover {covered} of {entries} entries{instead}; run \
             `gannet enhance` to complete them"
        );
        let note = Diagnostic::warning("service.vectors", message);
        Ok(Some(note.category(PARTIAL)))
    }

    /// How many entries of a tenant lack a vector of a model, as counted some
    /// seconds ago at most.
    pub(crate) async fn coverage(&self, tenant: &str, model: &str) -> Result<VectorCoverage> {
        let key = (tenant.to_owned(), model.to_owned());
        let known = lock(&self.answering_models().coverages).get(&key).copied();
        if let Some((at, coverage)) = known
            && at.elapsed() < REMEMBERED
        {
            return Ok(coverage);
        }
        let coverage = self.store().vector_coverage(tenant, model).await?;
        lock(&self.answering_models().coverages).insert(key, (Instant::now(), coverage));
        Ok(coverage)
    }
}

/// A panic elsewhere leaves at worst an old count.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
