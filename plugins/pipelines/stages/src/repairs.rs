//! What an entry says of repairs, by words of English, German and French.

use gannet_plugin::prelude::Entry;

use crate::{cues, holds_any, spaced, split_sentences};

/// The title, or else the first sentence.
pub fn heading(entry: &Entry) -> String {
    let text = entry.raw_text.as_str();
    match entry.title() {
        Some(title) => title.to_owned(),
        None => {
            let first = split_sentences(text).into_iter().next();
            first.map_or_else(String::new, |one| text[one.range].to_owned())
        }
    }
}

/// The heading, where it says that something was repaired.
pub fn repaired_heading(entry: &Entry) -> Option<String> {
    Some(heading(entry)).filter(|heading| says_repaired(heading))
}

/// Whether a sentence says that something was repaired, and not that it is to be.
pub fn says_repaired(sentence: &str) -> bool {
    let (words, cues) = (spaced(sentence), cues());
    // A denial counts anywhere: "will be inspected on Monday and repaired".
    let is_denied = || holds_any(&words, &cues.denies) || holds_any(&words, &cues.not_repaired);
    holds_any(&words, &cues.repaired) && !is_denied() && !cues.says_open(&words)
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
}
