//! What an entry says in words.

use gannet_plugin::prelude::Entry;
use gannet_stages::{cues, heading, holds_any, says_repaired, spaced, split_sentences};

/// Whether the heading reports a fault, and not its repair.
pub(crate) fn reports_fault(entry: &Entry) -> bool {
    let (heading, cues) = (heading(entry), cues());
    let words = spaced(&heading);
    cues.says(&words, &cues.fault) && !holds_any(&words, &cues.retells) && !says_repaired(&heading)
}

/// Whether an entry says that its fault was seen before: "tripped again". A number
/// is mostly that of a device ("pump #2").
pub(crate) fn says_again(entry: &Entry) -> bool {
    let cues = cues();
    let text = entry.raw_text.as_str();
    split_sentences(text).iter().any(|sentence| {
        let words = spaced(&sentence.text);
        cues.says(&words, &cues.fault) && holds_any(&words, &cues.again)
    })
}

/// Whether two entries say the same throughout, word for word: a trip that is
/// logged each time in the same words.
pub(crate) fn says_the_same(one: &Entry, other: &Entry) -> bool {
    spaced(&one.raw_text) == spaced(&other.raw_text)
}

/// Whether the heading has a number above 1, as in "trip #4": it may be a later
/// one.
pub(crate) fn is_numbered(entry: &Entry) -> bool {
    heading(entry).split('#').skip(1).any(|after| {
        let mut parts = after.trim_start().split(|c: char| !c.is_ascii_digit());
        let number = parts.next().and_then(|digits| digits.parse().ok());
        number.is_some_and(|number: u32| number > 1)
    })
}

/// Whether anything in an entry tells of a fault.
pub(crate) fn tells_of_fault(entry: &Entry) -> bool {
    cues().says(&spaced(&entry.raw_text), &cues().fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_was_seen_before_is_said_to_be() {
        let says = |text: &str| says_again(&Entry::new("1", "log", Default::default(), text));
        assert!(says("Trip. It tripped again at 8."));
        for other in ["Pump #2 tripped. It is running again.", "CAV1 tripped."] {
            assert!(!says(other), "{other}");
        }
        let numbered = |text: &str| is_numbered(&Entry::new("1", "log", Default::default(), text));
        assert!(numbered("CAV1 trip #4") && !numbered("Pump #1 tripped. Pump #2 runs."));
    }

    #[test]
    fn entries_say_the_same_where_every_word_is() {
        let same = |one: &str, other: &str| {
            let entry = |text: &str| Entry::new("1", "log", Default::default(), text);
            says_the_same(&entry(one), &entry(other))
        };
        assert!(same("X-5 tripped, reset.", "X-5 tripped, reset"));
        assert!(!same("X-5 tripped, reset.", "X-5 tripped."));
        assert!(!same("X-5 trip #4", "X-5 trip #5"));
    }

    #[test]
    fn the_heading_says_whether_an_entry_reports_a_fault() {
        let entry = |text: &str| Entry::new("1", "log", Default::default(), text);
        assert!(reports_fault(&entry("CAV1 tripped. Switch replaced.")));
        assert!(!reports_fault(&entry(
            "Leaking valve replaced. It had tripped."
        )));
        assert!(!reports_fault(&entry("Flow meter mounted. No trip since.")));
    }
}
