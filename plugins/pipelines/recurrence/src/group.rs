//! Entries of the same kind of event, by device and symptom.

use gannet_plugin::prelude::Entry;
use gannet_plugin::search::SimilarEvent;
use gannet_stages::{occurrences, spaced};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::intervals::{Trend, intervals, trend};
use crate::statement::Statement;

/// Words by which a symptom is named.
const SYMPTOM_WORDS: usize = 4;
/// The part of the words of the one with fewer words that two entries of the same
/// symptom share at least.
const SHARED: f64 = 0.25;

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
    /// What caused it, and what fixed it, by the reader.
    pub(crate) cause: Option<Statement>,
    pub(crate) outcome: Option<Statement>,
}

/// What an entry of a group states.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Stated {
    pub(crate) entry_id: String,
    #[serde(flatten)]
    pub(crate) statement: Statement,
}

/// Events of one symptom on one device, in one place, or without a place.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Group {
    /// The device, system or place; empty where none is known.
    pub(crate) device: String,
    /// The words that the most of them share with what is asked about.
    pub(crate) symptom: Vec<String>,
    /// The mean probability of its entries.
    pub(crate) probability: f64,
    /// Occurrences at least: repairs and follow-ups are none, entries of a day are
    /// one, and those that are less certain are not counted.
    pub(crate) count: usize,
    /// The first and the last occurrence; where no entry reports a fault, both are
    /// the first entry.
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    /// The days between occurrences, in the order of time.
    pub(crate) intervals_days: Vec<f64>,
    /// Whether they become shorter; of few there is no trend.
    pub(crate) trend: Option<Trend>,
    /// What caused it, by the entry of which the reader is surest.
    pub(crate) cause: Option<Stated>,
    /// What fixed it, or repaired it last, by the newest entry that says so.
    pub(crate) outcome: Option<Stated>,
    /// Whether no occurrence is later than what fixed it.
    pub(crate) outcome_held: bool,
    /// Its entries in the order of time, with the one that is asked about.
    pub(crate) entries: Vec<Member>,
}

impl Group {
    /// States what its entries state.
    pub(crate) fn state(&mut self) {
        let newest_first = self.entries.iter().rev();
        let causes = newest_first
            .clone()
            .filter_map(|one| Some((one, one.cause.as_ref()?)));
        let surest = causes.max_by(|a, b| a.1.probability.total_cmp(&b.1.probability));
        let mut outcomes = newest_first.filter_map(|one| Some((one, one.outcome.as_ref()?)));
        let newest = outcomes.next();
        // What did not hold is no answer to what fixed it.
        self.outcome_held = newest.is_some_and(|(one, _)| one.timestamp >= self.last);
        self.cause = surest.map(stated_by);
        self.outcome = newest.map(stated_by);
    }
}

fn stated_by((member, statement): (&Member, &Statement)) -> Stated {
    Stated {
        entry_id: member.entry_id.clone(),
        statement: statement.clone(),
    }
}

/// Groups what is stated by device and symptom, the largest first. The entry that
/// is asked about is one of the events on the device that it shares, and of each
/// of its symptoms.
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
    let mut groups: Vec<Group> = Vec::new();
    for (device, members) in by_device {
        let kinds = by_symptom(&members).into_iter();
        groups.extend(
            kinds.filter_map(|members| group(&device, &members, with_asked(&device), hours)),
        );
    }
    groups.sort_by(|a, b| {
        let by_place = a.device.is_empty().cmp(&b.device.is_empty());
        let by_size = by_place.then(b.entries.len().cmp(&a.entries.len()));
        by_size.then(b.probability.total_cmp(&a.probability))
    });
    groups
}

/// Entries of which each shares its symptom with another one. An entry that is
/// asked about may tell of several.
fn by_symptom<'s>(members: &[&'s StatedEntry]) -> Vec<Vec<&'s StatedEntry>> {
    let mut kinds: Vec<Vec<&StatedEntry>> = Vec::new();
    for one in members {
        let has_symptom =
            |kind: &Vec<&StatedEntry>| kind.iter().any(|known| is_same_symptom(known, one));
        let (same, others) = kinds.into_iter().partition::<Vec<_>, _>(has_symptom);
        kinds = others;
        kinds.push(same.into_iter().flatten().chain([*one]).collect());
    }
    kinds
}

