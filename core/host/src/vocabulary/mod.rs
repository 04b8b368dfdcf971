//! The facility's vocabulary: what operators write short, and the words that
//! entries have in its place. A question is searched with both.
//!
//! A form always finds its canonical words; canonical words find their forms
//! where the configuration says so for the kind. The longest words that match
//! count, from left to right, and each word counts once.

mod load;
mod query;

use std::collections::{BTreeMap, HashMap};

use gannet_api::Error;

pub use load::{VocabularyError, read_vocabulary};

use crate::config::{Config, VocabularyConfig};

/// The vocabulary of a configuration; an empty one where it is off.
///
/// # Errors
/// [`Error::Configuration`] for a file that cannot be used.
pub(crate) fn vocabulary(config: &Config) -> Result<Vocabulary, Error> {
    let config = &config.vocabulary;
    if !config.enabled {
        return Ok(Vocabulary::default());
    }
    let wrong = |message: String| Error::configuration("vocabulary.path", message);
    let Some(path) = &config.path else {
        return Err(wrong("set the file of the vocabulary".to_owned()));
    };
    let (concepts, warnings) = read_vocabulary(path).map_err(|error| wrong(error.to_string()))?;
    for warning in warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    Ok(Vocabulary::of(&concepts, config))
}

/// What kind of short form a concept has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConceptKind {
    /// The initials of its words: `BPM`.
    Acronym,
    /// Another way to write it: `t/s`.
    Shorthand,
}

/// Words that mean the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concept {
    /// The words that entries have.
    pub canonical: String,
    /// What its forms are.
    pub kind: ConceptKind,
    /// What is written in their place.
    pub forms: Vec<String>,
}

/// The concepts of a facility, by the words that a question may have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The other words for words, all normalized.
    by_words: HashMap<String, Vec<String>>,
    /// Words of the longest of them.
    longest: usize,
    /// Whose searches are expanded; all when empty.
    modes: Vec<String>,
}

/// Words of a question, and others for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The words, normalized.
    pub original: String,
    /// The other words.
    pub alternatives: Vec<String>,
}

/// Words of a text that the vocabulary has others for.
struct Found<'v> {
    /// The place of the first word, and the place after the last.
    start: usize,
    end: usize,
    original: String,
    alternatives: &'v [String],
}

impl Vocabulary {
    /// The vocabulary of these concepts.
    pub fn of(concepts: &[Concept], config: &VocabularyConfig) -> Self {
        let mut by_words: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut add = |words: &str, other: &str| {
            let others = by_words.entry(words.to_owned()).or_default();
            if !others.iter().any(|known| known == other) {
                others.push(other.to_owned());
            }
        };
        for concept in concepts {
            let canonical = normalized(&concept.canonical);
            let is_reversed = match concept.kind {
                ConceptKind::Acronym => config.canonical_to_acronym,
                ConceptKind::Shorthand => config.canonical_to_shorthand,
            };
            for form in concept.forms.iter().map(|form| normalized(form)) {
                add(&form, &canonical);
                if is_reversed {
                    add(&canonical, &form);
                }
            }
        }
        let words = by_words.keys().map(|words| words.split(' ').count());
        Self {
            longest: words.max().unwrap_or(0),
            modes: config.expand_modes.clone(),
            by_words: by_words.into_iter().collect(),
        }
    }

    /// Whether the searches of a module or pipeline are expanded.
    pub(crate) fn expands(&self, mode: &str) -> bool {
        let is_named = self.modes.is_empty() || self.modes.iter().any(|one| one == mode);
        is_named && !self.by_words.is_empty()
    }

    /// The words of a text that there are others for, in order.
    pub fn groups(&self, text: &str) -> Vec<Group> {
        let words = words_of(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let found = self.found(&words).into_iter();
        found
            .map(|found| Group {
                original: found.original,
                alternatives: found.alternatives.to_vec(),
            })
            .collect()
    }

    /// The text with the other words after it, those that it does not have,
    /// each once.
    pub fn flattened(&self, text: &str) -> String {
        let mut flat = text.to_owned();
        let mut known = format!(" {} ", words_of(text).join(" "));
        for word in self
            .groups(text)
            .into_iter()
            .flat_map(|one| one.alternatives)
        {
            if !known.contains(&format!(" {word} ")) {
                flat.push(' ');
                flat.push_str(&word);
                known.push_str(&word);
                known.push(' ');
            }
        }
        flat
    }

    fn found(&self, words: &[&str]) -> Vec<Found<'_>> {
        let mut found = Vec::new();
        let mut start = 0;
        while start < words.len() {
            let longest = self.longest.min(words.len() - start);
            let at = (1..=longest).rev().find_map(|length| {
                let original = words[start..start + length].join(" ");
                let alternatives = self.by_words.get(&original)?;
                Some(Found {
                    start,
                    end: start + length,
                    original,
                    alternatives,
                })
            });
            start = at.as_ref().map_or(start + 1, |at| at.end);
            found.extend(at);
        }
        found
    }
}

/// In lower case, with spaces for hyphens, and single spaces.
fn normalized(text: &str) -> String {
    let text = text.to_lowercase().replace('-', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The normalized words of a text, without the punctuation of sentences.
fn words_of(text: &str) -> Vec<String> {
    let text = normalized(text);
    let words = text.split(' ');
    let words = words.map(|word| word.trim_matches(['.', ',', ';', '?', '!', '(', ')', '"']));
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_test_cases::{cases, strings};
    use serde_json::Value;

    use super::load::concepts_of;
    use super::*;

    #[test]
    fn words_are_normalized_as_ariels() {
        for case in cases("ariel.jsonl", "vocab_normalize") {
            let text = case["input"].as_str().unwrap();
            assert_eq!(case["expected"], normalized(text), "{case}");
        }
    }

    #[test]
    fn questions_are_expanded_as_ariels() {
        for case in cases("ariel.jsonl", "expand_query") {
            let (input, expected) = (&case["input"], &case["expected"]);
            let (concepts, _) = concepts_of(&input["vocabulary"]).unwrap();
            let flag = |key: &str| input[key].as_bool().unwrap();
            let config = VocabularyConfig {
                canonical_to_acronym: flag("canonical_to_acronym"),
                canonical_to_shorthand: flag("canonical_to_shorthand"),
                ..VocabularyConfig::default()
            };
            let vocabulary = Vocabulary::of(&concepts, &config);
            let text = input["text"].as_str().unwrap();
            let groups: Vec<(Value, Vec<String>)> = vocabulary
                .groups(text)
                .into_iter()
                .map(|group| (Value::from(group.original), group.alternatives))
                .collect();
            let theirs = expected["groups"].as_array().unwrap().iter();
            let theirs: Vec<(Value, Vec<String>)> = theirs
                .map(|group| (group["original"].clone(), strings(&group["alternatives"])))
                .collect();
            assert_eq!(groups, theirs, "{case}");
            assert_eq!(
                expected["flattened_text"],
                vocabulary.flattened(text),
                "{case}"
            );
        }
    }
}
