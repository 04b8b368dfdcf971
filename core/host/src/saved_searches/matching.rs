//! Matching entries as they come.

use std::collections::BTreeMap;
use std::sync::Arc;

use gannet_api::{EnhancementStatus, Entry};
use gannet_store::Arrival;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::SearchMatch;
use super::index::SavedIndex;
use super::rows::{self, MatchRow};
use crate::delivery::{Message, MessageEntry, MessageKind, TO_THE_MINUTE, id_part};
use crate::{Gannet, HostError, Stop};

/// Entries that are looked at together.
const BATCH: usize = 500;
/// How long an entry is waited for that has no vectors yet. After it, it is
/// matched by words alone.
const WAIT_FOR_VECTORS: SignedDuration = SignedDuration::from_secs(120);
/// How long matches are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Characters of an entry that a message quotes where no words match.
const QUOTED: usize = 300;

type Indexes = BTreeMap<String, Arc<SavedIndex>>;

impl Gannet {
    /// Matches the entries that came since the last call against the saved
    /// searches, keeps the matches, and puts messages into the outbox. How far
    /// it is, is kept after that: what a crash interrupts is done again, with the
    /// same rows and the same messages. Returns how many entries were matched.
    ///
    /// # Errors
    /// What the store or the embedder failed with; the entries are matched by
    /// the next call then.
    pub async fn match_arrivals(&self, now: Timestamp, stop: &Stop) -> Result<u64, HostError> {
        let indexes = self.saved_indexes().await?;
        let store = self.store();
        let latest = store.arrivals(i64::MAX, 0).await?.reached;
        let reached = rows::reached(store).await?;
        if indexes.is_empty() {
            // What comes until the next search is saved is not of it.
            if reached.is_some() {
                rows::forget_reached(store).await?;
            }
            return Ok(0);
        }
        // A store that was restored from a backup starts its numbers again.
        let Some(mut reached) = reached.filter(|reached| *reached <= latest) else {
            rows::set_reached(store, latest).await?;
            return Ok(0);
        };
        let mut matched = 0;
        while reached < latest && !stop.is_raised() {
            let arrivals = store.arrivals(reached, BATCH).await?;
            let begun = reached;
            for arrival in &arrivals.entries {
                if !self.match_arrival(&indexes, arrival, now).await? {
                    break;
                }
                reached = arrival.number;
                matched += 1;
            }
            let is_whole = arrivals
                .entries
                .last()
                .is_none_or(|last| last.number == reached);
            if is_whole {
                reached = arrivals.reached;
            }
            if reached > begun {
                rows::set_reached(store, reached).await?;
            }
            if !is_whole {
                break;
            }
        }
        Ok(matched)
    }

    /// The vectors of an entry's passages, where a search of the index asks for
    /// the meaning; none where it has none yet.
    pub(super) async fn vectors_for(
        &self,
        index: &SavedIndex,
        tenant: &str,
        entry_id: &str,
    ) -> Result<Vec<Vec<f32>>, HostError> {
        let Some(model) = index.model() else {
            return Ok(Vec::new());
        };
        let ids = [entry_id.to_owned()];
        let mut of = self.store().passage_vectors(tenant, model, &ids).await?;
        Ok(of.pop().unwrap_or_default())
    }

    /// Matches an entry; false where it is to be waited for.
    async fn match_arrival(
        &self,
        indexes: &Indexes,
        arrival: &Arrival,
        now: Timestamp,
    ) -> Result<bool, HostError> {
        let tenant = arrival.tenant.as_str();
        let Some(index) = indexes.get(tenant) else {
            return Ok(true);
        };
        let entry = self.stored_entry(tenant, &arrival.entry_id).await?;
        let Some(entry) = entry.filter(|entry| !entry.is_delivered()) else {
            return Ok(true);
        };
        let vectors = self.vectors_for(index, tenant, &arrival.entry_id).await?;
        if index.model().is_some() && vectors.is_empty() && may_get_vectors(&entry, now) {
            return Ok(false);
        }
        let searches = index.matches((arrival.number, &entry), &vectors);
        if searches.is_empty() {
            return Ok(true);
        }
        let row = MatchRow {
            number: arrival.number,
            entry_id: arrival.entry_id.clone(),
            at: now,
            searches,
        };
        for matched in &row.searches {
            let deliver_to = index.search(&matched.search).map(|one| &one.deliver_to);
            let Some(deliver_to) = deliver_to.filter(|names| !names.is_empty()) else {
                continue;
            };
            // Marking words takes time: only of what is delivered.
            let shown = self.shown_match(index, &entry, (row.number, now), matched.clone());
            if let Some(shown) = shown {
                let message = message(&shown, &self.time_zone());
                self.enqueue(&message, deliver_to).await?;
            }
        }
        rows::add_matches(self.store(), tenant, &row).await?;
        Ok(true)
    }

    /// Deletes old matches.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub(crate) async fn forget_old_matches(&self, now: Timestamp) -> Result<(), HostError> {
        for tenant in self.saved_indexes().await?.into_keys() {
            rows::forget_matches(self.store(), &tenant, now - KEPT).await?;
        }
        Ok(())
    }
}

/// Whether an entry without vectors may get some soon.
fn may_get_vectors(entry: &Entry, now: Timestamp) -> bool {
    let mut statuses = entry.enhancement_status.values();
    let has_failed = statuses.any(|status| matches!(status, EnhancementStatus::Failed { .. }));
    let is_new = entry
        .created_at
        .is_some_and(|came| came.duration_until(now) < WAIT_FOR_VECTORS);
    !entry.raw_text.trim().is_empty() && !has_failed && is_new
}

fn message(found: &SearchMatch, zone: &TimeZone) -> Message {
    let entry = &found.entry;
    let time = entry.timestamp.to_zoned(zone.clone());
    let time = time.strftime(TO_THE_MINUTE);
    let title = entry.title().map(str::to_owned);
    let title = title.unwrap_or_else(|| entry.raw_text.lines().next().unwrap_or_default().into());
    let title: String = title.chars().take(QUOTED).collect();
    let quoted = match found.highlights.is_empty() {
        true => entry.raw_text.chars().take(QUOTED).collect(),
        false => {
            let fragments = found.highlights.iter().map(|one| one.text.as_str());
            fragments.collect::<Vec<_>>().join("\n…\n")
        }
    };
    Message {
        // The outbox sends the messages of one look in the order of their ids.
        id: format!("match.{:016x}.{}", found.number, id_part(&found.search)),
        kind: MessageKind::Match,
        name: found.search_name.clone(),
        tenant: entry.tenant.clone(),
        title: format!("{}: {title}", found.search_name),
        text: format!("{quoted}\n\n{time} {}", entry.entry_id),
        entries: vec![MessageEntry::new(entry, found.url.clone())],
        created_at: found.matched_at,
        details: json!({
            "search": found.search,
            "keyword": found.keyword,
            "similarity": found.similarity,
            "highlights": found.highlights,
            "timestamp": entry.timestamp,
            "author": entry.author,
        }),
    }
}
