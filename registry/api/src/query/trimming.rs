//! Words without the punctuation around them.

use super::Node;
use super::grammar::one_or;

/// The words of a text: split at white space, punctuation trimmed, words
/// without a letter or digit left out.
pub fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(trim_punctuation)
        .filter(|word| !word.is_empty())
}

/// The words of a piece that was to be something else; `None` without any.
pub(super) fn words_of(piece: &str) -> Option<Node> {
    let words = plain_words(piece).map(|word| Node::Word(word.to_owned()));
    one_or(words.collect(), Node::All)
}

/// The word without punctuation at its ends; empty when it has no letter or
/// digit. A closing bracket stays where its partner is in the word, and so
/// does `+`: `SR:C03-MG{PS:QF1}` and `C++` are whole.
pub(super) fn trim_punctuation(word: &str) -> &str {
    let mut word = word.trim_start_matches(|start: char| !start.is_alphanumeric());
    // A closing bracket within the word makes no difference to the one at its
    // end unless it is of the same kind, so each kind is counted for itself.
    let mut unclosed = [('(', ')'), ('[', ']'), ('{', '}')].map(|(open, close)| {
        let opened = word.matches(open).count();
        (close, opened, word.matches(close).count())
    });
    while let Some(last) = word.chars().next_back() {
        if last.is_alphanumeric() || last == '+' {
            break;
        }
        if let Some((_, opened, closed)) = unclosed.iter_mut().find(|(close, ..)| *close == last) {
            if *opened >= *closed {
                break;
            }
            *closed -= 1;
        }
        word = &word[..word.len() - last.len_utf8()];
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_punctuation_of_a_sentence_goes_and_that_of_a_name_stays() {
        for (written, read) in [
            ("cavity?", "cavity"),
            ("(see", "see"),
            ("SR01),", "SR01"),
            ("\"quoted\"", "quoted"),
            ("(SR:C03-MG{PS:QF1})", "SR:C03-MG{PS:QF1}"),
            ("f(x)?", "f(x)"),
            ("10^-9", "10^-9"),
            ("C++", "C++"),
            ("--", ""),
            ("", ""),
        ] {
            assert_eq!(trim_punctuation(written), read);
        }
    }
}
