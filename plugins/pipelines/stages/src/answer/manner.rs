//! How a sentence speaks: whether it instructs, and whether it can stand
//! without those around it.

use gannet_plugin::query::is_stop_word;

/// Words with which an instruction opens.
const INSTRUCTING: [&str; 27] = [
    "please", "check", "read", "save", "put", "set", "keep", "wait", "call", "use", "ask", "make",
    "ensure", "verify", "remember", "note", "see", "open", "close", "start", "stop", "press",
    "always", "never", "look", "try", "consider",
];
/// Words with which the title of an instruction opens.
const TITLES_OF_INSTRUCTIONS: [&str; 8] = [
    "guide",
    "how",
    "howto",
    "procedure",
    "instructions",
    "checklist",
    "reminder",
    "recipe",
];
/// Phrases with which a sentence opens that only speaks of another.
const LEANING: [&str; 12] = [
    "same as",
    "same here",
    "as above",
    "see above",
    "see also",
    "ditto",
    "again",
    "of its kind",
    "of the kind",
    "as before",
    "as usual",
    "to be continued",
];
/// Words of its own that a sentence needs to stand alone.
const WORDS_TO_STAND: usize = 4;

/// Whether a sentence tells the reader what to do, or asks.
pub(super) fn is_instruction(text: &str, words: &[String]) -> bool {
    if text.ends_with('?') {
        return true;
    }
    let without_number = words
        .iter()
        .skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let opening: Vec<&str> = without_number.take(2).map(String::as_str).collect();
    match opening.as_slice() {
        // `If it trips again: wait` tells of no trip.
        ["do" | "don't" | "if", ..] => true,
        [first, second] => {
            // `Check valve 3 leaks` and `Set point at 5 V` report; an article or
            // the like after the verb makes it an instruction.
            INSTRUCTING.contains(first) && (is_stop_word(second) || *first == "please")
        }
        _ => false,
    }
}

/// Whether a title is that of an instruction: what stands below it tells what
/// to do, not what happened.
pub(super) fn is_title_of_instruction(words: &[String]) -> bool {
    let opening = words.first().map(String::as_str).unwrap_or_default();
    TITLES_OF_INSTRUCTIONS.contains(&opening)
}

/// Whether a sentence says too little by itself: it has few words of its own,
/// or only points to another.
pub(super) fn leans_on_others(words: &[String]) -> bool {
    let own = words.iter().filter(|word| {
        word.len() > 1 && !is_stop_word(word) && word.contains(|c: char| c.is_alphabetic())
    });
    if own.count() < WORDS_TO_STAND {
        return true;
    }
    let joined = words
        .iter()
        .take(6)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(" ");
    words.len() <= 8 && LEANING.iter().any(|phrase| joined.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::words;

    #[test]
    fn instructions_are_told_from_reports() {
        let instructs = |text: &str| is_instruction(text, &words(text));
        assert!(instructs("1. Do not reset anything for the first minute."));
        assert!(instructs("Please put it next to the console."));
        assert!(instructs("Check the valve first."));
        assert!(instructs("If the flow is low, wait a minute."));
        assert!(is_title_of_instruction(&words("Guide: after a trip")));
        assert!(!instructs("Check valve 3 leaks."));
        assert!(!instructs("The trip was caused by a loose cable."));
    }

    #[test]
    fn a_sentence_of_few_words_leans_on_others() {
        assert!(leans_on_others(&words("Third of its kind.")));
        assert!(leans_on_others(&words("Same as before.")));
        assert!(!leans_on_others(&words(
            "Remedy: flow meter fitted on 15 April."
        )));
    }
}
