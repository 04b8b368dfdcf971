//! How entries write the words of a topic: `trips`, `trip` and `tripped` are one
//! topic, in the form that most of the entries that are found for it have.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use gannet_analysis::{TermBeginning, TextTerms};
use gannet_api::Entry;

/// Bytes of an entry that are read.
const BYTES_READ: usize = 4_000;
/// Endings of the forms of a word. Other words of the same stem have others:
/// `operator` is no form of `operation`.
const ENDINGS: [&str; 12] = [
    "", "s", "es", "'s", "d", "ed", "ing", "e", "y", "ies", "ied", "ying",
];

/// The topic with each word in the form that most of the entries have; a word
/// that none of them has, and one of several terms, as it is.
pub(crate) fn usual_forms(topic: &[String], entries: &[Entry]) -> Vec<String> {
    let mut analyser = TextTerms::default();
    let mut words: Vec<TopicWord> = topic
        .iter()
        .map(|word| TopicWord::of(word, &mut analyser))
        .collect();
    for entry in entries {
        let text = &entry.raw_text[..entry.raw_text.floor_char_boundary(BYTES_READ)];
        let written = text.split(|c: char| !c.is_alphanumeric());
        let written: BTreeSet<String> = written.map(str::to_lowercase).collect();
        for form in &written {
            for word in &mut words {
                word.count(form, &mut analyser);
            }
        }
    }
    words.into_iter().map(TopicWord::usual).collect()
}

/// A word of a topic.
struct TopicWord {
    word: String,
    lower: String,
    /// `None` for a word of several terms.
    term: Option<String>,
    /// The entries that have each form.
    counts: BTreeMap<String, usize>,
}

impl TopicWord {
    fn of(word: &str, analyser: &mut TextTerms) -> Self {
        let mut terms = analyser.of(word);
        Self {
            word: word.to_owned(),
            lower: word.to_lowercase(),
            term: terms.pop().filter(|_| terms.is_empty()),
            counts: BTreeMap::new(),
        }
    }

    /// Counts a word of an entry, in lower case, where it is a form of this one.
    fn count(&mut self, form: &str, analyser: &mut TextTerms) {
        let Some(term) = &self.term else { return };
        if let Some(count) = self.counts.get_mut(form) {
            *count += 1;
            return;
        }
        let begins_alike = TermBeginning::of(term).may_begin(form);
        if !(begins_alike && are_forms(form, &self.lower)) {
            return;
        }
        if analyser.of(form) == [term.as_str()] {
            self.counts.insert(form.to_owned(), 1);
        }
    }

    fn usual(self) -> String {
        let Self {
            word,
            lower,
            counts,
            ..
        } = self;
        let most = counts
            .into_iter()
            .max_by_key(|(form, count)| (*count, Reverse(form.len()), Reverse(form.clone())));
        match most {
            Some((form, _)) if form != lower => form,
            _ => word,
        }
    }
}

/// Whether two words are forms of one but for their endings, with the last letter
/// before an ending once or twice: `trip` and `tripped`.
fn are_forms(one: &str, other: &str) -> bool {
    let common: usize = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let (before, rest) = one.split_at(common);
    let last = before.chars().next_back();
    let is_ending = |rest: &str| {
        let once = last.and_then(|last| rest.strip_prefix(last));
        ENDINGS.contains(&rest) || once.is_some_and(|rest| ENDINGS.contains(&rest))
    };
    is_ending(rest) && is_ending(&other[common..])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn usual(topic: &[&str], texts: &[&str]) -> String {
        let topic: Vec<String> = topic.iter().map(|word| (*word).to_owned()).collect();
        let time = "2024-03-15T10:30:00Z".parse().unwrap();
        let entries = texts.iter().map(|text| Entry::new("1", "log", time, *text));
        usual_forms(&topic, &entries.collect::<Vec<_>>()).join(" ")
    }

    #[test]
    fn forms_of_a_word_are_the_one_that_most_entries_have() {
        let texts = [
            "Pump tripped on low flow, tripped again.",
            "The pump TRIPPED.",
            "Trip of the pump; batteries were replaced.",
        ];
        for word in ["trip", "trips", "tripped", "tripping"] {
            assert_eq!(usual(&["pumps", word], &texts), "pump tripped");
        }
        assert_eq!(usual(&["battery"], &texts), "batteries");
        assert_eq!(usual(&["Pump", "quench"], &texts), "Pump quench");
    }

    #[test]
    fn other_words_of_a_stem_are_no_forms() {
        let texts = ["Operations went on.", "Operation of CAV-1."];
        assert_eq!(usual(&["operators"], &texts), "operators");
        assert_eq!(usual(&["CAV-1"], &texts), "CAV-1");
    }
}
