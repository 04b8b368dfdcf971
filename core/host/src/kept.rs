//! What was read from the entries, kept until they change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gannet_store::{Store, StoreError};

/// What was read in this time is read again after every change.
const QUICK: Duration = Duration::from_millis(50);
/// Other things after so many times the time that it took, so that reading takes
/// 5 % of the time at most.
const REST: u32 = 20;
/// How many are kept, such as one of each tenant.
const MOST: usize = 64;

/// What was read, by a name such as the tenant.
pub(crate) struct Kept<T> {
    by_name: Mutex<HashMap<String, Snapshot<T>>>,
    /// Held by the one that reads; the others use what was read before.
    reading: tokio::sync::Mutex<()>,
}

struct Snapshot<T> {
    value: Arc<T>,
    version: u64,
    read_at: Instant,
    took: Duration,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            by_name: Mutex::default(),
            reading: tokio::sync::Mutex::default(),
        }
    }
}

impl<T> Clone for Snapshot<T> {
    fn clone(&self) -> Self {
        Self {
            value: Arc::clone(&self.value),
            ..*self
        }
    }
}

impl<T> Snapshot<T> {
    fn is_fresh(&self, version: u64) -> bool {
        let rests = self.took > QUICK && self.read_at.elapsed() < self.took * REST;
        self.version == version || rests
    }
}

impl<T> Kept<T> {
    /// What was read under a name, or is read now where the entries have changed.
    /// Costs a look at the store's version.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) async fn get(
        &self,
        store: &Store,
        name: &str,
        read: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<Arc<T>, StoreError> {
        let version = store.values_version().await?;
        let before = self.snapshot(name);
        if let Some(fresh) = before.as_ref().filter(|kept| kept.is_fresh(version)) {
            return Ok(fresh.value.clone());
        }
        let _reading = match (self.reading.try_lock(), before) {
            (Ok(reading), _) => reading,
            (Err(_), Some(stale)) => return Ok(stale.value),
            (Err(_), None) => self.reading.lock().await,
        };
        // Another one may have read it meanwhile.
        if let Some(fresh) = self.snapshot(name).filter(|kept| kept.is_fresh(version)) {
            return Ok(fresh.value);
        }
        let read_at = Instant::now();
        let value = Arc::new(read.await?);
        let snapshot = Snapshot {
            value: value.clone(),
            version,
            read_at,
            took: read_at.elapsed(),
        };
        self.keep(name, snapshot);
        Ok(value)
    }

    fn snapshot(&self, name: &str) -> Option<Snapshot<T>> {
        self.lock().get(name).cloned()
    }

    fn keep(&self, name: &str, snapshot: Snapshot<T>) {
        let mut by_name = self.lock();
        if by_name.len() >= MOST && !by_name.contains_key(name) {
            by_name.clear();
        }
        by_name.insert(name.to_owned(), snapshot);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Snapshot<T>>> {
        // A panic while the lock is held can only have been in an insert; the
        // map is whole in any case.
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
