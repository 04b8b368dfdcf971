//! How far a copy is behind its original.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use gannet_api::Diagnostic;

use super::snapshot::Snapshot;
use super::source::Source;
use crate::embedded::EmbeddedStore;
use crate::error::StoreError;
use crate::request::INCOMPLETE_INDEX;

/// A copy that was not compared with its original for longer may lack
/// something.
const STALE: Duration = Duration::from_secs(10);
/// How exactly the time of the last comparison is noted.
const NOTED_EVERY: Duration = Duration::from_secs(1);

/// What the calls of a store and its following task know of the copy.
pub(super) struct Freshness {
    /// The lock file of the copy. Its time of change is that of the last
    /// comparison, for all processes.
    lock_path: PathBuf,
    own_writes: Mutex<OwnWrites>,
    /// Whether the first copy was ever complete.
    was_complete: AtomicBool,
}

/// What this process wrote that may not be in the copy yet.
#[derive(Debug, Clone, PartialEq, Eq)]
enum OwnWrites {
    Copied,
    /// Everything that is in this state has to be in the copy.
    Until(Snapshot),
    /// The state after a write could not be read.
    Unknown,
}

impl Freshness {
    pub(super) fn new(copy: &EmbeddedStore) -> Self {
        Self {
            lock_path: copy.folder().join("copy.lock"),
            own_writes: Mutex::new(OwnWrites::Copied),
            was_complete: AtomicBool::new(false),
        }
    }

    pub(super) fn lock_path(&self) -> &std::path::Path {
        &self.lock_path
    }

    /// Notes that the copy has everything that the database has now.
    pub(super) fn note_comparison(&self) {
        if self.compared_ago().is_some_and(|ago| ago < NOTED_EVERY) {
            return;
        }
        let noted = File::options()
            .write(true)
            .open(&self.lock_path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        if let Err(error) = noted {
            tracing::warn!(%error, "the time of the last synchronization cannot be saved");
        }
    }

    /// `None` when the clock was put back, or nobody looked yet.
    fn compared_ago(&self) -> Option<Duration> {
        let changed = std::fs::metadata(&self.lock_path).and_then(|file| file.modified());
        changed.ok()?.elapsed().ok()
    }

    /// Notes that this process has written.
    pub(super) fn note_write(&self, after: Result<String, StoreError>) {
        let after = after.ok().and_then(|token| Snapshot::parse(&token));
        let mut own = self.own_writes();
        *own = match (&*own, after) {
            (OwnWrites::Until(known), Some(after)) if known.covers(&after) => return,
            (_, Some(after)) => OwnWrites::Until(after),
            (_, None) => OwnWrites::Unknown,
        };
    }

    /// Whether the copy has all that this process wrote.
    pub(super) async fn has_own_writes(
        &self,
        copy: &EmbeddedStore,
        source: &Source,
    ) -> Result<bool, StoreError> {
        let own = self.own_writes().clone();
        let until = match &own {
            OwnWrites::Copied => return self.is_complete(copy).await,
            OwnWrites::Unknown => match source.token().await {
                Ok(token) => {
                    self.note_write(Ok(token));
                    return Ok(false);
                }
                Err(_) => return Ok(false),
            },
            OwnWrites::Until(until) => until,
        };
        if !reaches(copy, until).await? {
            return Ok(false);
        }
        let mut now = self.own_writes();
        if *now == own {
            *now = OwnWrites::Copied;
        }
        Ok(true)
    }

    /// Whether the copy was complete at some time.
    pub(super) async fn is_complete(&self, copy: &EmbeddedStore) -> Result<bool, StoreError> {
        if self.was_complete.load(Ordering::Acquire) {
            return Ok(true);
        }
        let position = copy.copied().copy_position().await?;
        let is_complete = position.is_some_and(|position| position.token.is_some());
        if is_complete {
            self.was_complete.store(true, Ordering::Release);
        }
        Ok(is_complete)
    }

    /// The copy is made anew.
    pub(super) fn note_new_copy(&self) {
        self.was_complete.store(false, Ordering::Release);
    }

    /// Tells in an answer that it may lack something.
    pub(super) fn mark(&self, notes: &mut Vec<Diagnostic>, is_current: bool) {
        let message = if !is_current {
            "the replica does not have the newest entries yet; search again in a moment"
        } else if self.compared_ago().is_none_or(|ago| ago > STALE) {
            "the database has been unreachable for a while; the newest entries may be missing"
        } else {
            return;
        };
        let is_marked = |known: &Diagnostic| {
            matches!(known.category.as_deref(), Some("behind" | INCOMPLETE_INDEX))
        };
        if !notes.iter().any(is_marked) {
            let behind = Diagnostic::warning("store.copy", message).category("behind");
            notes.push(behind);
        }
    }

    fn own_writes(&self) -> std::sync::MutexGuard<'_, OwnWrites> {
        self.own_writes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the copy has everything that is in a state of the database.
pub(super) async fn reaches(copy: &EmbeddedStore, until: &Snapshot) -> Result<bool, StoreError> {
    let position = copy.copied().copy_position().await?;
    let token = position.and_then(|position| position.token);
    let seen = token.as_deref().and_then(Snapshot::parse);
    Ok(seen.is_some_and(|seen| seen.covers(until)))
}
