//! Which texts are read as queries, and which as plain words.
//!
//! People paste titles, sentences and whole reports into a search. Their
//! quotation marks, dashes and capitals are not meant as operators.

use super::notes::Notes;
use super::tokens::{Token, tokenize};
use super::unspaced::is_unspaced;
use super::{Node, QueryOptions, cleaning};
use crate::Diagnostic;

/// A longer text is a passage, not a query.
const MOST_WORDS: usize = 30;

/// In so few words an unbalanced quote or bracket is a slip of the pen: it is
/// left out, and the rest is read as a query.
const FEW_WORDS: usize = 8;

/// Fewer words in capitals may be acronyms joined by operators.
const HEADLINE_WORDS: usize = 5;

/// Operators that a note names at most.
const MOST_NAMED: usize = 4;

/// Whether operators, phrases, patterns and filters are read in this text: it
/// has at most 30 words and no line break, its quotes and brackets are
/// balanced (or it has few words), and it is not mostly in capitals.
///
/// ```
/// use gannet_api::query::is_query_like;
///
/// assert!(is_query_like("beam AND \"RF trip\" NOT injection"));
/// assert!(!is_query_like("LOSS OF OFFSITE POWER AND REACTOR TRIP"));
/// ```
pub fn is_query_like(text: &str) -> bool {
    why_plain(text).is_none()
}

/// Whether a text was pasted rather than asked: it has more than 30 words or a
/// line break, or it is a headline in capitals without a question mark. The
/// times and names in it are its own, not what is asked for.
///
/// ```
/// use gannet_api::query::is_pasted;
///
/// assert!(is_pasted("Pump 2 tripped.\nIt was restarted at noon."));
/// assert!(is_pasted("LOSS OF OFFSITE POWER AND REACTOR TRIP"));
/// assert!(!is_pasted("when did pump 2 trip?"));
/// ```
pub fn is_pasted(text: &str) -> bool {
    let text = text.trim();
    why_passage(text).is_some() || (is_headline(text) && !text.contains('?'))
}

/// What to tell about a text whose operators are not read; `None` when it has
/// none, or they are read.
pub fn plain_text_note(text: &str) -> Option<Diagnostic> {
    let reason = why_plain(text)?;
    let named = operators_in(text);
    if named.is_empty() {
        return None;
    }
    let message = format!(
        "the query {reason}: it is searched as plain words, without the operators {}",
        named.join(", ")
    );
    Some(Diagnostic::info("query", message).category("syntax"))
}

/// Why operators are not read in a text; `None` when they are.
fn why_plain(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if let Some(reason) = why_passage(text) {
        return Some(reason);
    }
    if word_count(text) > FEW_WORDS && !is_balanced(text) {
        return Some("has unbalanced quotes or brackets");
    }
    is_headline(text).then_some("is mostly in capitals")
}

fn why_passage(text: &str) -> Option<&'static str> {
    if word_count(text) > MOST_WORDS {
        return Some("has more than 30 words");
    }
    text.contains(['\n', '\r']).then_some("has line breaks")
}

/// Words between spaces; in text without spaces two characters are about one.
fn word_count(text: &str) -> usize {
    let spaced = text
        .split_whitespace()
        .filter(|word| !word.contains(is_unspaced));
    let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
    spaced.count() + unspaced.div_ceil(2)
}

fn is_balanced(text: &str) -> bool {
    let quotes = text.chars().filter(|c| cleaning::is_double_quote(*c));
    let brackets = [('(', ')'), ('[', ']'), ('{', '}')];
    quotes.count().is_multiple_of(2)
        && brackets
            .iter()
            .all(|&(open, close)| is_paired(text, open, close))
}

fn is_paired(text: &str, open: char, close: char) -> bool {
    let mut depth = 0_usize;
    for character in text.chars() {
        if character == open {
            depth += 1;
        } else if character == close {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            }
        }
    }
    depth == 0
}

