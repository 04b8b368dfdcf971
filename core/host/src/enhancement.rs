//! Enhancement: modules add to entries that are stored.

mod run;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gannet_api::{DynEnhancer, Error, Plugin, PluginKind, Result as ApiResult};
use gannet_registry::Instance;
use gannet_store::{StatusCounts, StoreError, WorkClaim};
use serde::Serialize;

use self::run::ModuleRun;
use crate::ingestion::as_seconds;
use crate::{Gannet, HostError, Stop};

/// Entries that a module is given at once.
const BATCH: usize = 64;
/// The same for one that asks a chat model, which takes seconds for each: what
/// was asked is kept, and a stop is heard, after so many.
const CHAT_BATCH: usize = 8;
/// How often a process that waits for another one looks again.
const CLAIM_AGAIN: Duration = Duration::from_millis(250);

/// What is to be enhanced.
#[derive(Debug, Clone, Default)]
pub struct EnhanceRequest {
    /// Only these modules; all that are on when empty.
    pub modules: Vec<String>,
    /// At most this many entries a module.
    pub limit: Option<u64>,
    /// Do again what was done.
    pub force: bool,
    /// Leave entries that failed until their waiting time is over, and those
    /// that were embedded by another model. For programs that enhance after
    /// each ingestion.
    pub only_due: bool,
}

/// How far an enhancement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnhanceProgress {
    /// Which module works.
    pub module: String,
    /// Entries done by it.
    pub done: u64,
    /// Entries that it has to do in all.
    pub total: u64,
}

/// What one module did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EnhanceReport {
    /// Which module.
    pub module: String,
    /// Entries that it completed.
    pub completed: u64,
    /// Entries that failed; each keeps its reason and is tried again.
    pub failed: u64,
    /// Why the last one failed.
    pub last_error: Option<String>,
    /// Whether it was asked to stop before the end.
    pub stopped: bool,
    /// Whether it ended early because every entry failed, as when its model is
    /// away.
    pub given_up: bool,
    /// How long it took, in seconds.
    #[serde(rename = "elapsed_s", serialize_with = "as_seconds")]
    pub elapsed: Duration,
}

impl EnhanceReport {
    fn new(module: String) -> Self {
        Self {
            module,
            completed: 0,
            failed: 0,
            last_error: None,
            stopped: false,
            given_up: false,
            elapsed: Duration::ZERO,
        }
    }

    fn stopped(module: String) -> Self {
        Self {
            stopped: true,
            ..Self::new(module)
        }
    }
}

impl Gannet {
    /// Runs the enhancement modules over all entries that wait for them, in
    /// their order. Of several processes on one store only one at a time works
    /// with a module; the others wait for it and do what it left.
    ///
    /// # Errors
    /// A module that is not on, a model that does not fit the store, a store
    /// that cannot be written. An entry that fails is no error: it is counted
    /// and keeps its reason.
    pub async fn enhance(
        &self,
        request: EnhanceRequest,
        stop: &Stop,
        mut progress: impl FnMut(EnhanceProgress),
    ) -> Result<Vec<EnhanceReport>, HostError> {
        let mut reports = Vec::new();
        for (name, enhancer) in self.enhancers(&request.modules)? {
            let Some(claim) = self.claim(&name, stop).await? else {
                reports.push(EnhanceReport::stopped(name));
                continue;
            };
            let model = self.register_embedder(&name, request.force).await?;
            self.reopen(&name, model, &request).await?;
            let mut run = ModuleRun {
                gannet: self,
                enhancer,
                claim,
                batch: self.enhancement_batch(&name),
                total: self.store().pending_count(&name).await?,
                limit: request.limit.unwrap_or(u64::MAX),
                report: EnhanceReport::new(name),
            };
            run.run(stop, &mut progress).await?;
            run.claim.release().await?;
            reports.push(run.report);
        }
        self.services().answering_models().forget();
        self.flush().await?;
        Ok(reports)
    }

    fn enhancement_batch(&self, module: &str) -> usize {
        let instance = self.services().catalog().get(PluginKind::Enhancer, module);
        match instance.is_some_and(|instance| instance.descriptor.needs.chat) {
            true => CHAT_BATCH,
            false => BATCH,
        }
    }

