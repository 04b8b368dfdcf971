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
