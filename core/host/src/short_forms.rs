//! What entries write short in place of a topic: the letters that some of them
//! have in parentheses behind its words, as in "unexploded ordnance (UXO)".

use std::collections::HashMap;

use gannet_analysis::TextTerms;
use gannet_api::Entry;
use gannet_api::query::is_stop_word;

/// Letters of a short form.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=6;
/// Bytes of an entry that are read for one.
const BYTES_READ: usize = 20_000;
/// Bytes before a parenthesis in which the words of the topic stand.
const BYTES_BEFORE: usize = 120;

/// The short form that most of the entries have for a topic of several words.
pub(crate) fn short_form(topic: &[String], entries: &[Entry]) -> Option<String> {
    let mut analyser = TextTerms::default();
    let asked: Vec<String> = topic.iter().flat_map(|word| analyser.of(word)).collect();
    if asked.len() < 2 {
        return None;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        let text = &entry.raw_text[..entry.raw_text.floor_char_boundary(BYTES_READ)];
        for (at, _) in text.match_indices('(') {
            let Some(short) = letters_at(&text[at + 1..]) else {
                continue;
            };
            let before = &text[text.floor_char_boundary(at.saturating_sub(BYTES_BEFORE))..at];
            if stands_for(short, topic) && ends_with(before, &asked, &mut analyser) {
                *counts.entry(short).or_default() += 1;
            }
        }
    }
    let most = counts
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
    most.map(|(short, _)| short.to_owned())
}

/// The capitals up to a closing parenthesis.
fn letters_at(text: &str) -> Option<&str> {
    let inside = text.split(')').next()?;
    let are_capitals = inside.chars().all(char::is_uppercase);
    (are_capitals && LETTERS.contains(&inside.chars().count())).then_some(inside)
}

/// Whether the letters stand in this order in the words, the first one at their
/// beginning.
fn stands_for(short: &str, topic: &[String]) -> bool {
    let words = topic.concat().to_lowercase();
    let mut left = words.chars();
    let short = short.to_lowercase();
    words.chars().next() == short.chars().next()
        && short
            .chars()
            .all(|letter| left.any(|other| other == letter))
}

/// Whether a text ends with these terms, with stop words between them or none.
fn ends_with(text: &str, terms: &[String], analyser: &mut TextTerms) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && !is_stop_word(word));
    let found: Vec<String> = words.flat_map(|word| analyser.of(word)).collect();
    found.ends_with(terms)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn found(topic: &[&str], texts: &[&str]) -> Option<String> {
        let topic: Vec<String> = topic.iter().map(|word| (*word).to_owned()).collect();
        let time = "2024-03-15T10:30:00Z".parse().unwrap();
        let entries = texts.iter().map(|text| Entry::new("1", "log", time, *text));
        short_form(&topic, &entries.collect::<Vec<_>>())
    }

    #[test]
    fn the_letters_behind_the_words_are_their_short_form() {
        let texts = [
            "We found unexploded ordnance (UXO) on the hill.",
            "Losses of the offsite power (LOOP), and power (AC).",
        ];
        let short = |topic| found(topic, &texts);
        assert_eq!(short(&["unexploded", "ordnance"]).unwrap(), "UXO");
        assert_eq!(short(&["loss", "offsite", "power"]).unwrap(), "LOOP");
        for other in [&["ordnance"][..], &["hill", "power"], &["offsite", "power"]] {
            assert_eq!(short(other), None, "{other:?}");
        }
    }

    #[test]
    fn of_several_short_forms_most_entries_decide() {
        let texts = [
            "air handling unit (AHU)",
            "Air handling units (AHU)",
            "air handling unit (AU)",
        ];
        assert_eq!(found(&["air", "handling", "unit"], &texts).unwrap(), "AHU");
        assert_eq!(
            found(&["air", "handling", "unit"], &["air handling unit (new)"]),
            None
        );
    }
}