/// Whether more than two thirds of several words are in capitals. What stands in quotes was
/// copied, and names with digits or colons are written so.
fn is_headline(text: &str) -> bool {
    let mut words = 0_usize;
    let mut capitals = 0_usize;
    let unquoted = text.split(cleaning::is_double_quote).step_by(2);
    for word in unquoted.flat_map(str::split_whitespace) {
        let is_operator = matches!(word, "AND" | "OR" | "NOT");
        let is_name = word.contains(|c: char| c.is_numeric() || c == ':');
        if is_operator || is_name || !word.contains(char::is_alphabetic) {
            continue;
        }
        words += 1;
        let is_capital = word.contains(char::is_uppercase) && !word.contains(char::is_lowercase);
        capitals += usize::from(is_capital);
    }
    words >= HEADLINE_WORDS && 3 * capitals > 2 * words
}

/// The operators of a text, each kind once.
fn operators_in(text: &str) -> Vec<&'static str> {
    let mut notes = Notes::default();
    let text = cleaning::clean(text);
    let text = cleaning::balance_quotes(text, &mut notes);
    let tokens = tokenize(&text, &QueryOptions::default(), &mut notes);
    let mut named = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let name = match token {
            Token::And => "`AND`",
            Token::Or => "`OR`",
            Token::Not => "`NOT`",
            Token::Minus if excludes_word(tokens.get(at + 1)) => "`-`",
            Token::Operand(Node::Phrase(_)) => "`\"…\"`",
            Token::Operand(Node::Prefix(_) | Node::Glob(_)) => "`*`",
            Token::Operand(Node::Regex(_)) => "`/…/`",
            Token::Operand(Node::Field(_)) => "`field:value`",
            _ => continue,
        };
        if !named.contains(&name) && named.len() < MOST_NAMED {
            named.push(name);
        }
    }
    named
}

fn excludes_word(next: Option<&Token>) -> bool {
    let Some(Token::Operand(Node::Word(word))) = next else {
        return false;
    };
    word.starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn note(text: &str) -> Option<String> {
        plain_text_note(text).map(|note| note.message)
    }

    #[test]
    fn short_balanced_texts_are_queries() {
        for text in [
            "",
            "beam AND \"RF trip\" NOT (injection OR dump)",
            "HPCI OR RCIC OR ADS OR LPCI",
            "\"LOSS OF OFFSITE POWER\" AND \"REACTOR TRIP\" NOT DRILL",
            "SR01C:BPM1 AND SR02C:BPM1 AND SR03C:BPM1 AND SR04C:BPM1 AND RF-2 AND RF-3",
            "author:SMITH source:LOG kind:A tag:B shift:C TRIP",
            "test UNION SELECT * FROM users --",
            "\"beam loss",
            "beam loss) of sector 4",
            "  beam loss\n",
        ] {
            assert!(is_query_like(text), "{text}");
        }
    }

    #[test]
    fn long_texts_headlines_and_pasted_lines_are_not() {
        for text in [
            "LOSS OF OFFSITE POWER AND REACTOR TRIP",
            "TRIP OF \"A\" AND \"B\" MAIN FEED PUMPS AND MORE",
            "beam loss\nsecond line",
            "the 5\" pipe of the cooling water loop was found to leak again",
            "a) the first pump b) the second pump c) the third one",
            &"word ".repeat(31),
            &"真空".repeat(31),
        ] {
            assert!(!is_query_like(text), "{text}");
        }
    }

    #[test]
    fn the_note_names_the_operators_that_were_not_read() {
        let text = "The \"A\" pump tripped\nAND the \"B\" pump, date:2024-06-12 -offsite";
        let expected = "the query has line breaks: it is searched as plain words, without the \
                        operators `\"…\"`, `AND`, `field:value`, `-`";
        assert_eq!(note(text).as_deref(), Some(expected));
        assert_eq!(note("beam loss\nat -40 C and more"), None);
        assert_eq!(note("beam AND loss"), None);
    }
}
