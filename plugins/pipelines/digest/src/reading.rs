//! The entries of a time, read together: what each says, and what of it later
//! ones settle.

use gannet_plugin::prelude::Entry;
use jiff::tz::TimeZone;

use crate::item::Read;
use crate::severity::Severity;
use crate::statements::{EntryStatements, Outcome};
use crate::subject::Subject;

/// Reads entries in the order of time.
pub(crate) fn read<'e>(
    entries: &'e [Entry],
    severity: &Severity,
    zone: &TimeZone,
) -> Vec<Read<'e>> {
    let read = entries.iter().map(|entry| alone(entry, severity, zone));
    let mut all: Vec<Read<'e>> = read.collect();
    all.sort_by(|a, b| {
        let by_time = a.time.cmp(&b.time);
        by_time.then_with(|| a.entry.entry_id.cmp(&b.entry.entry_id))
    });
    for place in 0..all.len() {
        let (before, later) = all.split_at_mut(place + 1);
        let Some(one) = before.last_mut().filter(|one| one.is_open) else {
            continue;
        };
        // The newest of a thing says how it is.
        one.is_open = !later.iter().any(|after| is_settled_by(one, after));
    }
    all
}

fn alone<'e>(entry: &'e Entry, severity: &Severity, zone: &TimeZone) -> Read<'e> {
    let statements = EntryStatements::of(entry);
    let is_open = matches!(statements.outcome(), Outcome::Faulted | Outcome::Open);
    Read {
        subject: Subject::of(entry, &statements),
        grave: severity.of_entry(entry),
        time: entry.timestamp.to_zoned(zone.clone()),
        entry,
        statements,
        is_open,
    }
}

/// Whether a later entry is about the same thing, and says that it works again
/// or how it stands now. That a device works again, and no more, is said of its
/// fault.
fn is_settled_by(one: &Read<'_>, later: &Read<'_>) -> bool {
    let says_how_it_is = later.statements.outcome() != Outcome::Quiet;
    let works_again = || {
        let is_fault = one.statements.outcome() == Outcome::Faulted;
        is_fault && later.statements.only_restores() && one.subject.shares_device(&later.subject)
    };
    says_how_it_is && (one.subject.goes_on_in(&later.subject) || works_again())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn entry(id: &str, hour: u8, device: &str, text: &str) -> Entry {
        let time = format!("2024-01-05T{hour:02}:00:00Z").parse().unwrap();
        let mut entry = Entry::new(id, "log", time, text);
        entry.metadata.insert("device".to_owned(), json!(device));
        entry
    }

    fn open(entries: &[Entry]) -> Vec<String> {
        let read = read(entries, &Severity::default(), &TimeZone::UTC);
        let open = read.iter().filter(|one| one.is_open);
        open.map(|one| one.entry.entry_id.clone()).collect()
    }

    #[test]
    fn a_fault_is_open_until_a_later_entry_says_that_it_works_again() {
        let tripped = entry("E-1", 1, "RF-2", "RF-2 tripped on low flow.");
        let other = entry("E-2", 2, "RF-3", "RF-3 restored.");
        let restored = entry("E-3", 3, "RF-2", "RF-2 restored, flow is good.");
        assert_eq!(open(&[tripped.clone(), other.clone()]), ["E-1"]);
        assert!(open(&[restored, other, tripped]).is_empty());
    }

    #[test]
    fn the_newest_entry_of_a_thing_says_how_it_stands() {
        let first = entry("E-1", 1, "RF-2", "RF-2 tripped, cause is unknown.");
        let later = entry(
            "E-2",
            2,
            "RF-2",
            "RF-2 is off after the trip, awaiting the vendor.",
        );
        assert_eq!(open(&[first, later]), ["E-2"]);
    }

    #[test]
    fn an_open_matter_stays_open_where_another_one_of_its_device_is_settled() {
        let leak = entry("E-1", 1, "P-9", "P-9 oil leak, not yet repaired.");
        let trip = entry("E-2", 2, "P-9", "P-9 tripped. Reset, running again.");
        assert_eq!(open(&[leak, trip]), ["E-1"]);
    }

    #[test]
    fn a_fault_is_closed_by_the_repair_of_its_part() {
        let leak = entry("E-1", 1, "T-1", "T-1 seal leaking.");
        let other = entry("E-2", 2, "T-1", "T-1 filter replaced.");
        assert_eq!(open(&[leak.clone(), other.clone()]), ["E-1"]);
        let repair = entry("E-3", 3, "T-1", "T-1 seal replaced. No leak any more.");
        assert!(open(&[leak, other, repair]).is_empty());
    }
}
