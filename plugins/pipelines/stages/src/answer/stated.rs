//! Whether a sentence states a thing, or only announces, denies or intends it.

/// Words before a phrase that take it back: `not caused by`, `without those
/// caused by`.
const DENIALS: [&str; 5] = ["no", "not", "without", "never", "neither"];
/// Words before a phrase that say it of another time or world: `will be
/// changed`, `could be bypassed`, `to be replaced`.
const INTENTIONS: [&str; 10] = [
    "will", "shall", "should", "may", "might", "can", "could", "would", "must", "be",
];
/// A form of `to be` before a participle says that it happened.
const HAPPENED: [&str; 4] = ["was", "were", "been", "being"];
/// Words before a phrase that are looked at, within one clause.
const WORDS_BEFORE: usize = 3;
/// What follows a noun that tells its thing: `the cause was a worn switch`.
const TELLING: [&str; 6] = ["is", "was", "are", "were", "turned", "seems"];

/// How a text speaks of a phrase, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stated {
    /// Not at all, or to deny it.
    Not,
    /// As what could or will be.
    Intended,
    /// As it is.
    Plainly,
}

/// How a text in lower case speaks of any of the phrases: the most that one
/// of them has.
pub(super) fn stated(text: &str, phrases: &[&str]) -> Stated {
    places_of(text, phrases)
        .map(|(at, _)| manner_before(text.get(..at).unwrap_or_default()))
        .max()
        .unwrap_or(Stated::Not)
}

/// Whether one of the nouns is told and not only named: a verb follows it.
pub(super) fn is_told(text: &str, nouns: &[&str]) -> bool {
    places_of(text, nouns).any(|(_, end)| {
        let after = text.get(end..).unwrap_or_default();
        let next = after.split_whitespace().next().unwrap_or_default();
        TELLING.contains(&next)
    })
}

/// Whether a text holds one of the phrases as whole words.
pub(super) fn contains_phrase(text: &str, phrases: &[&str]) -> bool {
    places_of(text, phrases).next().is_some()
}

/// Where the phrases stand as whole words: first byte, and the one after.
fn places_of<'a>(text: &'a str, phrases: &'a [&str]) -> impl Iterator<Item = (usize, usize)> {
    phrases.iter().flat_map(move |phrase| {
        text.match_indices(phrase).filter_map(move |(at, _)| {
            let end = at + phrase.len();
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            let after = text.get(end..).and_then(|t| t.chars().next());
            let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            (is_edge(before) && is_edge(after)).then_some((at, end))
        })
    })
}

fn manner_before(before: &str) -> Stated {
    let clause = before.rsplit([',', '.', ';', ':', '(']).next();
    let words = clause.unwrap_or_default().split_whitespace().rev();
    for word in words.take(WORDS_BEFORE) {
        if DENIALS.contains(&word) {
            return Stated::Not;
        }
        if HAPPENED.contains(&word) {
            return Stated::Plainly;
        }
        if INTENTIONS.contains(&word) {
            return Stated::Intended;
        }
    }
    Stated::Plainly
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_or_intended_is_not_stated() {
        let of = |text: &str| stated(text, &["replaced", "caused by"]);
        assert_eq!(of("the pump was replaced"), Stated::Plainly);
        assert_eq!(of("pump replaced"), Stated::Plainly);
        assert_eq!(of("the pump was not replaced"), Stated::Not);
        assert_eq!(of("all losses without those caused by dips"), Stated::Not);
        assert_eq!(of("the pump will be replaced"), Stated::Intended);
        assert_eq!(of("the pump is to be replaced"), Stated::Intended);
        assert_eq!(of("asked whether it could be replaced"), Stated::Intended);
        assert_eq!(of("it did not help, so we replaced it"), Stated::Plainly);
        assert_eq!(of("irreplaceable"), Stated::Not);
    }

    #[test]
    fn a_noun_is_told_by_the_verb_after_it() {
        assert!(is_told("the cause was a worn switch", &["cause"]));
        assert!(!is_told("root-cause report of the trips", &["cause"]));
        assert!(!is_told("stop and have the cause found", &["cause"]));
    }
}
