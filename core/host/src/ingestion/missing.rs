//! Entries that a source does not give any more.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use gannet_api::{Condition, Entry, Error, Filter, FilterClause, FilterField, RejectedRecord};
use gannet_store::{ListRequest, Store, StoreError};
use jiff::Timestamp;

use crate::HostError;
use crate::publishing::unseen;

/// Entries that are listed at once.
const PAGE: usize = 500;
/// Ids that are deleted at once.
const BATCH: usize = 500;
/// From so many entries on, more than half of which are missing, nothing is
/// deleted: the source was probably cut off.
const MANY: usize = 20;

/// What a source gave in one run: a hash for each id. Where two ids have one
/// hash, an entry may stay that is missing; none is deleted that is there.
pub(super) struct Given {
    /// When the run began. What was written since is not missing: the source
    /// may have been read before it had it.
    since: Timestamp,
    hasher: RandomState,
    ids: HashSet<u64>,
    source_systems: BTreeSet<String>,
    /// Rejected records without an id: any entry could be meant.
    nameless: u64,
}

/// The stored entries of the source systems that a source gave.
struct Stored {
    count: usize,
    missing: Vec<String>,
}

impl Given {
    /// Nothing yet, in a run that began at this time by the clock of the store.
    pub(super) fn since(since: Timestamp) -> Self {
        Self {
            since,
            hasher: RandomState::new(),
            ids: HashSet::new(),
            source_systems: BTreeSet::new(),
            nameless: 0,
        }
    }

    pub(super) fn add(&mut self, entry: &Entry) {
        self.ids.insert(self.hasher.hash_one(&entry.entry_id));
        if !self.source_systems.contains(&entry.source_system) {
            self.source_systems.insert(entry.source_system.clone());
        }
    }

    /// A record that is there and cannot be used leaves its entry as it is.
    pub(super) fn add_rejected(&mut self, record: &RejectedRecord) {
        match &record.entry_id {
            Some(id) => {
                self.ids.insert(self.hasher.hash_one(id));
            }
            None => self.nameless += 1,
        }
    }

    /// Deletes the entries that were not given; returns how many there were.
    /// Those stay that were written since the run began, or that were published
    /// and that no source gave since.
    ///
    /// # Errors
    /// The store's; [`Error::InvalidInput`] when more than half are missing.
    pub(super) async fn delete_missing(
        &self,
        store: &Store,
        tenant: &str,
    ) -> Result<u64, HostError> {
        if self.nameless > 0 {
            tracing::warn!(
                records = self.nameless,
                "records without an id were rejected, so that it is not known which entries the \
                 source has; none was deleted"
            );
            return Ok(0);
        }
        let mut stored = self.stored(store, tenant).await?;
        let unseen = unseen::ids(store, tenant).await?;
        stored.missing.retain(|id| !unseen.contains(id));
        if stored.count >= MANY && stored.missing.len() * 2 > stored.count {
            return Err(Error::invalid_input(format!(
                "{} of {} entries are not in the source any more; more than half are not deleted \
                 by themselves: check the source, or delete them with `gannet purge`",
                stored.missing.len(),
                stored.count
            ))
            .into());
        }
        let mut deleted = 0;
        for ids in stored.missing.chunks(BATCH) {
            deleted += store.delete(tenant, ids).await?;
        }
        Ok(deleted)
    }

    async fn stored(&self, store: &Store, tenant: &str) -> Result<Stored, StoreError> {
        let mut stored = Stored {
            count: 0,
            missing: Vec::new(),
        };
        // Nothing was given: nothing is known of what the source has.
        if self.source_systems.is_empty() {
            return Ok(stored);
        }
        let mut request = ListRequest {
            filter: self.filter(),
            limit: PAGE,
            after: None,
            newest_first: false,
        };
        loop {
            let page = store.list(tenant, request.clone()).await?;
            for entry in page.entries {
                // The filter does not tell upper from lower case.
                if !self.source_systems.contains(&entry.source_system) {
                    continue;
                }
                stored.count += 1;
                let is_older = entry.updated_at.is_none_or(|written| written < self.since);
                if is_older && !self.ids.contains(&self.hasher.hash_one(&entry.entry_id)) {
                    stored.missing.push(entry.entry_id);
                }
            }
            if page.next.is_none() {
                return Ok(stored);
            }
            request.after = page.next;
        }
    }

    fn filter(&self) -> Filter {
        let systems = self.source_systems.iter().cloned().collect();
        Filter {
            clauses: vec![FilterClause {
                field: FilterField::SourceSystem,
                condition: Condition::AnyOf(systems),
            }],
        }
    }
}
