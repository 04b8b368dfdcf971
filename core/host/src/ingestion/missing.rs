//! Entries that a source does not give any more.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use gannet_api::{
    Condition, Entry, Error, Filter, FilterClause, FilterField, RejectedRecord, TimeRange,
};
use gannet_store::{ListRequest, Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use crate::HostError;
use crate::publishing::unseen;

/// Entries that are listed at once.
const PAGE: usize = 500;
/// Ids that are deleted at once.
const BATCH: usize = 500;
/// From so many entries on, more than half of which are missing, nothing is
/// deleted: the source was probably cut off.
const MANY: usize = 20;
/// How far the times of two zones are apart at most.
const ZONES_APART: SignedDuration = SignedDuration::from_hours(26);

/// What a source gave in one run: a hash for each id. Where two ids have one
/// hash, an entry may stay that is missing; none is deleted that is there.
pub(super) struct Given {
    /// When the run began. What was written since is not missing: the source
    /// may have been read before it had it.
    began: Timestamp,
    /// The instant after which the source was read completely; all of it when
    /// missing.
    complete_since: Option<Timestamp>,
    /// The time of the earliest entry that came of the span after that instant.
    earliest: Option<Timestamp>,
    /// The time of the latest entry that came.
    latest: Option<Timestamp>,
    hasher: RandomState,
    ids: HashSet<u64>,
    /// Of rejected records: none of their parts is missing.
    rejected: HashSet<u64>,
    source_systems: BTreeSet<String>,
    /// Rejected records without an id: any entry could be meant.
    nameless: u64,
}

/// The stored entries of the source systems that a source gave, as far as it
/// was read.
struct Stored {
    count: usize,
    missing: Vec<String>,
}

impl Given {
    /// Nothing yet, in a run that began at this time by the clock of the store.
    pub(super) fn since(began: Timestamp) -> Self {
        Self {
            began,
            complete_since: None,
            earliest: None,
            latest: None,
            hasher: RandomState::new(),
            ids: HashSet::new(),
            rejected: HashSet::new(),
            source_systems: BTreeSet::new(),
            nameless: 0,
        }
    }

    /// The same for a stream that is complete since this instant; `None` for one
    /// that goes on from a cursor and does not say what it reads completely.
    pub(super) fn of_stream(
        self,
        complete_since: Option<Timestamp>,
        goes_on: bool,
    ) -> Option<Self> {
        let is_known = complete_since.is_some() || !goes_on;
        is_known.then_some(Self {
            complete_since,
            ..self
        })
    }

    /// Whether the stream says itself which span it reads completely.
    pub(super) fn has_span(&self) -> bool {
        self.complete_since.is_some()
    }

    pub(super) fn add(&mut self, entry: &Entry) {
        self.ids.insert(self.hasher.hash_one(&entry.entry_id));
        let time = entry.timestamp;
        if self.complete_since.is_none_or(|since| since < time) {
            self.earliest = Some(self.earliest.map_or(time, |earliest| earliest.min(time)));
        }
        self.latest = self.latest.max(Some(time));
        if !self.source_systems.contains(&entry.source_system) {
            self.source_systems.insert(entry.source_system.clone());
        }
    }

    /// A record that is there and cannot be used leaves its entry as it is, and
    /// the entries of its parts: those of a document have its id, `#` and more.
    pub(super) fn add_rejected(&mut self, record: &RejectedRecord) {
        match &record.entry_id {
            Some(id) => {
                self.rejected.insert(self.hasher.hash_one(id));
            }
            None => self.nameless += 1,
        }
    }

    /// Whether the source gave an entry, or a rejected record that it is or may
    /// be a part of.
    fn has(&self, id: &str) -> bool {
        let is_rejected = |id: &str| self.rejected.contains(&self.hasher.hash_one(id));
        self.ids.contains(&self.hasher.hash_one(id))
            || is_rejected(id)
            || id
                .match_indices('#')
                .any(|(end, _)| is_rejected(&id[..end]))
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
        // The span is empty, as that of a source which reads nothing completely.
        if self.complete_since.is_some_and(|since| since >= self.began) {
            return Ok(0);
        }
        let mut stored = self.stored(store, tenant).await?;
        let unseen = unseen::ids(store, tenant).await?;
        stored.missing.retain(|id| !unseen.contains(id));
        if stored.count >= MANY && stored.missing.len() * 2 > stored.count {
            return Err(self.too_many(&stored).into());
        }
        let mut deleted = 0;
        for ids in stored.missing.chunks(BATCH) {
            deleted += store.delete(tenant, ids).await?;
        }
        Ok(deleted)
    }

    fn too_many(&self, stored: &Stored) -> Error {
        let since = self.complete_since;
        let span = since.map_or_else(String::new, |since| format!(" after {since}"));
        Error::invalid_input(format!(
            "{} of {} entries{span} are not in the source any more; more than half are not \
             deleted by themselves: check the source, or delete them with `gannet purge`",
            stored.missing.len(),
            stored.count
        ))
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
                if !self.source_systems.contains(&entry.source_system)
                    || !self.was_read(entry.timestamp)
                {
                    continue;
                }
                stored.count += 1;
                let is_older = entry.updated_at.is_none_or(|written| written < self.began);
                if is_older && !self.has(&entry.entry_id) {
                    stored.missing.push(entry.entry_id);
                }
            }
            if page.next.is_none() {
                return Ok(stored);
            }
            request.after = page.next;
        }
    }

    /// Whether an entry of this time would have come. Of a span that is complete
    /// the source gave nothing that lies in the future.
    fn was_read(&self, timestamp: Timestamp) -> bool {
        self.complete_since.is_none_or(|since| {
            since < timestamp && timestamp < self.began && self.is_proven(since, timestamp)
        })
    }

    /// Whether the source gave this part of the span after `since`. One that
    /// reads the times of a request in another zone gives nothing of its
    /// beginning or of its end, which an entry shows that came from there.
    fn is_proven(&self, since: Timestamp, timestamp: Timestamp) -> bool {
        let beginning = since.checked_add(ZONES_APART);
        let is_later = beginning.is_ok_and(|beginning| beginning <= timestamp);
        let end = self.began.checked_sub(ZONES_APART);
        let is_earlier = end.is_ok_and(|end| timestamp < end);
        let began_before = self.earliest.is_some_and(|earliest| earliest <= timestamp);
        let went_on = self.latest.is_some_and(|latest| timestamp <= latest);
        (is_later || began_before) && (is_earlier || went_on)
    }

    fn filter(&self) -> Filter {
        let systems = self.source_systems.iter().cloned().collect();
        let of_systems = FilterClause {
            field: FilterField::SourceSystem,
            condition: Condition::AnyOf(systems),
        };
        let of_span = self.complete_since.map(|since| FilterClause {
            field: FilterField::Timestamp,
            condition: Condition::Time(TimeRange {
                from: Some(since),
                until: None,
            }),
        });
        Filter {
            clauses: [of_systems].into_iter().chain(of_span).collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn entry(time: &str) -> Entry {
        Entry::new("E", "log", at(time), "x")
    }

    fn given() -> Given {
        Given::since(at("2024-01-05T08:00:00Z"))
    }

    #[test]
    fn a_stream_that_goes_on_and_says_nothing_of_its_span_leaves_every_entry() {
        assert!(given().of_stream(None, true).is_none());
        let whole = given().of_stream(None, false).unwrap();
        assert!(!whole.has_span());
        assert!(whole.was_read(Timestamp::MIN) && whole.was_read(Timestamp::MAX));
        assert_eq!(whole.filter().clauses.len(), 1);
    }

    #[test]
    fn an_entry_is_missing_only_after_the_instant_and_before_the_run() {
        for goes_on in [true, false] {
            let since = at("2024-01-04T08:00:00Z");
            let mut given = given().of_stream(Some(since), goes_on).unwrap();
            given.add(&entry("2024-01-04T08:00:00.000000001Z"));
            given.add(&entry("2024-01-05T07:59:59Z"));
            assert!(given.has_span());
            assert!(!given.was_read(since));
            assert!(given.was_read(at("2024-01-04T08:00:00.000000001Z")));
            assert!(given.was_read(at("2024-01-05T07:59:59Z")));
            assert!(!given.was_read(given.began));
            assert_eq!(given.filter().clauses.len(), 2);
        }
    }

    #[test]
    fn a_rejected_document_leaves_its_pages() {
        let mut given = given();
        let rejected = RejectedRecord::new("file", "cut off", "");
        given.add_rejected(&rejected.with_entry_id("rf/#1.pdf".to_owned()));
        given.add(&entry("2024-01-04T08:00:00Z"));
        for there in ["rf/#1.pdf", "rf/#1.pdf#page=2", "rf/#1.pdf#page=2#3", "E"] {
            assert!(given.has(there), "{there}");
        }
        for missing in ["rf/", "rf/#1", "rf/#1.pdf2", "rf/#1.pd#page=2", "E#page=1"] {
            assert!(!given.has(missing), "{missing}");
        }
    }

    #[test]
    fn the_first_hours_of_a_span_count_as_read_from_the_earliest_entry_on_that_came() {
        let since = at("2024-01-02T08:00:00Z");
        let mut given = given().of_stream(Some(since), false).unwrap();
        let sure = at("2024-01-03T10:00:00Z");
        let second = SignedDuration::from_secs(1);
        assert!(given.was_read(sure) && !given.was_read(sure - second));
        // One that is older than the span shows nothing of it.
        given.add(&entry("2024-01-02T07:00:00Z"));
        assert!(!given.was_read(sure - second));
        given.add(&entry("2024-01-02T14:00:00Z"));
        given.add(&entry("2024-01-04T09:00:00Z"));
        assert!(given.was_read(at("2024-01-02T14:00:00Z")));
        assert!(!given.was_read(at("2024-01-02T13:59:59Z")));
    }

    #[test]
    fn the_last_hours_before_a_run_count_as_read_up_to_the_latest_entry_that_came() {
        let since = at("2024-01-01T08:00:00Z");
        let mut given = given().of_stream(Some(since), false).unwrap();
        let end = at("2024-01-04T06:00:00Z");
        let second = SignedDuration::from_secs(1);
        assert!(given.was_read(end - second) && !given.was_read(end));
        given.add(&entry("2024-01-04T20:00:00Z"));
        given.add(&entry("2024-01-03T09:00:00Z"));
        assert!(given.was_read(at("2024-01-04T20:00:00Z")));
        assert!(!given.was_read(at("2024-01-04T20:00:01Z")));
    }
}
