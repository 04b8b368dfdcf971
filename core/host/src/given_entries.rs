//! Entries that search modules gave with their hits, and that the store does
//! not hold: they can be opened by their id like those of the store.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use gannet_api::{Condition, Entry, Filter, FilterField, PluginKind};
use tokio::time::timeout;

use crate::replies::ShownEntries;
use crate::result::SearchHit;
use crate::search::SearchInput;
use crate::{Gannet, HostError};

/// The latest entries that are held, of all tenants.
const HELD: usize = 1_000;
/// Bytes of text of one that is held; a larger one is asked for again.
const LARGEST: usize = 256 << 10;
/// Modules that find entries of the store only.
const OF_THE_STORE: [&str; 2] = ["keyword", "semantic"];
/// Hits of a search for an id.
const FEW: usize = 10;
/// Entries of several that modules are asked for at the same time.
const AT_ONCE: usize = 8;
/// How long each module is asked: who opens an entry waits for it.
const ASKED_FOR: Duration = Duration::from_secs(2);

/// The latest entries that modules gave, oldest first.
#[derive(Debug, Default)]
pub(crate) struct GivenEntries(Mutex<VecDeque<Entry>>);

impl GivenEntries {
    /// Holds an entry; its tenant is the one that it was given to.
    pub(crate) fn hold(&self, entry: &Entry) {
        if entry.raw_text.len() > LARGEST {
            return;
        }
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|other| !is(other, &entry.tenant, &entry.entry_id));
        held.push_back(entry.clone());
        while held.len() > HELD {
            held.pop_front();
        }
    }

    fn get(&self, tenant: &str, id: &str) -> Option<Entry> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().find(|entry| is(entry, tenant, id)).cloned()
    }
}

fn is(entry: &Entry, tenant: &str, id: &str) -> bool {
    entry.entry_id == id && entry.tenant == tenant
}

impl Gannet {
    /// Holds the entries of hits that the store does not hold.
    pub(crate) fn hold_given(&self, hits: &[SearchHit], shown: &ShownEntries) {
        let given = hits.iter().map(|hit| &hit.entry);
        for entry in given.filter(|entry| shown.is_not_stored(&entry.entry_id)) {
            self.services().lasting().given.hold(entry);
        }
    }

    /// One entry: of the store, or else one that a search module gave. Of one
    /// that was not given since the program began, the search modules are asked
    /// with its id as the question and in the filter.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn entry(&self, tenant: &str, id: &str) -> Result<Option<Entry>, HostError> {
        if let Some(entry) = self.stored_entry(tenant, id).await? {
            return Ok(Some(entry));
        }
        Ok(self.given_entry(tenant, id).await)
    }

    /// Several entries, each as [`entry`](Self::entry) gives it, in the order of
    /// their ids; those that nobody has are left out.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn entries(&self, tenant: &str, ids: &[String]) -> Result<Vec<Entry>, HostError> {
        let mut found = self.store().entries(tenant, ids).await?;
        let is_stored = |id: &&String| found.iter().any(|entry| entry.entry_id == **id);
        let others: Vec<&String> = ids.iter().filter(|id| !is_stored(id)).collect();
        let mut given = Vec::new();
        for ids in others.chunks(AT_ONCE) {
            let asked = ids.iter().map(|id| self.given_entry(tenant, id));
            let asked: Vec<_> = asked.collect();
            given.extend(join_all(asked).await);
        }
        found.extend(given.into_iter().flatten());
        let place = |entry: &Entry| ids.iter().position(|id| *id == entry.entry_id);
        found.sort_by_key(place);
        found.dedup_by(|entry, other| entry.entry_id == other.entry_id);
        Ok(found)
    }

    /// One entry that a module gave, or else gives.
    async fn given_entry(&self, tenant: &str, id: &str) -> Option<Entry> {
        match self.services().lasting().given.get(tenant, id) {
            Some(entry) => Some(entry),
            None => self.entry_of_a_module(tenant, id).await,
        }
    }

    /// One entry of the store.
    pub(crate) async fn stored_entry(
        &self,
        tenant: &str,
        id: &str,
    ) -> Result<Option<Entry>, HostError> {
        Ok(self.store().entries(tenant, &[id.to_owned()]).await?.pop())
    }

    /// Asks the modules side by side; of several that have the entry, the first
    /// by name gives it.
    async fn entry_of_a_module(&self, tenant: &str, id: &str) -> Option<Entry> {
        let modules = self.services().catalog().iter().filter(|instance| {
            let name = instance.descriptor.name.as_str();
            instance.descriptor.kind == PluginKind::SearchModule && !OF_THE_STORE.contains(&name)
        });
        // Boxed: an entry is read in many places, and a search has a large future.
        let asked =
            modules.map(|module| Box::pin(self.ask_module(&module.descriptor.name, tenant, id)));
        join_all(asked).await.into_iter().flatten().next()
    }

    /// A module that fails is passed over: the entry may be another one's.
    async fn ask_module(&self, module: &str, tenant: &str, id: &str) -> Option<Entry> {
        let mut input = SearchInput::new(id);
        input.mode = Some(module.to_owned());
        input.max_results = Some(FEW);
        let has_id = Condition::Equals(id.to_owned());
        input.filter = Filter::none().and(FilterField::EntryId, has_id);
        tenant.clone_into(&mut input.tenant);
        match timeout(ASKED_FOR, self.search(input)).await {
            Ok(Ok(result)) => {
                let mut entries = result.entries.into_iter().map(|hit| hit.entry);
                entries.find(|entry| entry.entry_id == id)
            }
            Ok(Err(error)) => {
                tracing::warn!(module, %error, "the module was not asked for entry `{id}`");
                None
            }
            Err(_) => {
                tracing::warn!(module, "the module gave no answer for entry `{id}`");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_held_for_their_tenant() {
        let given = GivenEntries::default();
        let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
        for number in 0..=HELD {
            let entry = Entry::new(format!("D{number}"), "archive", time, "text");
            given.hold(&entry.with_tenant("ring"));
        }
        assert!(given.get("ring", "D0").is_none());
        assert!(given.get("ring", "D1").is_some());
        assert!(given.get("other", "D1").is_none());
    }
}
