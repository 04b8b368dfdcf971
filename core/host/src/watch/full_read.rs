//! Full reads: a source that goes on where it stopped is read from its
//! beginning now and then, so that edits and deletions of old entries are
//! noticed.

use gannet_store::{StateKey, Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::WatchedSource;

/// For whom the store remembers when sources were read.
const OWNER: &str = "full reads of followed sources";

/// When a source is to be read from its beginning.
pub(super) struct FullRead {
    interval: SignedDuration,
    key: StateKey,
}

impl FullRead {
    /// `None` for a source that only its first poll reads from its beginning.
    pub(super) fn of(source: &WatchedSource) -> Option<Self> {
        let interval = source.full_read_interval?;
        let key = StateKey {
            owner: OWNER.to_owned(),
            tenant: source.tenant.clone(),
            key: source.name.clone(),
        };
        Some(Self { interval, key })
    }

    /// Whether the last full read that ended began longer ago than the interval,
    /// or none is known.
    ///
    /// # Errors
    /// What the store failed with.
    pub(super) async fn is_due(&self, store: &Store, now: Timestamp) -> Result<bool, StoreError> {
        let kept = store.plugin_state(&self.key).await?;
        Ok(is_due(kept.as_deref(), self.interval, now))
    }

    /// The source was read from its beginning to its end, by a run that began at
    /// this time.
    ///
    /// # Errors
    /// What the store failed with.
    pub(super) async fn keep(&self, store: &Store, began: Timestamp) -> Result<(), StoreError> {
        let began = began.to_string();
        store.set_plugin_state(&self.key, Some(&began)).await
    }
}

/// What was kept is the beginning of the last full read. One that is not a timestamp, or
/// lies in the future after the clock was set back, says nothing.
fn is_due(kept: Option<&str>, interval: SignedDuration, now: Timestamp) -> bool {
    let began = kept.and_then(|kept| kept.parse::<Timestamp>().ok());
    began.is_none_or(|began| {
        let age = now.duration_since(began);
        age.is_negative() || age >= interval
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_read_is_due_after_its_interval_and_where_none_is_known() {
        let now = Timestamp::UNIX_EPOCH;
        let day = SignedDuration::from_hours(24);
        let kept = |age: SignedDuration| is_due(Some(&(now - age).to_string()), day, now);
        assert!(!kept(SignedDuration::ZERO));
        assert!(!kept(day - SignedDuration::from_secs(1)));
        assert!(kept(day));
        assert!(kept(SignedDuration::from_secs(-1)));
        assert!(is_due(None, day, now));
        assert!(is_due(Some("lately"), day, now));
    }
}
