//! What an entry says in words.

use gannet_plugin::prelude::Entry;
use gannet_stages::{cues, holds_any, spaced, split_sentences};

/// The title, or else the first sentence.
fn heading(entry: &Entry) -> String {
    let text = entry.raw_text.as_str();
    match entry.title() {
        Some(title) => title.to_owned(),
        None => {
            let first = split_sentences(text).into_iter().next();
            first.map_or_else(String::new, |one| text[one.range].to_owned())
        }
    }
}

/// Whether the heading reports a fault, and not its repair.
pub(crate) fn reports_fault(entry: &Entry) -> bool {
    let (heading, cues) = (heading(entry), cues());
    let words = spaced(&heading);
    cues.says(&words, &cues.fault) && !holds_any(&words, &cues.retells) && !says_repaired(&heading)
}

/// Whether an entry says that its fault was seen before: "tripped again",
/// "trip #4".
pub(crate) fn says_again(entry: &Entry) -> bool {
    let cues = cues();
    let text = entry.raw_text.as_str();
    let is_numbered = heading(entry).split('#').skip(1).any(|after| {
        let digits = after
            .trim_start()
            .split(|c: char| !c.is_ascii_digit())
            .next();
        digits
            .and_then(|number| number.parse().ok())
            .is_some_and(|number: u32| number > 1)
    });
    is_numbered
        || split_sentences(text).iter().any(|sentence| {
            let words = spaced(&sentence.text);
            cues.says(&words, &cues.fault) && holds_any(&words, &cues.again)
        })
}

/// Whether anything in an entry tells of a fault.
pub(crate) fn tells_of_fault(entry: &Entry) -> bool {
    cues().says(&spaced(&entry.raw_text), &cues().fault)
}

/// The heading, where it says that something was repaired.
pub(crate) fn repaired_heading(entry: &Entry) -> Option<String> {
    Some(heading(entry)).filter(|heading| says_repaired(heading))
}

/// Whether a sentence says that something was repaired, and not that it is to be.
pub(crate) fn says_repaired(sentence: &str) -> bool {
    let (words, cues) = (spaced(sentence), cues());
    // A denial counts anywhere: "will be inspected on Monday and repaired".
    let is_denied = holds_any(&words, &cues.denies) || holds_any(&words, &cues.not_repaired);
    holds_any(&words, &cues.repaired) && !is_denied && !cues.says_open(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_is_one_that_was_done() {
        assert!(says_repaired("Circulator 1 flow switch replaced"));
        assert!(says_repaired("Das Ventil wurde getauscht."));
        for other in [
            "Next: wait for new switch.",
            "The switch will be replaced on Monday.",
            "Not yet repaired.",
            "The line is being repaired.",
            "The sirens will be visited on Monday and repaired.",
            "Compensation with a fixed value.",
        ] {
            assert!(!says_repaired(other), "{other}");
        }
    }

    #[test]
    fn a_fault_that_was_seen_before_is_said_to_be() {
        let says = |text: &str| says_again(&Entry::new("1", "log", Default::default(), text));
        assert!(says("CAV1 trip #4") && says("Trip. It tripped again at 8."));
        assert!(!says("Pump #1 tripped. It is running again.") && !says("CAV1 tripped."));
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
