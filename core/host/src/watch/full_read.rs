//! Full reads: a source that goes on where it stopped is read from its
//! beginning now and then, so that edits and deletions of old entries are
//! noticed. One that fails holds up no new entries: the polls after it go on
//! where those before it stopped.

use gannet_store::{StateKey, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::WatchedSource;
use crate::IngestReport;

/// For whom the store remembers when sources were read.
const OWNER: &str = "full reads of followed sources";
/// For whom it remembers full reads that have not ended yet.
const TRIED: &str = "full reads that were begun";
/// The part of the interval after which one that failed is tried again.
const RETRY: i32 = 10;

/// When a source is to be read from its beginning.
pub(super) struct FullRead {
    interval: SignedDuration,
    /// The beginning of the last full read that ended.
    done: StateKey,
    tried: StateKey,
}

/// A full read that was begun, and has not ended as far as is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Tried {
    began: Timestamp,
    /// Whether a poll that goes on from the cursor has ended since.
    polled: bool,
}

impl FullRead {
    /// `None` for a source that only its first poll reads from its beginning.
    pub(super) fn of(source: &WatchedSource) -> Option<Self> {
        let interval = source.full_read_interval?;
        let of_source = |owner: &str| StateKey {
            owner: owner.to_owned(),
            tenant: source.tenant.clone(),
            key: source.name.clone(),
        };
        Some(Self {
            interval,
            done: of_source(OWNER),
            tried: of_source(TRIED),
        })
    }

    /// Whether the poll that begins now is a full read: the last one that ended
    /// began longer ago than the interval. It is kept as tried until it has
    /// ended.
    ///
    /// # Errors
    /// What the store failed with.
    pub(super) async fn begin(&self, store: &Store, now: Timestamp) -> Result<bool, StoreError> {
        let done = store.plugin_state(&self.done).await?;
        let tried = self.read_tried(store).await?;
        let waits = tried.is_some_and(|tried| !tried.may_be_repeated(self.interval, now));
        if waits || !is_due(done.as_deref(), self.interval, now) {
            return Ok(false);
        }
        let tried = Tried {
            began: now,
            polled: false,
        };
        self.keep_tried(store, &tried).await?;
        Ok(true)
    }

    /// A poll that began at this time has ended. One that read the source from
    /// its beginning is a full read, unless it gave nothing: a service may give
    /// nothing for other reasons than that it has nothing.
    ///
    /// # Errors
    /// What the store failed with.
    pub(super) async fn finished(
        &self,
        store: &Store,
        began: Timestamp,
        report: &IngestReport,
    ) -> Result<(), StoreError> {
        match (report.from_beginning, report.counts.read) {
            (true, 0) => Ok(()),
            (true, _) => {
                let began = began.to_string();
                store.set_plugin_state(&self.done, Some(&began)).await?;
                store.set_plugin_state(&self.tried, None).await
            }
            (false, _) => self.note_rest(store).await,
        }
    }

    /// The source was read to its end by several runs, or before it had full
    /// reads: from now on one is due where none is known.
    async fn note_rest(&self, store: &Store) -> Result<(), StoreError> {
        if store.plugin_state(&self.done).await?.is_none() {
            let long_ago = Timestamp::UNIX_EPOCH.to_string();
            store.set_plugin_state(&self.done, Some(&long_ago)).await?;
        }
        match self.read_tried(store).await? {
            Some(tried) if !tried.polled => {
                let polled = true;
                self.keep_tried(store, &Tried { polled, ..tried }).await
            }
            _ => Ok(()),
        }
    }

    async fn read_tried(&self, store: &Store) -> Result<Option<Tried>, StoreError> {
        let kept = store.plugin_state(&self.tried).await?;
        Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()))
    }

    async fn keep_tried(&self, store: &Store, tried: &Tried) -> Result<(), StoreError> {
        // Plain data: it can always be written.
        let tried = serde_json::to_string(tried).ok();
        store.set_plugin_state(&self.tried, tried.as_deref()).await
    }
}

impl Tried {
    /// After a part of the interval, and not before a poll has read what is new.
    fn may_be_repeated(&self, interval: SignedDuration, now: Timestamp) -> bool {
        let age = now.duration_since(self.began);
        self.polled && (age.is_negative() || age >= interval / RETRY)
    }
}

/// What was kept is the beginning of the last full read. Without one the source
/// was not read to its end yet, and goes on. One that is not a timestamp, or
/// lies in the future after the clock was set back, says nothing.
fn is_due(kept: Option<&str>, interval: SignedDuration, now: Timestamp) -> bool {
    let Some(kept) = kept else {
        return false;
    };
    kept.parse::<Timestamp>().ok().is_none_or(|began| {
        let age = now.duration_since(began);
        age.is_negative() || age >= interval
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    #[test]
    fn a_full_read_is_due_after_its_interval_and_not_before_the_source_was_read() {
        let now = Timestamp::UNIX_EPOCH;
        let kept = |age: SignedDuration| is_due(Some(&(now - age).to_string()), DAY, now);
        assert!(!kept(SignedDuration::ZERO));
        assert!(!kept(DAY - SignedDuration::from_secs(1)));
        assert!(kept(DAY));
        assert!(kept(SignedDuration::from_secs(-1)));
        assert!(is_due(Some("lately"), DAY, now));
        assert!(!is_due(None, DAY, now));
    }

    #[test]
    fn a_full_read_is_tried_again_after_a_tenth_of_the_interval_and_another_poll() {
        let now = Timestamp::UNIX_EPOCH;
        let may_be_repeated = |minutes: i64, polled: bool| {
            let tried = Tried {
                began: now - SignedDuration::from_mins(minutes),
                polled,
            };
            tried.may_be_repeated(DAY, now)
        };
        assert!(!may_be_repeated(143, true));
        assert!(may_be_repeated(144, true));
        assert!(!may_be_repeated(1000, false));
        assert!(may_be_repeated(-1, true));
    }
}
