//! Token vectors that a request has read: several steps compare the same
//! entries with the question.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gannet_store::{EntryTokens, Store, StoreError, TokenRecords};

/// The most entries whose token vectors are held for a request, some kB each.
const HELD_ENTRIES: usize = 200;

/// The token vectors of entries that were read for a request.
#[derive(Debug, Default)]
pub(crate) struct ReadTokens(Mutex<HashMap<String, OfModel>>);

/// Those of one model.
#[derive(Debug, Default)]
struct OfModel {
    dimension: usize,
    entries: HashMap<String, EntryTokens>,
}

impl ReadTokens {
    /// The token vectors of entries by a model, in the order asked. What was
    /// read for the request before is not read again.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn records(
        &self,
        store: &Store,
        tenant: &str,
        model: &str,
        ids: &[String],
    ) -> Result<TokenRecords, StoreError> {
        let (mut dimension, mut known) = self.held(model, ids);
        let is_missing = |id: &&String| !known.contains_key(*id);
        let missing: Vec<String> = ids.iter().filter(is_missing).cloned().collect();
        if !missing.is_empty() {
            let found = store.token_records(tenant, model, &missing).await?;
            self.hold(model, &missing, &found);
            dimension = dimension.max(found.dimension);
            known.extend(missing.into_iter().zip(found.entries));
        }
        let of_entry = |id: &String| known.get(id).cloned().unwrap_or_default();
        Ok(TokenRecords {
            dimension,
            entries: ids.iter().map(of_entry).collect(),
        })
    }

    /// The dimension of a model, and what is held of these entries.
    fn held(&self, model: &str, ids: &[String]) -> (usize, HashMap<String, EntryTokens>) {
        let read = self.lock();
        let Some(held) = read.get(model) else {
            return (0, HashMap::new());
        };
        let known = ids.iter().filter_map(|id| held.entries.get_key_value(id));
        let known = known.map(|(id, entry)| (id.clone(), entry.clone()));
        (held.dimension, known.collect())
    }

    fn hold(&self, model: &str, ids: &[String], found: &TokenRecords) {
        let mut read = self.lock();
        let held = read.entry(model.to_owned()).or_default();
        held.dimension = held.dimension.max(found.dimension);
        let room = HELD_ENTRIES.saturating_sub(held.entries.len());
        let new = ids.iter().zip(&found.entries).take(room);
        held.entries
            .extend(new.map(|(id, entry)| (id.clone(), entry.clone())));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OfModel>> {
        // A panic while the lock is held can only have been in an insert; the
        // map is whole in any case.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
