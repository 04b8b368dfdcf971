//! Values that are shorter than the words that name them: words written as one
//! (`WORKSFORME`), and their initials (`FWS`).

use gannet_api::query::is_stop_word;

use super::lexicon::{KnownValue, Lexicon, NamedValues};
use super::words::Word;

/// Words that a value writes as one or by their initials, at most.
const MOST_WORDS: usize = 6;
/// Letters of words that are written as one, at least.
const SHORTEST_JOINED: usize = 6;
/// Initials of a name, at least.
const LEAST_INITIALS: usize = 3;

impl Lexicon {
    /// The values that write the longest words at a place shorter.
    pub(super) fn shortened_at(&self, words: &[Word<'_>], place: usize) -> Option<NamedValues<'_>> {
        let most = words.len().min(place + MOST_WORDS);
        let mut ends = (place + 2..=most).rev();
        ends.find_map(|end| {
            let words = &words[place..end];
            let short = joined(words).filter(|word| self.is_value(word));
            let short = short.or_else(|| initials(words).filter(|word| self.is_value(word)))?;
            Some(NamedValues {
                values: self.values_of(&short).collect(),
                end,
                is_whole: true,
                form: None,
            })
        })
    }

    fn is_value(&self, word: &str) -> bool {
        self.values_of(word).next().is_some()
    }

    /// The values that are this one word.
    fn values_of(&self, word: &str) -> impl Iterator<Item = &KnownValue> {
        let namings = self.by_first_word.get(word).into_iter().flatten();
        let of_one_word = namings.filter(|naming| naming.rest.is_empty() && naming.is_whole);
        let places = of_one_word.flat_map(|naming| &naming.values);
        let values = places.filter_map(|place| self.values.get(*place));
        values.filter(move |known| known.value == word)
    }
}

/// "works for me" as `worksforme`.
fn joined(words: &[Word<'_>]) -> Option<String> {
    let all: String = words.iter().map(|word| word.folded.as_str()).collect();
    (all.chars().count() >= SHORTEST_JOINED).then_some(all)
}

/// "Fish and Wildlife Service" as `fws`: of words in capitals, without the stop
/// words between them.
fn initials(words: &[Word<'_>]) -> Option<String> {
    let is_between = |word: &Word<'_>| is_stop_word(&word.folded);
    let is_named = |word: &Word<'_>| word.text.starts_with(char::is_uppercase);
    let (first, last) = (words.first()?, words.last()?);
    if !is_named(first) || !is_named(last) {
        return None;
    }
    let named: Vec<&Word<'_>> = words.iter().filter(|word| !is_between(word)).collect();
    if named.len() < LEAST_INITIALS || !named.iter().all(|word| is_named(word)) {
        return None;
    }
    let letters = named.iter().map(|word| word.folded.chars().next());
    letters.collect()
}
