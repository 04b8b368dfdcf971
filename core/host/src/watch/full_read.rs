//! Full reads: a source that goes on where it stopped is read from its
//! beginning now and then, so that edits and deletions of old entries are
//! noticed. One that fails holds up no new entries: the polls after it go on
//! where those before it stopped.

use std::fmt::Write;

use gannet_store::{StateKey, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::WatchedSource;

/// For whom the store remembers when sources were read.
const OWNER: &str = "full reads of followed sources";
/// For whom it remembers full reads that have not ended yet.
const TRIED: &str = "full reads that were begun";
/// The part of the interval after which one that failed is tried again.
const RETRY: i32 = 10;

/// What a poll reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Everything, as there is no cursor to go on from.
    First,
    /// What follows the cursor.
    Rest,
    /// Everything, although there is a cursor.
    Full,
}

/// When a source is to be read from its beginning.
pub(super) struct FullRead {
    interval: SignedDuration,
    /// The beginning of the last full read that ended.
    done: StateKey,
    tried: StateKey,
    /// Where ingestion keeps the cursor of the source.
    cursor: StateKey,
}

/// A full read that was begun, and has not ended as far as is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Tried {
    /// Which adapter reads what: a cursor is of no use for anything else.
    of: String,
    began: Timestamp,
    /// The cursor of before, until it is given back: ingestion replaces it
    /// with that of the full read, which may be years earlier.
    cursor: Option<String>,
    /// Whether a poll that goes on from the cursor has ended since.
    polled: bool,
}

impl FullRead {
    /// `None` for a source that only its first poll reads from its beginning.
    /// The default source is that of the configuration.
    pub(super) fn of(source: &WatchedSource, default_source: Option<&str>) -> Option<Self> {
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
            cursor: StateKey {
                owner: format!("cursors of adapter {}", source.adapter),
                tenant: source.tenant.clone(),
                key: cursor_name(source.source.as_deref().or(default_source)),
            },
        })
    }

    /// A poll begins. A full read is due when the last one that ended began
    /// longer ago than the interval; it is kept as tried until it has ended.
    ///
    /// # Errors
    /// What the store failed with.
    pub(super) async fn begin(&self, store: &Store, now: Timestamp) -> Result<Reads, StoreError> {
        let mut tried = self.read_tried(store).await?;
        if let Some(tried) = &mut tried
            && let Some(cursor) = tried.cursor.take()
        {
            store.set_plugin_state(&self.cursor, Some(&cursor)).await?;
            self.keep_tried(store, tried).await?;
        }
        let Some(cursor) = store.plugin_state(&self.cursor).await? else {
            return Ok(Reads::First);
        };
        let done = store.plugin_state(&self.done).await?;
        let waits = tried.is_some_and(|tried| !tried.may_be_repeated(self.interval, now));
        if waits || !is_due(done.as_deref(), self.interval, now) {
            return Ok(Reads::Rest);
        }
        let tried = Tried {
            of: self.what(),
            began: now,
            cursor: Some(cursor),
            polled: false,
        };
        self.keep_tried(store, &tried).await?;
        Ok(Reads::Full)
    }

    /// A poll that began at this time has read its part to the end, and so many
    /// records. One without any is no full read: a service may give nothing
    /// for other reasons than that it has nothing.
    ///
    /// # Errors
    /// What the store failed with.
    pub(super) async fn finished(
        &self,
        store: &Store,
        reads: Reads,
        began: Timestamp,
        records: u64,
    ) -> Result<(), StoreError> {
        match reads {
            Reads::First | Reads::Full if records == 0 => Ok(()),
            Reads::First | Reads::Full => {
                let began = began.to_string();
                store.set_plugin_state(&self.done, Some(&began)).await?;
                store.set_plugin_state(&self.tried, None).await
            }
            Reads::Rest => self.note_rest(store).await,
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
        let tried = kept.and_then(|kept| serde_json::from_str::<Tried>(&kept).ok());
        Ok(tried.filter(|tried| tried.of == self.what()))
    }

    async fn keep_tried(&self, store: &Store, tried: &Tried) -> Result<(), StoreError> {
        // Plain data: it can always be written.
        let tried = serde_json::to_string(tried).ok();
        store.set_plugin_state(&self.tried, tried.as_deref()).await
    }

    fn what(&self) -> String {
        format!("{} {}", self.cursor.owner, self.cursor.key)
    }
}

impl Tried {
    /// After a part of the interval, and not before a poll has read what is new.
    fn may_be_repeated(&self, interval: SignedDuration, now: Timestamp) -> bool {
        let age = now.duration_since(self.began);
        self.polled && (age.is_negative() || age >= interval / RETRY)
    }
}

/// The name of a source in the key of its cursor, as ingestion makes it.
fn cursor_name(source: Option<&str>) -> String {
    let Some(source) = source else {
        return String::new();
    };
    let mut name = String::new();
    for byte in &Sha256::digest(source)[..16] {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
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
                of: String::new(),
                began: now - SignedDuration::from_mins(minutes),
                cursor: None,
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
