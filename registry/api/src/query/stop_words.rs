//! The words that say nothing about what a text is about.

/// Sorted, so that it can be searched by halving. Lucene's 33 English stop
/// words and the words that questions are made of.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "me", "my", "no", "not", "of", "on", "or", "our", "should", "such", "that", "the",
    "their", "then", "there", "these", "they", "this", "to", "was", "we", "were", "what", "when",
    "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Bytes of the longest of them.
const LONGEST: usize = 6;

/// Whether this is an English stop word, in any case: plain mode and queries
/// of alternatives leave such words out.
///
/// Of the words of one letter only `a` and `i` are stop words: the others may
/// be the name of a sector, a line or an axis.
///
/// ```
/// use gannet_api::query::is_stop_word;
///
/// assert!(is_stop_word("The"));
/// assert!(!is_stop_word("x"));
/// ```
pub fn is_stop_word(word: &str) -> bool {
    // Asked of every word of a text: it allocates for few of them.
    match word.contains(['\'', '’']) {
        true => is_listed(word) || is_contraction(&word.to_lowercase()),
        false => is_listed(word),
    }
}

/// Whether the list has a word, in any case. All listed words are ASCII.
fn is_listed(word: &str) -> bool {
    let mut lower = [0; LONGEST];
    let Some(lower) = lower.get_mut(..word.len()) else {
        return false;
    };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let listed = STOP_WORDS.binary_search_by(|listed| listed.as_bytes().cmp(lower));
    listed.is_ok()
}

/// Whether a word is a stop word with another one joined to it: `don't`,
/// `I'm`, `what's`.
fn is_contraction(word: &str) -> bool {
    match word.split_once(['\'', '’']) {
        Some((verb, "t")) => verb.ends_with('n'),
        Some((word, "s" | "m" | "re" | "ve" | "ll" | "d")) => is_listed(word),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_lower_case() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(
            STOP_WORDS.iter().map(|word| word.len()).max(),
            Some(LONGEST)
        );
        assert!(STOP_WORDS.iter().all(|word| *word == word.to_lowercase()));
    }

    #[test]
    fn a_contraction_of_stop_words_is_one() {
        for word in ["don't", "Isn't", "can’t", "I'm", "what's", "they're"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["pump's", "o'clock", "n'", "RF't", "x's"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }

    #[test]
    fn of_single_letters_only_a_and_i_are_stop_words() {
        let stopped: Vec<char> = ('a'..='z')
            .filter(|letter| is_stop_word(&letter.to_string()))
            .collect();
        assert_eq!(stopped, ['a', 'i']);
    }
}