/// Whether two entries share enough of what each has in common with the asked
/// one. Nothing tells an entry apart that has no words in common with it.
fn is_same_symptom(one: &StatedEntry, other: &StatedEntry) -> bool {
    let (one, other) = (&one.found.words, &other.found.words);
    let shared = one.iter().filter(|word| other.contains(word)).count();
    shared as f64 >= SHARED * one.len().min(other.len()) as f64
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
    entries.sort_by(|a, b| (a.timestamp, &a.entry_id).cmp(&(b.timestamp, &b.entry_id)));
    let told = stated.iter().map(|one| &one.entry).chain(asked);
    let mut told: Vec<&Entry> = told.collect();
    told.sort_by(|a, b| (a.timestamp, &a.entry_id).cmp(&(b.timestamp, &b.entry_id)));
    let seconds = i64::try_from(hours.saturating_mul(3_600)).unwrap_or(i64::MAX);
    let occurrences = occurrences(&told, SignedDuration::from_secs(seconds));
    let mut times: Vec<Timestamp> = occurrences.iter().map(|one| one.timestamp).collect();
    if times.is_empty() {
        times.push(entries.first()?.timestamp);
    }
    let intervals_days = intervals(&times);
    Some(Group {
        device: device.to_owned(),
        symptom: symptom(stated, &entries),
        probability: total / stated.len().max(1) as f64,
        count: times.len(),
        first: *times.first()?,
        last: *times.last()?,
        trend: trend(&intervals_days),
        intervals_days,
        cause: None,
        outcome: None,
        outcome_held: false,
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
        cause: None,
        outcome: None,
    }
}

/// The words that most of them share with what is asked about, those of titles
/// first.
fn symptom(stated: &[&StatedEntry], entries: &[Member]) -> Vec<String> {
    let titles: Vec<&str> = entries.iter().map(|one| one.title.as_str()).collect();
    let titles = spaced(&titles.join("\n"));
    let is_titled = |word: &str| titles.contains(&format!(" {word} "));
    let mut counted: Vec<(&String, usize)> = Vec::new();
    let words = stated.iter().flat_map(|one| &one.found.words);
    // A letter alone is a unit, or a part of a name.
    for word in words.filter(|word| word.chars().count() > 1) {
        match counted.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counted.push((word, 1)),
        }
    }
    // Stable: of equal ones the rarer word of the most probable entry.
    counted.sort_by_cached_key(|(word, count)| std::cmp::Reverse((*count, is_titled(word))));
    counted
        .into_iter()
        .take(SYMPTOM_WORDS)
        .map(|(word, _)| word.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(id: &str, words: &[&str]) -> StatedEntry {
        let mut found = SimilarEvent::new(id, 0.9, 0.9);
        found.device = "RF-2".to_owned();
        found.words = words.iter().map(|word| (*word).to_owned()).collect();
        let entry = Entry::new(
            id,
            "log",
            Timestamp::UNIX_EPOCH,
            format!("{} tripped", words[0]),
        );
        StatedEntry { entry, found }
    }

    fn ids(group: &Group) -> Vec<&str> {
        group
            .entries
            .iter()
            .map(|one| one.entry_id.as_str())
            .collect()
    }

    #[test]
    fn the_symptoms_of_one_device_are_apart() {
        let stated = [
            stated("a", &["flow", "paddle", "switch"]),
            stated("b", &["window", "arc"]),
            stated("c", &["circulator", "flow"]),
        ];
        let asked = Entry::new("x", "log", Timestamp::UNIX_EPOCH, "Two faults of RF-2");
        let groups = groups(&stated, Some(&asked), 24);
        assert_eq!(
            groups.iter().map(ids).collect::<Vec<_>>(),
            [vec!["a", "c", "x"], vec!["b", "x"]]
        );
        assert_eq!(
            groups[0].symptom,
            ["flow", "circulator", "paddle", "switch"]
        );
        assert!(groups.iter().all(|group| group.device == "RF-2"));
    }
}
