//! Words of a sentence that name nothing, in the languages that questions are
//! asked in. A list is words between white space; a line with `#` is a comment.

use std::collections::HashSet;
use std::sync::LazyLock;

use gannet_api::query::is_stop_word;

const ENGLISH: &str = include_str!("function_words/en.txt");
const OTHERS: [&str; 3] = [
    include_str!("function_words/de.txt"),
    include_str!("function_words/fr.txt"),
    include_str!("function_words/times.txt"),
];

static ENGLISH_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| listed(ENGLISH).collect());
static OTHER_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| OTHERS.into_iter().flat_map(listed).collect());

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
