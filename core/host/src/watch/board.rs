//! What the followed sources did, for status and metrics.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gannet_api::DEFAULT_TENANT;
use gannet_store::{StateKey, Store, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::WatchedSource;
use crate::{IngestProgress, kept_state};

/// The sources that a process follows. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct WatchBoard(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    reports: Mutex<BTreeMap<String, SourceReport>>,
    reloaded: Notify,
}

/// What a source is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchState {
    /// It waits for its next poll.
    #[default]
    Waiting,
    /// It is read.
    Polling,
    /// Another process follows it.
    Elsewhere,
    /// It waits until `gannet ingest` has read its adapter once.
    NotIngested,
    /// It failed too often and is not followed any more.
    GivenUp,
    /// It was to be polled once, and was.
    Once,
    /// Nobody follows it any more.
    Stopped,
}

/// What a source did since its process began to follow it. When it was last
/// read, and its failures in a row, go on from what was kept before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceReport {
    /// What it is doing.
    pub state: WatchState,
    /// Polls that read the source to its end.
    pub polls: u64,
    /// Polls that failed.
    pub failed_polls: u64,
    /// Failures in a row.
    pub consecutive_failures: u32,
    /// Records read.
    pub read: u64,
    /// Entries that were new.
    pub added: u64,
    /// Entries that had changed.
    pub updated: u64,
    /// Entries that were there already.
    pub unchanged: u64,
    /// Records that could not become entries.
    pub rejected: u64,
    /// Entries that the source no longer has.
    pub deleted: u64,
    /// When the last poll ended.
    pub last_poll: Option<Timestamp>,
    /// When the last poll that did not fail ended.
    pub last_success: Option<Timestamp>,
    /// When the next poll is due.
    pub next_poll: Option<Timestamp>,
    /// Why the last poll failed, if it did.
    pub error: Option<String>,
}

impl SourceReport {
    /// Another process, or an earlier one, followed the source until now.
    fn go_on_from(&mut self, kept: Self) {
        self.consecutive_failures = kept.consecutive_failures;
        self.last_poll = kept.last_poll;
        self.last_success = kept.last_success;
        self.error = kept.error;
    }

    /// A poll read the source to its end.
    pub(super) fn succeeded(&mut self, counts: &IngestProgress, now: Timestamp) {
        self.polls += 1;
        self.consecutive_failures = 0;
        self.read += counts.read;
        self.added += counts.added;
        self.updated += counts.updated;
        self.unchanged += counts.unchanged;
        self.rejected += counts.rejected;
        self.deleted += counts.deleted;
        self.last_poll = Some(now);
        self.last_success = Some(now);
        self.error = None;
    }

    /// A poll failed.
    pub(super) fn failed(&mut self, error: &str, now: Timestamp) {
        self.failed_polls += 1;
        self.consecutive_failures = self.consecutive_failures.saturating_add(1);
        self.last_poll = Some(now);
        self.error = Some(error.to_owned());
    }
}

impl WatchBoard {
    /// The sources with what they did, by name.
    pub fn reports(&self) -> BTreeMap<String, SourceReport> {
        self.lock().clone()
    }

    /// Has whoever follows the sources read the configuration again.
    pub fn reload(&self) {
        self.0.reloaded.notify_one();
    }

    /// Ends when the configuration is to be read again.
    pub(super) async fn reloaded(&self) {
        self.0.reloaded.notified().await;
    }

    pub(super) fn change(&self, name: &str, change: impl FnOnce(&mut SourceReport)) {
        change(self.lock().entry(name.to_owned()).or_default());
    }

    pub(super) fn forget(&self, name: &str) {
        self.lock().remove(name);
    }

    /// This process follows a source from now on: its report begins with what
    /// was kept of it.
    pub(super) async fn take_over(&self, store: &Store, name: &str) -> Result<(), StoreError> {
        if let Some(kept) = kept(store, name).await? {
            self.change(name, |report| report.go_on_from(kept));
        }
        Ok(())
    }

    /// Keeps the report of a source in the store, for the status of every
    /// process.
    pub(super) async fn keep(
        &self,
        store: &Store,
        source: &WatchedSource,
    ) -> Result<(), StoreError> {
        let report = self.lock().get(&source.name).cloned().unwrap_or_default();
        kept_state::write(store, &key(&source.name), Some(&report)).await
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, SourceReport>> {
        // Counts are whole after a panic too.
        let reports = self.0.reports.lock();
        reports.unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the process that follows a source kept last.
pub(super) async fn kept(store: &Store, name: &str) -> Result<Option<SourceReport>, StoreError> {
    kept_state::read(store, &key(name)).await
}

fn key(name: &str) -> StateKey {
    kept_state::key("followed sources", DEFAULT_TENANT, name)
}
