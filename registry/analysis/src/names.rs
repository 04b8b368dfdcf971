//! Names of devices, whole and in parts, as written but for the case.

use gannet_api::query::is_unspaced;
use tantivy::tokenizer::{RemoveLongFilter, TextAnalyzer, Token, TokenStream, Tokenizer};

use super::LONGEST_WORD;
use super::running_text::next_word;

/// Name of the analyser of names: whole tokens and their parts, as written
/// but for the case. The number moves with the terms.
pub const WORD_ANALYSER: &str = "gannet_words_2";

/// The analyser of names.
pub fn word_analyser() -> TextAnalyzer {
    TextAnalyzer::builder(NameTokenizer)
        .filter(RemoveLongFilter::limit(LONGEST_WORD))
        .build()
}

/// The pieces of a text that may be names: what stands between white space.
/// Text without spaces is none, and ends a name.
pub(super) fn name_tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(ends_name).filter(|token| !token.is_empty())
}

fn ends_name(character: char) -> bool {
    character.is_whitespace() || is_unspaced(character) || is_wide_punctuation(character)
}

/// The punctuation of East Asian text.
fn is_wide_punctuation(character: char) -> bool {
    matches!(character,
        '\u{3000}'..='\u{303f}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff65}')
}

/// Gives each token between white space whole, without the punctuation of the
/// sentence around it, in lower case; then its parts where it has several.
#[derive(Clone, Default)]
struct NameTokenizer;

struct NameStream<'a> {
    tokens: std::str::Split<'a, fn(char) -> bool>,
    parts: Vec<String>,
    token: Token,
}

impl Tokenizer for NameTokenizer {
    type TokenStream<'a> = NameStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> NameStream<'a> {
        NameStream {
            tokens: text.split(ends_name as fn(char) -> bool),
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
pub fn trim_sentence(token: &str) -> &str {
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
    use crate::terms_of;

    fn sorted_names(text: &str) -> Vec<String> {
        let mut names = terms_of(&mut word_analyser(), text);
        names.sort();
        names
    }

    #[test]
    fn names_are_kept_whole_beside_their_parts() {
        assert_eq!(
            sorted_names("See (SR01C:BPM1), RF-2."),
            ["2", "bpm1", "rf", "rf-2", "see", "sr01c", "sr01c:bpm1"]
        );
    }

    #[test]
    fn a_name_within_text_without_spaces_is_found_whole() {
        assert_eq!(
            sorted_names("更换了SR01C:BPM1的泵（RF-2）。"),
            ["2", "bpm1", "rf", "rf-2", "sr01c", "sr01c:bpm1"]
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
