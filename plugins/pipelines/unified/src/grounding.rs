//! Grounding: how much of an answer its citations support.

use std::collections::HashSet;

use gannet_plugin::prelude::Entry;
use gannet_plugin::query::is_stop_word;
use gannet_stages::{CitationStyle, sentences, stem, words};
use serde::Serialize;

/// The share of a sentence's words that the entries it cites must hold. A
/// model says things in its own words, so that it is less than half.
const HELD_AT_LEAST: f64 = 0.3;

/// How much of an answer is supported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Grounding {
    /// The share of its sentences that is supported, 0 to 1.
    pub(crate) grounding_score: f64,
    pub(crate) sentences: usize,
    pub(crate) supported: usize,
}

/// An entry that an answer may cite.
pub(crate) struct Citable {
    pub(crate) mark: String,
    /// Its text, with its author and the day on which it was written: an
    /// answer may say these too.
    pub(crate) text: String,
}

/// What an answer may cite of the entries that were given, in their order.
pub(crate) fn citable(given: &[Entry], style: CitationStyle, timezone: &str) -> Vec<Citable> {
    let ids: Vec<String> = given.iter().map(|entry| entry.entry_id.clone()).collect();
    let each = given.iter().map(|entry| {
        let day = entry
            .timestamp
            .in_tz(timezone)
            .map(|day| day.date().to_string());
        let title = entry.title().unwrap_or_default();
        let day = day.unwrap_or_default();
        Citable {
            mark: style.mark(&entry.entry_id, &ids),
            text: [title, &entry.raw_text, &entry.author, &day].join("\n"),
        }
    });
    each.collect()
}

/// The share of the sentences of an answer that a citation supports: one that
/// cites an entry which holds enough of its words, and all of its numbers.
pub(crate) fn grounding(answer: &str, given: &[Citable]) -> Grounding {
    let sentences = with_their_marks(answer);
    let supported = sentences
        .iter()
        .filter(|one| is_supported(one, given))
        .count();
    let score = match sentences.len() {
        0 => 0.0,
        all => supported as f64 / all as f64,
    };
    Grounding {
        grounding_score: score,
        sentences: sentences.len(),
        supported,
    }
}

/// The sentences, each with the marks that follow its end.
fn with_their_marks(answer: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for mut sentence in sentences(answer) {
        while let Some((mark, rest)) = leading_mark(&sentence) {
            if let Some(before) = all.last_mut() {
                before.push_str(mark);
            }
            sentence = rest.trim_start_matches(['.', ' ']).to_owned();
        }
        if sentence.chars().any(char::is_alphanumeric) {
            all.push(sentence);
        }
    }
    all
}

fn leading_mark(sentence: &str) -> Option<(&str, &str)> {
    let is_mark = sentence.starts_with('[');
    let end = sentence.find(']').filter(|_| is_mark)?;
    Some(sentence.split_at(end + 1))
}

fn is_supported(sentence: &str, given: &[Citable]) -> bool {
    let cited: Vec<&Citable> = given
        .iter()
        .filter(|one| !one.mark.is_empty() && sentence.contains(&one.mark))
        .collect();
    if cited.is_empty() {
        return false;
    }
    let mut said = sentence.to_owned();
    let mut held: HashSet<String> = HashSet::new();
    for one in cited {
        said = said.replace(&one.mark, " ");
        held.extend(words(&one.text).iter().map(|word| stem(word)));
    }
    let said: Vec<String> = words(&said);
    let content: Vec<&String> = said.iter().filter(|word| !is_stop_word(word)).collect();
    let is_number = |word: &&&String| word.chars().all(|c| c.is_ascii_digit());
    if content
        .iter()
        .filter(is_number)
        .any(|word| !held.contains(word.as_str()))
    {
        return false;
    }
    let found = content
        .iter()
        .filter(|word| held.contains(&stem(word)))
        .count();
    content.is_empty() || found as f64 >= HELD_AT_LEAST * content.len() as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = "The trip of CAV1 was caused by a worn circulator at 35 kW.";

    fn score(answer: &str) -> (usize, usize) {
        let time = "2025-03-01T08:00:00Z".parse().unwrap();
        let entry = Entry::new("E2", "log", time, TEXT);
        let given = citable(&[entry], CitationStyle::EntryId, "UTC");
        let found = grounding(answer, &given);
        (found.supported, found.sentences)
    }

    #[test]
    fn a_sentence_is_supported_by_what_it_cites() {
        assert_eq!(score("A worn circulator caused the trip [#E2]."), (1, 1));
        assert_eq!(score("A worn circulator caused the trip. [#E2]"), (1, 1));
        assert_eq!(
            score("A worn circulator caused it [#E2]. It was sunny."),
            (1, 2)
        );
        assert_eq!(
            score("The cryoplant warmed up during the night [#E2]."),
            (0, 1)
        );
        assert_eq!(score("The circulator failed at 90 kW [#E2]."), (0, 1));
        assert_eq!(score("On 2025-03-01: A worn circulator. [#E2]"), (1, 1));
        assert_eq!(score(""), (0, 0));
    }
}
