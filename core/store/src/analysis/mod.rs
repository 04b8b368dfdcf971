//! How texts become terms. Indexing, queries and highlights all go through
//! here, so that they agree.

mod highlight;
mod highlighter;
mod patterns;
mod readable;
mod spelling;
mod wanted;

pub(crate) use highlight::{Marks, highlights};
pub use highlighter::Highlighter;
pub(crate) use patterns::{glob_pattern, whole_name};
pub(crate) use readable::readable;
pub(crate) use spelling::{QueryWord, Spelling, farthest, may_stand_for, most_frequent, words_of};
pub(crate) use wanted::{Family, Reader, Reading, Wanted, has_words, pattern_cut, with_all_words};

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, Stemmer, TextAnalyzer, Token,
    TokenStream, Tokenizer,
};

/// Name of the analyser of running text: stemmed English words.
pub(crate) const TEXT_ANALYSER: &str = "gannet_text";
/// Name of the analyser of names: whole tokens and their parts, as written
/// but for the case.
pub(crate) const WORD_ANALYSER: &str = "gannet_words";

/// Longer words are data, not words.
const LONGEST_WORD: usize = 128;

/// The analyser of running text.
pub(crate) fn text_analyser() -> TextAnalyzer {
    TextAnalyzer::builder(WordTokenizer)
        .filter(RemoveLongFilter::limit(LONGEST_WORD))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(Stemmer::new(Language::English))
        .build()
}

/// The analyser of names.
pub(crate) fn word_analyser() -> TextAnalyzer {
    TextAnalyzer::builder(NameTokenizer)
        .filter(RemoveLongFilter::limit(LONGEST_WORD))
        .build()
}

/// The stemmed terms of a text, in order.
pub(crate) fn terms_of(analyser: &mut TextAnalyzer, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    analyser
        .token_stream(text)
        .process(&mut |token| terms.push(token.text.clone()));
    terms
}

/// The words of one that joins several, as `beam-loss`. A name with a digit
/// is one word.
pub(crate) fn pieces_of(word: &str) -> Option<Vec<&str>> {
    if word.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let pieces = word.split(|c: char| !c.is_alphanumeric() && !is_apostrophe(c));
    Some(pieces.filter(|piece| !piece.is_empty()).collect())
}

/// Splits at everything that is neither letter nor digit. An apostrophe
/// between letters stays: the stemmer takes `'s` away.
#[derive(Clone, Default)]
struct WordTokenizer;

struct WordStream<'a> {
    text: &'a str,
    position: usize,
    token: Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream {
            text,
            position: 0,
            token: Token::default(),
        }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((start, end)) = next_word(self.text, self.position) else {
            return false;
        };
        self.position = end;
        self.token.position = self.token.position.wrapping_add(1);
        self.token.offset_from = start;
        self.token.offset_to = end;
        self.token.text.clear();
        self.token.text.push_str(&self.text[start..end]);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// The byte range of the first word at or after `from`.
fn next_word(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = &text[from..];
    let start = from + rest.find(char::is_alphanumeric)?;
    let mut characters = text[start..].char_indices().peekable();
    let mut end = text.len();
    while let Some((offset, character)) = characters.next() {
        let joins = is_apostrophe(character)
            && characters
                .peek()
                .is_some_and(|(_, next)| next.is_alphabetic());
        if !character.is_alphanumeric() && !joins {
            end = start + offset;
            break;
        }
    }
    Some((start, end))
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

/// Gives each token between white space whole, without the punctuation of the
/// sentence around it, in lower case; then its parts where it has several.
#[derive(Clone, Default)]
struct NameTokenizer;

struct NameStream<'a> {
    tokens: std::str::SplitWhitespace<'a>,
    parts: Vec<String>,
    token: Token,
}

impl Tokenizer for NameTokenizer {
    type TokenStream<'a> = NameStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> NameStream<'a> {
        NameStream {
            tokens: text.split_whitespace(),
            parts: Vec::new(),
            token: Token::default(),
        }
    }
}

impl TokenStream for NameStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            if let Some(part) = self.parts.pop() {
                self.token.position = self.token.position.wrapping_add(1);
                self.token.text = part;
                return true;
            }
            let Some(token) = self.tokens.next() else {
                return false;
            };
            self.parts = names_of(token);
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// A token whole and in parts, folded.
fn names_of(token: &str) -> Vec<String> {
    let whole = trim_sentence(token);
    let mut names = Vec::new();
    let mut position = 0;
    while let Some((start, end)) = next_word(whole, position) {
        position = end;
        names.push(whole[start..end].to_lowercase());
    }
    if !names.is_empty() && (names.len() > 1 || names[0].len() != whole.len()) {
        names.push(whole.to_lowercase());
    }
    names
}

/// A token without the punctuation of the sentence that it stands in.
/// Brackets stay where their partner is in the token: `SR:C03{PS:QF1}`.
pub(crate) fn trim_sentence(token: &str) -> &str {
    let mut rest = token;
    loop {
        let before = rest.len();
        rest = rest.trim_matches(|c: char| {
            matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | '`')
                || matches!(c, '\u{2018}'..='\u{201f}' | '\u{2026}')
        });
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')] {
            if rest.starts_with(open) && (!rest.contains(close) || rest.ends_with(close)) {
                rest = &rest[1..];
            }
            if rest.ends_with(close) && !rest.contains(open) {
                rest = &rest[..rest.len() - 1];
            }
        }
        if rest.len() == before {
            return rest;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        terms_of(&mut text_analyser(), text)
    }

    #[test]
    fn names_fall_into_their_parts_in_running_text() {
        assert_eq!(
            terms("SR01C:BPM1 is at 10^-9"),
            ["sr01c", "bpm1", "is", "at", "10", "9"]
        );
    }

    #[test]
    fn a_genitive_is_the_same_word_and_accents_do_not_matter() {
        assert_eq!(
            terms("the reactor's reactors"),
            ["the", "reactor", "reactor"]
        );
        assert_eq!(terms("Caf\u{e9} don\u{2019}t"), ["cafe", "don't"]);
    }

    #[test]
    fn names_are_kept_whole_beside_their_parts() {
        let mut names = terms_of(&mut word_analyser(), "See (SR01C:BPM1), RF-2.");
        names.sort();
        assert_eq!(
            names,
            ["2", "bpm1", "rf", "rf-2", "see", "sr01c", "sr01c:bpm1"]
        );
    }

    #[test]
    fn brackets_belong_to_a_name_when_both_are_in_it() {
        assert_eq!(trim_sentence("SR:C03-MG{PS:QF1},"), "SR:C03-MG{PS:QF1}");
        assert_eq!(trim_sentence("(beam)"), "beam");
        assert_eq!(trim_sentence("lost)."), "lost");
        assert_eq!(trim_sentence("..."), "");
    }
}
