//! Entries of the same kind of event, by device.

use gannet_plugin::prelude::Entry;
use gannet_plugin::search::SimilarEvent;
use jiff::Timestamp;
use serde::Serialize;

use crate::intervals::{Trend, intervals, occurrences, trend};
use crate::outcome::Outcome;

/// Words of a symptom.
const SYMPTOM_WORDS: usize = 4;

/// An entry that is stated, with what the host found of it.
#[derive(Debug, Clone)]
pub(crate) struct StatedEntry {
    pub(crate) entry: Entry,
    pub(crate) found: SimilarEvent,
}

/// One of a group.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Member {
    pub(crate) entry_id: String,
    pub(crate) timestamp: Timestamp,
    pub(crate) title: String,
    /// The probability by which it is stated; 1 of the entry asked about.
    pub(crate) probability: f64,
    /// What it has in common with what is asked about; nothing of that itself.
    pub(crate) why: Vec<String>,
    /// What fixed it, by the reader.
    pub(crate) outcome: Option<Outcome>,
}

/// Events of the same kind on one device, in one place, or without a place.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Group {
    /// The device, system or place; empty where none is known.
    pub(crate) device: String,
    /// The words that the most of them share with what is asked about.
    pub(crate) symptom: Vec<String>,
    /// The mean probability of its entries.
    pub(crate) probability: f64,
    /// Occurrences: entries of a day are one.
    pub(crate) count: usize,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    /// The days between occurrences, in the order of time.
    pub(crate) intervals_days: Vec<f64>,
    /// Whether they become shorter; of few there is no trend.
    pub(crate) trend: Option<Trend>,
    /// Its entries in the order of time, with the one that is asked about.
    pub(crate) entries: Vec<Member>,
}

impl Group {
    /// What fixed it, by the entry of which the reader is surest.
    pub(crate) fn outcome(&self) -> Option<(&Member, &Outcome)> {
        let newest_first = self.entries.iter().rev();
        let known = newest_first.filter_map(|one| Some((one, one.outcome.as_ref()?)));
        known.max_by(|a, b| a.1.probability.total_cmp(&b.1.probability))
    }
}

/// Groups what is stated by device, the largest first. The entry that is asked
/// about is one of the events on the device that it shares.
pub(crate) fn groups(stated: &[StatedEntry], asked: Option<&Entry>, hours: u64) -> Vec<Group> {
    let mut by_device: Vec<(String, Vec<&StatedEntry>)> = Vec::new();
    for one in stated {
        let device = one.found.device.as_str();
        match by_device.iter_mut().find(|(known, _)| known == device) {
            Some((_, members)) => members.push(one),
            None => by_device.push((device.to_owned(), vec![one])),
        }
    }
    let single = by_device.len() == 1;
    let with_asked = |device: &str| asked.filter(|_| single || !device.is_empty());
    let mut groups: Vec<Group> = by_device
        .into_iter()
        .filter_map(|(device, members)| group(&device, &members, with_asked(&device), hours))
        .collect();
    groups.sort_by(|a, b| {
        let by_place = a.device.is_empty().cmp(&b.device.is_empty());
        by_place.then(b.entries.len().cmp(&a.entries.len()))
    });
    groups
}

fn group(
    device: &str,
    stated: &[&StatedEntry],
    asked: Option<&Entry>,
    hours: u64,
) -> Option<Group> {
    let mut entries: Vec<Member> = stated.iter().map(|one| stated_member(one)).collect();
    let total: f64 = entries.iter().map(|one| one.probability).sum();
    entries.extend(asked.map(|entry| member(entry, 1.0)));
    entries.sort_by(|a, b| {
        let by_time = a.timestamp.cmp(&b.timestamp);
        by_time.then_with(|| a.entry_id.cmp(&b.entry_id))
    });
    let times: Vec<Timestamp> = entries.iter().map(|one| one.timestamp).collect();
    let occurrences = occurrences(&times, hours);
    let intervals_days = intervals(&occurrences);
    Some(Group {
        device: device.to_owned(),
        symptom: symptom(stated),
        probability: total / stated.len().max(1) as f64,
        count: occurrences.len(),
        first: *times.first()?,
        last: *times.last()?,
        trend: trend(&intervals_days),
        intervals_days,
        entries,
    })
}

fn stated_member(one: &StatedEntry) -> Member {
    Member {
        why: one.found.why.clone(),
        ..member(&one.entry, one.found.probability.max(one.found.same_kind))
    }
}

fn member(entry: &Entry, probability: f64) -> Member {
    let first_line = entry.raw_text.lines().next().unwrap_or_default();
    Member {
        entry_id: entry.entry_id.clone(),
        timestamp: entry.timestamp,
        title: entry.title().unwrap_or(first_line).to_owned(),
        probability,
        why: Vec::new(),
        outcome: None,
    }
}

/// The words that most of them share with what is asked about.
fn symptom(stated: &[&StatedEntry]) -> Vec<String> {
    let mut counted: Vec<(&String, usize)> = Vec::new();
    for word in stated.iter().flat_map(|one| &one.found.words) {
        match counted.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counted.push((word, 1)),
        }
    }
    // Stable: of equal counts the rarer word of the most probable entry.
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted
        .into_iter()
        .take(SYMPTOM_WORDS)
        .map(|(word, _)| word.clone())
        .collect()
}
