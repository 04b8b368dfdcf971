//! English words by which a kind of question, and a statement that answers
//! it, are known. `*` at the end stands for any ending.
//!
//! They were chosen on questions over two collections of reports and over
//! encyclopedic prose, all words of a list together; `docs/quality.md` has the
//! figures of the answers.

/// Words that say that something happened or was written down, not what.
const EMPTY_WORDS: [&str; 49] = [
    "anything",
    "called",
    "case",
    "come",
    "date",
    "day",
    "declare",
    "declared",
    "entries",
    "entry",
    "event",
    "events",
    "final",
    "first",
    "found",
    "go",
    "going",
    "gone",
    "happen",
    "happened",
    "kind",
    "last",
    "latest",
    "list",
    "many",
    "matter",
    "much",
    "occur",
    "occurred",
    "percentage",
    "place",
    "recent",
    "recently",
    "report",
    "reported",
    "reports",
    "show",
    "something",
    "sort",
    "tell",
    "thing",
    "things",
    "time",
    "times",
    "trouble",
    "type",
    "went",
    "wrong",
    "year",
];

/// Words that say what is asked about a subject, not what the subject is.
const ASKING_WORDS: [&str; 12] = [
    "cause", "caused", "causes", "reason", "fix", "fixed", "fixes", "repair", "repaired", "solve",
    "solved", "resolved",
];

/// Words of a question for a duration.
pub(super) const ASKS_DURATION: [&str; 1] = ["how long"];
/// Words of a question for a number of things, which are named after them.
pub(super) const ASKS_HOW_MANY: [&str; 3] = ["how many", "how much", "number of"];
/// Words of a question for a number.
pub(super) const ASKS_NUMBER: [&str; 18] = [
    "how many",
    "how much",
    "how far",
    "how big",
    "how fast",
    "how long",
    "how strong",
    "how large",
    "how high",
    "how tall",
    "how old",
    "how deep",
    "how often",
    "number of",
    "magnitude",
    "what percent*",
    "peak",
    "level",
];
/// Words of a question for a person or an organisation.
pub(super) const ASKS_NAME: [&str; 4] = ["who", "whose", "whom", "name of"];
/// Words of a question for a place.
pub(super) const ASKS_PLACE: [&str; 5] = [
    "where",
    "what city",
    "which city",
    "what country",
    "which country",
];

/// Words of a sentence that states a cause.
pub(super) const STATES_CAUSE: [&str; 20] = [
    "caus*",
    "because",
    "due to",
    "result of",
    "resulted from",
    "resulting from",
    "as a result",
    "attribut*",
    "root cause",
    "led to",
    "traced to",
    "malfunction*",
    "fault*",
    "failed",
    "failure",
    "broken",
    "damag*",
    "was found",
    "were found",
    "determined",
];
/// Words that often stand beside a cause.
pub(super) const MAY_STATE_CAUSE: [&str; 7] =
    ["since", "when", "after", "following", "from", "found", "by"];
/// Words of a sentence that states a repair or an outcome.
pub(super) const STATES_FIX: [&str; 20] = [
    "repair*",
    "replac*",
    "restor*",
    "correct*",
    "reset",
    "install*",
    "revis*",
    "adjust*",
    "fix*",
    "swap*",
    "plugged",
    "patch*",
    "exchang*",
    "solved",
    "purchas*",
    "cleaned",
    "modif*",
    "mitigat*",
    "terminated",
    "exited",
];
/// Words that often stand beside a repair.
pub(super) const MAY_STATE_FIX: [&str; 6] =
    ["sent", "used", "using", "return*", "clean*", "chang*"];
/// Words of a sentence that denies, retracts or settles something.
pub(super) const STATES_OUTCOME: [&str; 17] = [
    "no",
    "not",
    "never",
    "without",
    "false",
    "retract*",
    "in error",
    "erroneous*",
    "determined",
    "confirmed",
    "invalid",
    "cleared",
    "negative",
    "rescind*",
    "actually",
    "cannot",
    "none",
];
/// Words of a sentence that takes back what was reported before.
pub(super) const REVISES: [&str; 8] = [
    "retract*",
    "in error",
    "erroneous*",
    "false alarm",
    "rescind*",
    "was not actually",
    "is retracting",
    "invalid",
];
/// Words with which a sentence refers to the one before it.
pub(super) const REFERS_BACK: [&str; 13] = [
    "it", "he", "she", "they", "his", "her", "its", "their", "this", "that", "these", "those",
    "such",
];
/// Numbers as words.
pub(super) const NUMBER_WORDS: [&str; 20] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "twenty", "thirty", "dozen", "hundred",
    "thousand",
];
/// Units of durations, as words begin.
pub(super) const UNITS_OF_TIME: [&str; 9] = [
    "second", "sec", "minute", "min", "hour", "hr", "day", "week", "month",
];
/// Other units, as words begin.
pub(super) const UNITS: [&str; 31] = [
    "year", "inch", "feet", "foot", "ft", "mile", "km", "meter", "metre", "cm", "mm", "gallon",
    "gal", "liter", "litre", "ounce", "oz", "pound", "lb", "kg", "psi", "bar", "mbar", "percent",
    "degree", "mph", "kv", "mw", "ppm", "pci", "gpm",
];
/// Words of a date.
pub(super) const DATE_WORDS: [&str; 20] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "century",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// What is counted when entries are counted: "how many times".
const COUNTED_ENTRIES: [&str; 8] = [
    "how many times",
    "how many entries",
    "how many reports",
    "how many events",
    "how many cases",
    "how many incidents",
    "how many occurrences",
    "how often",
];

/// Whether a word of a question, in lower case, names nothing to look for.
pub fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&word)
}

/// Whether a word of a question, in lower case, names no subject: one that
/// names nothing, or that asks for a cause or a repair.
pub fn is_asking_word(word: &str) -> bool {
    is_empty_word(word) || ASKING_WORDS.contains(&word)
}

/// Whether a question with "how many" asks for a number of entries.
pub(super) fn counts_events(question: &str) -> bool {
    holds_any(&spaced(question), &COUNTED_ENTRIES)
}

/// A text in lower case with one space between its words and at both ends, as
/// [`holds_any`] takes it.
pub(super) fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 2);
    spaced.push(' ');
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            spaced.extend(word.chars().flat_map(char::to_lowercase));
            spaced.push(' ');
        }
    }
    spaced
}

/// Whether a [`spaced`] text holds one of the phrases.
pub(super) fn holds_any(spaced: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| match phrase.strip_suffix('*') {
        Some(beginning) => holds(spaced, beginning, false),
        None => holds(spaced, phrase, true),
    })
}

fn holds(spaced: &str, phrase: &str, whole: bool) -> bool {
    spaced.match_indices(phrase).any(|(at, _)| {
        let ends_with_word = spaced[at + phrase.len()..].starts_with(' ');
        spaced[..at].ends_with(' ') && (ends_with_word || !whole)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words_unless_their_ending_is_open() {
        let text = spaced("The trip was caused (again) by a fault.");
        assert_eq!(text, " the trip was caused again by a fault ");
        assert!(holds_any(&text, &["caus*"]) && holds_any(&text, &["a fault"]));
        assert!(!holds_any(&text, &["caus"]) && !holds_any(&text, &["rip"]));
    }

    #[test]
    fn entries_are_counted_only_when_nothing_else_is() {
        assert!(counts_events("How many times did the pump trip?"));
        assert!(!counts_events("How many gallons were lost?"));
    }
}
