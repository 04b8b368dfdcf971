//! Phrases that are looked up at a place of a text.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};

use super::words::Word;

/// Phrases by their first word, each with a value.
#[derive(Debug, Clone)]
pub(super) struct Phrases<T>(HashMap<String, Vec<(Vec<String>, T)>>);

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

/// Phrases without a value are a list.
impl<'de> Deserialize<'de> for Phrases<()> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let phrases = Vec::<String>::deserialize(from)?;
        Ok(Self::of(phrases.iter().map(|phrase| (phrase.as_str(), ()))))
    }
}

impl<T: Clone> Phrases<T> {
    /// Phrases with their values; words are separated by blanks.
    pub(super) fn of<'p>(phrases: impl IntoIterator<Item = (&'p str, T)>) -> Self {
        let mut all = Self::default();
        for (phrase, value) in phrases {
            let mut words = phrase.split_whitespace().map(str::to_owned);
            if let Some(first) = words.next() {
                let rest: Vec<String> = words.collect();
                all.0.entry(first).or_default().push((rest, value));
            }
        }
        for beginnings in all.0.values_mut() {
            // The longest phrase is looked for first.
            beginnings.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        all
    }

    /// The longest phrase that begins with this word, and the place after it.
    pub(super) fn at(&self, words: &[Word<'_>], place: usize) -> Option<(T, usize)> {
        let candidates = self.0.get(&words.get(place)?.folded)?;
        let following = &words[place + 1..];
        let is_here = |rest: &Vec<String>| {
            rest.len() <= following.len()
                && rest
                    .iter()
                    .zip(following)
                    .all(|(one, word)| *one == word.folded)
        };
        let (rest, value) = candidates.iter().find(|(rest, _)| is_here(rest))?;
        Some((value.clone(), place + 1 + rest.len()))
    }

    /// Whether a word is a part of a phrase.
    pub(super) fn covers(&self, words: &[Word<'_>], place: usize) -> bool {
        let mut ends = (0..=place).filter_map(|start| Some(self.at(words, start)?.1));
        ends.any(|end| place < end)
    }

    /// The value of a phrase of one word.
    pub(super) fn get(&self, word: &str) -> Option<T> {
        let candidates = self.0.get(word)?;
        let (_, value) = candidates.iter().find(|(rest, _)| rest.is_empty())?;
        Some(value.clone())
    }

    /// All words that phrases begin with.
    #[cfg(test)]
    pub(super) fn first_words(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::words::words_of;

    #[test]
    fn the_longest_phrase_is_found() {
        let phrases = Phrases::of([("end of", 1), ("end", 2), ("the end of", 3)]);
        let words = words_of("at the End of May, the end", |_| false);
        assert_eq!(phrases.at(&words, 1), Some((3, 4)));
        assert_eq!(phrases.at(&words, 2), Some((1, 4)));
        assert_eq!(phrases.at(&words, 6), Some((2, 7)));
        assert_eq!(phrases.at(&words, 7), None);
        assert!(phrases.covers(&words, 2) && !phrases.covers(&words, 4));
        assert_eq!(phrases.get("end"), Some(2));
        assert_eq!(phrases.get("the"), None);
    }
}
