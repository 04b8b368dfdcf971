//! Which of several entries about a fault tell of another occurrence of it, and
//! not of its repair, its cause or what became of it.

use gannet_plugin::prelude::Entry;
use gannet_plugin::query::named_ids;
use jiff::SignedDuration;

use crate::{cues, heading, holds_any, says_cause, says_repaired, spaced, split_sentences};

/// The entries that tell of an occurrence each: the first report of a fault, and
/// later ones, so far apart at least, that are another one. Where the
/// first report is another one itself, the entry before it that tells of the fault
/// in other ways stands for what was before. The entries are in the order of time.
pub fn occurrences<'e>(entries: &[&'e Entry], apart: SignedDuration) -> Vec<&'e Entry> {
    let mut found: Vec<&Entry> = Vec::new();
    let reports = entries.iter().enumerate();
    for (place, &entry) in reports.filter(|(_, entry)| reports_fault(entry)) {
        let before = &entries[..place];
        let is_new = |last: &&Entry| {
            let since_then = entry.timestamp.duration_since(last.timestamp);
            since_then >= apart && is_another(entry, last, before)
        };
        match found.last() {
            Some(last) if !is_new(last) => continue,
            Some(_) => {}
            None => {
                let first = before.iter().copied().find(|one| tells_of_fault(one));
                found.extend(first.filter(is_new));
            }
        }
        found.push(entry);
    }
    found
}

/// Whether a report says that the fault is there again, or the same as an earlier
/// one, or the fault was repaired since the last occurrence, and the report says
/// no cause and refers to none of the entries before it.
fn is_another(report: &Entry, last: &Entry, before: &[&Entry]) -> bool {
    let is_same = |one: &&Entry| reports_fault(one) && says_the_same(one, report);
    if says_again(report) || before.iter().any(is_same) {
        return true;
    }
    let named = named_ids(report);
    let refers = before.iter().any(|one| named.contains(&one.entry_id));
    let mut since = before.iter().filter(|one| one.timestamp >= last.timestamp);
    since.any(|one| says_mended(one)) && !refers && !says_cause(&heading(report))
}

/// Whether the heading reports a fault, and not its repair.
pub fn reports_fault(entry: &Entry) -> bool {
    let (heading, cues) = (heading(entry), cues());
    let words = spaced(&heading);
    cues.says(&words, &cues.fault) && !holds_any(&words, &cues.retells) && !says_repaired(&heading)
}

/// Whether anything in an entry tells of a fault.
pub fn tells_of_fault(entry: &Entry) -> bool {
    cues().says(&spaced(&entry.raw_text), &cues().fault)
}

/// Whether an entry says that its fault was seen before: "tripped again". A number
/// is mostly that of a device ("pump #2").
pub fn says_again(entry: &Entry) -> bool {
    let cues = cues();
    says_in_a_sentence(entry, |text| {
        let words = spaced(text);
        cues.says(&words, &cues.fault) && holds_any(&words, &cues.again)
    })
}

/// Whether an entry says that something was repaired or works again.
fn says_mended(entry: &Entry) -> bool {
    let cues = cues();
    says_in_a_sentence(entry, |text| {
        says_repaired(text) || cues.says(&spaced(text), &cues.restored)
    })
}

fn says_in_a_sentence(entry: &Entry, is_said: impl Fn(&str) -> bool) -> bool {
    let sentences = split_sentences(&entry.raw_text);
    sentences.iter().any(|sentence| is_said(&sentence.text))
}

/// Whether two entries say the same throughout, word for word: a trip that is
/// logged each time in the same words.
fn says_the_same(one: &Entry, other: &Entry) -> bool {
    spaced(&one.raw_text) == spaced(&other.raw_text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(text: &str) -> Entry {
        Entry::new("1", "log", Default::default(), text)
    }

    /// The places of those that tell of an occurrence each, of entries of which
    /// each is of a day.
    fn places(entries: &[(u8, &str)]) -> Vec<usize> {
        let dated = entries.iter().enumerate().map(|(place, (day, text))| {
            let time = format!("2024-01-{day:02}T08:00:00Z").parse().unwrap();
            Entry::new(format!("E-{place}"), "log", time, *text)
        });
        let dated: Vec<Entry> = dated.collect();
        let all: Vec<&Entry> = dated.iter().collect();
        let found = occurrences(&all, SignedDuration::from_hours(24));
        let place = |one: &&Entry| one.entry_id[2..].parse::<usize>().unwrap();
        found.iter().map(place).collect()
    }

    #[test]
    fn a_fault_and_its_repair_are_one_occurrence() {
        let repaired = [
            (1, "S2 ground current alarm."),
            (18, "S2 string dried. It was the cause of the alarm."),
        ];
        assert_eq!(places(&repaired), [0]);
        let followed = [
            (1, "Pump tripped. Switch to be replaced."),
            (9, "Pump trip: the switch is broken."),
        ];
        assert_eq!(places(&followed), [0]);
        assert!(places(&[(1, "Absorber out."), (3, "New absorber in.")]).is_empty());
    }

    #[test]
    fn a_fault_that_is_said_to_be_there_again_is_another_occurrence() {
        let again = [(1, "Seal leaking."), (9, "Seal leaks again.")];
        assert_eq!(places(&again), [0, 1]);
        let on_one_day = [(1, "Seal leaking."), (1, "Seal leaks again.")];
        assert_eq!(places(&on_one_day), [0]);
        // The first one has no report, but its repair.
        let repaired = [
            (1, "Seal replaced. It was leaking."),
            (9, "Seal leaks again."),
        ];
        assert_eq!(places(&repaired), [0, 1]);
    }

    #[test]
    fn a_fault_that_is_reported_after_its_repair_is_another_occurrence() {
        let reports = [
            (1, "Window arc, cavity tripped. Reset."),
            (9, "Cavity tripped on a window arc."),
            (19, "Cavity trip: report of the vendor."),
        ];
        assert_eq!(places(&reports), [0, 1]);
        let follow_up = [
            (1, "Window arc, cavity tripped. Reset."),
            (9, "Trip of E-0, the detector."),
            (19, "Cause of the trip: a dark detector."),
        ];
        assert_eq!(places(&follow_up), [0]);
    }

    #[test]
    fn a_fault_that_was_seen_before_is_said_to_be() {
        assert!(says_again(&entry("Trip. It tripped again at 8.")));
        for other in ["Pump #2 tripped. It is running again.", "CAV1 tripped."] {
            assert!(!says_again(&entry(other)), "{other}");
        }
    }

    #[test]
    fn entries_say_the_same_where_every_word_is() {
        let same = |one: &str, other: &str| says_the_same(&entry(one), &entry(other));
        assert!(same("X-5 tripped, reset.", "X-5 tripped, reset"));
        assert!(!same("X-5 tripped, reset.", "X-5 tripped."));
        assert!(!same("X-5 trip #4", "X-5 trip #5"));
    }

    #[test]
    fn the_heading_says_whether_an_entry_reports_a_fault() {
        assert!(reports_fault(&entry("CAV1 tripped. Switch replaced.")));
        assert!(!reports_fault(&entry(
            "Leaking valve replaced. It had tripped."
        )));
        assert!(!reports_fault(&entry("Flow meter mounted. No trip since.")));
    }
}
