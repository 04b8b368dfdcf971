//! Whom or what a sentence says that something waits for.

use gannet_stages::{cues, phrases_in};

/// Words of a name, at most.
const NAME_WORDS: usize = 6;

/// Whom or what a sentence waits for: the words after a phrase for it, until
/// one at which a name ends, or a mark. Numbers are no names.
pub(crate) fn waits_for(text: &str, spaced: &str) -> Option<String> {
    let place = phrases_in(spaced, &cues().waits_for).min_by_key(|at| at.start)?;
    let words_before = spaced[..place.end].split_whitespace().count();
    let after = after_words(text, words_before);
    // A full stop within a sentence is one of a name: "Dr. Berg".
    let clause = after
        .split([',', ';', ':', '(', ')', '!', '?', '\n'])
        .next()?;
    let is_end = |word: &&str| {
        let word = word.to_lowercase();
        cues().end_of_name.contains(&word)
    };
    let words: Vec<&str> = clause.split_whitespace().take(NAME_WORDS).collect();
    let end = words.iter().position(is_end).unwrap_or(words.len());
    let name = words[..end].join(" ");
    let name = name.trim_end_matches('.').to_owned();
    let is_name = name.chars().next().is_some_and(char::is_alphabetic);
    is_name.then_some(name)
}

/// The text after so many of its words, as [`spaced`](gannet_stages::spaced) counts
/// them.
pub(crate) fn after_words(text: &str, count: usize) -> &str {
    let (mut words, mut is_in_word) = (0, false);
    for (at, character) in text.char_indices() {
        let is_of_word = character.is_alphanumeric();
        if is_in_word && !is_of_word {
            words += 1;
            if words == count {
                return &text[at..];
            }
        }
        is_in_word = is_of_word;
    }
    ""
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_stages::spaced;

    use super::*;

    fn waiting(text: &str) -> Option<String> {
        waits_for(text, &spaced(text))
    }

    #[test]
    fn whom_something_waits_for_is_named_in_the_words_of_the_sentence() {
        let found = waiting("Pump P-2 is off, waiting for the vacuum group to leak check it.");
        assert_eq!(found.unwrap(), "the vacuum group");
        let found = waiting("Awaiting delivery of the new tube, see SKY-12.");
        assert_eq!(found.unwrap(), "delivery of the new tube");
        let found = waiting("RF-2 is off, waiting for Dr. Berg to check it.");
        assert_eq!(found.unwrap(), "Dr. Berg");
        assert_eq!(waiting("Waiting for A. Novak.").unwrap(), "A. Novak");
        assert_eq!(waiting("Wait for 10 minutes."), None);
        assert_eq!(waiting("Nothing to do."), None);
    }
}
