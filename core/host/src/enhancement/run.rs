//! One enhancement module at work, batch after batch.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use gannet_api::{
    Call, Deadline, DynEnhancer, Enhanced, Entry, PluginKind, Result as ApiResult, limits,
};
use gannet_registry::shorten;
use gannet_store::{WorkClaim, WorkedOn, fail_unusable};

use super::{EnhanceProgress, EnhanceReport};
use crate::quarantine::PluginName;
use crate::{Gannet, HostError, Stop};

/// After so many batches in a row of which every entry failed, the module is
/// left alone until the next run: what it needs is probably away.
const HOPELESS: u32 = 10;

/// One module at work.
pub(super) struct ModuleRun<'a> {
    pub(super) gannet: &'a Gannet,
    pub(super) enhancer: Arc<dyn DynEnhancer>,
    pub(super) claim: WorkClaim,
    /// Entries that it is given at once.
    pub(super) batch: usize,
    pub(super) total: u64,
    pub(super) limit: u64,
    pub(super) report: EnhanceReport,
}

impl ModuleRun<'_> {
    pub(super) async fn run(
        &mut self,
        stop: &Stop,
        progress: &mut impl FnMut(EnhanceProgress),
    ) -> Result<(), HostError> {
        let started = Instant::now();
        let total = self.total.min(self.limit);
        let mut hopeless = 0;
        while self.done() < total {
            if stop.is_raised() || !self.keeps_its_claim(stop).await? {
                self.report.stopped = true;
                break;
            }
            let wanted = usize::try_from(total - self.done())
                .unwrap_or(self.batch)
                .min(self.batch);
            let batch = self
                .gannet
                .store()
                .pending(&self.report.module, wanted)
                .await?;
            if batch.is_empty() {
                break;
            }
            let completed = self.report.completed;
            self.enhance(batch).await?;
            hopeless = match self.report.completed > completed {
                true => 0,
                false => hopeless + 1,
            };
            progress(EnhanceProgress {
                module: self.report.module.clone(),
                done: self.done(),
                total,
            });
            if hopeless >= HOPELESS {
                self.report.given_up = true;
                tracing::warn!(
                    module = self.report.module,
                    "every entry of {HOPELESS} batches failed; the others wait for the next run"
                );
                break;
            }
        }
        self.report.elapsed = started.elapsed();
        Ok(())
    }

    /// Claims anew when the claim was lost with the connection.
    async fn keeps_its_claim(&mut self, stop: &Stop) -> Result<bool, HostError> {
        if self.claim.is_held().await {
            return Ok(true);
        }
        let module = self.report.module.as_str();
        let Some(claim) = self.gannet.claim(module, stop).await? else {
            return Ok(false);
        };
        self.claim = claim;
        Ok(true)
    }

    fn done(&self) -> u64 {
        self.report.completed + self.report.failed
    }

    async fn enhance(&mut self, batch: Vec<Entry>) -> Result<(), HostError> {
        // Ids are unique within a tenant only.
        let mut by_tenant: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for entry in batch {
            by_tenant
                .entry(entry.tenant.clone())
                .or_default()
                .push(entry);
        }
        let mut outcomes = Vec::new();
        for (tenant, entries) in by_tenant {
            let worked_on: BTreeMap<String, WorkedOn> = entries
                .iter()
                .map(|entry| (entry.entry_id.clone(), WorkedOn::entry(entry)))
                .collect();
            let ids = entries.iter().map(|entry| entry.entry_id.clone()).collect();
            for enhanced in complete(ids, self.call(&tenant, entries).await) {
                let known = worked_on.get(&enhanced.entry_id).cloned();
                let worked_on = known.unwrap_or_else(|| WorkedOn::from(tenant.as_str()));
                outcomes.push((worked_on, enhanced));
            }
        }
        let outcomes = fail_unusable(outcomes);
        for (_, enhanced) in &outcomes {
            match &enhanced.outcome {
                Ok(_) => self.report.completed += 1,
                Err(reason) => {
                    self.report.failed += 1;
                    self.report.last_error = Some(reason.clone());
                }
            }
        }
        let module = &self.report.module;
        Ok(self.gannet.store().save_enhanced(module, outcomes).await?)
    }

    async fn call(&self, tenant: &str, batch: Vec<Entry>) -> ApiResult<Vec<Enhanced>> {
        let call = Call::new(self.gannet.next_request_id(), tenant, Deadline::NEVER);
        let enhancer = self.enhancer.clone();
        let plugin = PluginName {
            kind: PluginKind::Enhancer,
            name: &self.report.module,
        };
        let context = self.gannet.services().context(call, plugin);
        let work = async move { enhancer.enhance(batch, &context).await };
        let services = self.gannet.services();
        services.isolate(plugin, Deadline::NEVER, work).await
    }
}

/// One outcome for every entry of the batch: what the module says, a failure
/// for those that it forgot, a failure for all when it failed as a whole.
fn complete(ids: Vec<String>, outcomes: ApiResult<Vec<Enhanced>>) -> Vec<Enhanced> {
    let (mut by_id, missing) = match outcomes {
        Ok(outcomes) => {
            let by_id: HashMap<String, Enhanced> = outcomes
                .into_iter()
                .map(|mut enhanced| {
                    if let Err(reason) = &mut enhanced.outcome {
                        shorten(reason, limits::MESSAGE_BYTES);
                    }
                    (enhanced.entry_id.clone(), enhanced)
                })
                .collect();
            (
                by_id,
                "the module returned no result for this entry".to_owned(),
            )
        }
        Err(error) => (HashMap::new(), error.to_string()),
    };
    ids.into_iter()
        .map(|entry_id| {
            by_id
                .remove(&entry_id)
                .unwrap_or_else(|| Enhanced::new(entry_id, Err(missing.clone())))
        })
        .collect()
}