    /// How far each enhancement module is: every one that is on, also before
    /// its first run, and every one that ever ran.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn enhancement_counts(&self) -> Result<BTreeMap<String, StatusCounts>, HostError> {
        let mut counts = self.store().enhancement_counts().await?;
        for name in self.services().catalog().names(PluginKind::Enhancer) {
            if counts.contains_key(name) {
                continue;
            }
            let pending = self.store().pending_count(name).await?;
            let untouched = StatusCounts {
                pending,
                ..StatusCounts::default()
            };
            counts.insert(name.to_owned(), untouched);
        }
        Ok(counts)
    }

    /// Whether an entry waits for a module that is on, or failed in one and is
    /// tried again.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn has_unenhanced(&self) -> Result<bool, HostError> {
        let counts = self.enhancement_counts().await?;
        let catalog = self.services().catalog();
        let mut on = counts
            .iter()
            .filter(|(name, _)| catalog.enhancer(name).is_some());
        Ok(on.any(|(_, counts)| counts.pending + counts.failed > 0))
    }

    /// The right to work with a module. While another process has it, that
    /// one works; what it leaves, such as what came in since it began, is
    /// done here afterwards. `None` when the waiting was stopped.
    async fn claim(&self, module: &str, stop: &Stop) -> Result<Option<WorkClaim>, HostError> {
        let mut is_waiting = false;
        while !stop.is_raised() {
            if let Some(claim) = self.store().claim_enhancement(module).await? {
                return Ok(Some(claim));
            }
            if !is_waiting {
                tracing::info!(
                    module,
                    "another process runs the enhancement; waiting for it"
                );
                is_waiting = true;
            }
            tokio::time::sleep(CLAIM_AGAIN).await;
        }
        Ok(None)
    }

    /// The modules that are named, or all that are on, in their order.
    fn enhancers(&self, names: &[String]) -> ApiResult<Vec<(String, Arc<dyn DynEnhancer>)>> {
        let catalog = self.services().catalog();
        for name in names {
            if catalog.enhancer(name).is_none() {
                return Err(Error::NotFound {
                    what: "enhancement module".to_owned(),
                    name: name.clone(),
                    hint: format!(
                        "; enabled are: {}",
                        catalog.names(PluginKind::Enhancer).join(", ")
                    ),
                });
            }
        }
        let mut wanted: Vec<&Instance> = catalog
            .iter()
            .filter(|instance| instance.descriptor.kind == PluginKind::Enhancer)
            .filter(|instance| names.is_empty() || names.contains(&instance.descriptor.name))
            .collect();
        wanted.sort_by_key(|instance| instance.descriptor.execution_order);
        Ok(wanted
            .into_iter()
            .filter_map(|instance| match &instance.object {
                Plugin::Enhancer(object) => {
                    Some((instance.descriptor.name.clone(), object.clone()))
                }
                _ => None,
            })
            .collect())
    }

    /// Puts entries back to pending that are to be done again: all of them,
    /// or those that failed, and those without vectors of the model.
    async fn reopen(
        &self,
        module: &str,
        model: Option<String>,
        request: &EnhanceRequest,
    ) -> Result<(), HostError> {
        if request.force {
            self.store().reset_enhancement(module).await?;
        } else if !request.only_due {
            self.store().retry_failed(module).await?;
            if let Some(model) = model {
                self.store().reopen_unembedded(module, &model).await?;
            }
        }
        Ok(())
    }

    /// Tells the store which model a module's vectors are of, before it makes
    /// any: a model that does not fit what is stored is refused here, unless
    /// `force` has every entry embedded again. Vectors that fit stay until each
    /// entry has new ones. The model is returned.
    async fn register_embedder(
        &self,
        module: &str,
        force: bool,
    ) -> Result<Option<String>, HostError> {
        let needs_embedder = self
            .services()
            .catalog()
            .get(PluginKind::Enhancer, module)
            .is_some_and(|instance| instance.descriptor.needs.embedder);
        if !needs_embedder {
            return Ok(None);
        }
        let provider = self.provider_of(module);
        let model = self.services().embedder(&provider)?.model();
        match self.store().register_model(&model).await {
            Err(StoreError::ModelChanged { .. }) if force => {
                self.store().forget_model(&model.name).await?;
                self.store().register_model(&model).await?;
            }
            registered => registered?,
        }
        if force {
            for name in self.store().forget_unusable_models().await? {
                tracing::warn!(model = name, "forgotten: no store can hold its vectors");
            }
        }
        Ok(Some(model.name))
    }
}
