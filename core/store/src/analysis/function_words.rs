//! Words of a sentence that name nothing, in the languages that questions are
//! asked in. A list is words between white space; a line with `#` is a comment.

use std::collections::HashSet;
use std::sync::LazyLock;

use gannet_api::query::is_stop_word;

const ENGLISH: &str = include_str!("function_words/en.txt");
const GERMAN: &str = include_str!("function_words/de.txt");
const FRENCH: &str = include_str!("function_words/fr.txt");
const OTHERS: [&str; 3] = [GERMAN, FRENCH, include_str!("function_words/times.txt")];

static ENGLISH_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| listed(ENGLISH).collect());
static GERMAN_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| listed(GERMAN).collect());
static FRENCH_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| listed(FRENCH).collect());
static OTHER_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| OTHERS.into_iter().flat_map(listed).collect());

/// Words of the lists that are English words, too, beside those that say nothing
/// in English.
const ALSO_ENGLISH: [&str; 8] = ["die", "hat", "man", "war", "comment", "plus", "pour", "son"];
/// Function words at least of a query in a language.
const LEAST_WORDS: usize = 2;

/// The stop words of a query: the English ones, and those of the language that
/// it is in.
pub(super) struct StopWords(Option<&'static HashSet<&'static str>>);

impl StopWords {
    /// A query is in a language if it has two function words of it, one of which
    /// is no English word, and no more that are English only. Words in capitals
    /// may be names.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let is_name = |word: &&str| word.chars().count() > 1 && !word.contains(char::is_lowercase);
        let words: Vec<String> = words
            .filter(|word| !is_name(word))
            .map(str::to_lowercase)
            .collect();
        let is_in = |language: &&'static HashSet<&str>| {
            let (own, others): (Vec<&str>, Vec<&str>) = words
                .iter()
                .map(String::as_str)
                .partition(|word| language.contains(word));
            let is_certain =
                |word: &&str| !ALSO_ENGLISH.contains(word) && !is_english_function_word(word);
            let english = others.iter().filter(|word| is_stop_word(word)).count();
            own.len() >= LEAST_WORDS.max(english + 1) && own.iter().any(is_certain)
        };
        let mut languages = [&*GERMAN_WORDS, &*FRENCH_WORDS].into_iter();
        Self(languages.find(is_in))
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        let is_own = |words: &HashSet<&str>| words.contains(word.to_lowercase().as_str());
        is_stop_word(word) || self.0.is_some_and(is_own)
    }
}

/// Whether a word of a query says nothing in one of the languages: it is not
/// misspelt where no entry has it. Words of times are among them.
pub fn is_function_word(word: &str) -> bool {
    let folded = word.to_lowercase().replace('’', "'");
    is_english_function_word(word) || OTHER_WORDS.contains(folded.as_str())
}

/// Whether a word says nothing in English. In entries, words such as `comment`
/// and `pour` are more likely English than French.
pub(super) fn is_english_function_word(word: &str) -> bool {
    is_stop_word(word) || ENGLISH_WORDS.contains(word.to_lowercase().as_str())
}

fn listed(list: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_list_are_function_words_in_any_case() {
        for word in ["many", "which", "Wurde", "WÄHREND", "zwischen", "Pourquoi"] {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["aujourd'hui", "aujourd’hui"] {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["août", "März", "Tuesday", "gestern", "semaine"] {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["pump", "Pumpe", "pompe", "wurm", "febuary"] {
            assert!(!is_function_word(word), "{word}");
        }
    }

    #[test]
    fn a_word_of_another_language_may_be_an_english_one_in_an_entry() {
        assert!(is_function_word("comment") && !is_english_function_word("comment"));
        assert!(is_function_word("mars") && !is_english_function_word("march"));
        assert!(is_english_function_word("Many") && is_english_function_word("the"));
    }

    #[test]
    fn the_stop_words_of_a_query_are_those_of_its_language() {
        for (query, stop_words) in [
            ("wo ist die Pumpe", "wo ist die"),
            ("Pumpe an der RF", "an der"),
            ("où est la pompe", "où est la"),
            ("did the man die in the war", "did the in the"),
            ("valve IST DER interlock", ""),
            ("die cast", ""),
            ("comment on the pump", "on the"),
            ("was the PAS of les on", "was the of on"),
        ] {
            let stops = StopWords::of(query.split(' '));
            let found: Vec<&str> = query
                .split(' ')
                .filter(|word| stops.contains(word))
                .collect();
            assert_eq!(found.join(" "), stop_words, "{query}");
        }
    }

    #[test]
    fn lists_are_in_small_letters_and_name_no_word_twice() {
        for list in OTHERS.into_iter().chain([ENGLISH]) {
            let words: Vec<&str> = listed(list).collect();
            let distinct: HashSet<&str> = words.iter().copied().collect();
            assert_eq!(words.len(), distinct.len());
            for word in words {
                assert_eq!(word, word.to_lowercase());
                assert!(word.chars().all(|c| c.is_alphabetic() || "'-".contains(c)));
            }
        }
    }
}
