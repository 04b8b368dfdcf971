//! Terms of running text: stemmed words, and pairs of characters where a
//! script has no spaces between words.

use gannet_api::query::is_unspaced;
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, Stemmer, TextAnalyzer,
    TextAnalyzerBuilder, Token, TokenStream, Tokenizer,
};

use super::LONGEST_WORD;

/// Name of the analyser of running text: stemmed English words, pairs of
/// characters of text without spaces. It is part of an index's schema: the
/// number moves with the terms, so that older indexes are rebuilt.
pub const TEXT_ANALYSER: &str = "gannet_text_2";

/// The analyser of texts that are indexed or highlighted.
pub fn text_analyser() -> TextAnalyzer {
    stemmed(INDEXED)
}

/// The analyser of queries. Of `真空泵` it gives the two pairs, and not the
/// three characters that an index has beside them.
pub fn query_analyser() -> TextAnalyzer {
    stemmed(WordTokenizer {
        is_single_indexed: false,
    })
}

/// How texts are split for an index.
pub(super) const INDEXED: WordTokenizer = WordTokenizer {
    is_single_indexed: true,
};

fn stemmed(words: WordTokenizer) -> TextAnalyzer {
    let stemmer = Stemmer::new(Language::English);
    folded(words).filter(stemmer).build()
}

/// Words in lower case, without accents.
pub(super) fn folded(words: WordTokenizer) -> TextAnalyzerBuilder<impl Tokenizer> {
    TextAnalyzer::builder(words)
        .filter(RemoveLongFilter::limit(LONGEST_WORD))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
}

/// The terms of a text, in order.
pub fn terms_of(analyser: &mut TextAnalyzer, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    analyser
        .token_stream(text)
        .process(&mut |token| terms.push(token.text.clone()));
    terms
}

/// Splits at everything that is neither letter nor digit. An apostrophe
/// between letters stays: the stemmer takes `'s` away. Of a run of unspaced
/// characters each pair of neighbours is a token; where single characters are
/// indexed, each of them is one too, at the position of its pair.
#[derive(Clone)]
pub(super) struct WordTokenizer {
    is_single_indexed: bool,
}

pub(super) struct WordStream<'a> {
    text: &'a str,
    position: usize,
    /// What is left of a run of unspaced characters.
    run: Option<Run>,
    is_single_indexed: bool,
    token: Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream {
            text,
            position: 0,
            run: None,
            is_single_indexed: self.is_single_indexed,
            token: Token::default(),
        }
    }
}

impl WordStream<'_> {
    /// Makes a token of a byte range.
    fn give(&mut self, start: usize, end: usize, moves_on: bool) {
        if moves_on {
            self.token.position = self.token.position.wrapping_add(1);
        }
        self.token.offset_from = start;
        self.token.offset_to = end;
        self.token.text.clear();
        self.token.text.push_str(&self.text[start..end]);
    }

    fn advance_in_run(&mut self) -> bool {
        let Some(run) = &mut self.run else {
            return false;
        };
        let Some((start, end, moves_on)) = run.next_gram(self.text, self.is_single_indexed) else {
            self.run = None;
            return false;
        };
        self.give(start, end, moves_on);
        true
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            if self.advance_in_run() {
                return true;
            }
            let Some((start, end)) = next_word(self.text, self.position) else {
                return false;
            };
            self.position = end;
            if !self.text[start..].starts_with(is_unspaced) {
                self.give(start, end, true);
                return true;
            }
            self.run = Some(Run::new(start, end));
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// A run of unspaced characters: byte offsets in the text.
struct Run {
    start: usize,
    at: usize,
    end: usize,
    /// Whether the pair that begins at `at` was given.
    is_pair_given: bool,
}

impl Run {
    fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            at: start,
            end,
            is_pair_given: false,
        }
    }

    /// The next pair or single character, and whether it has a position of
    /// its own: that of a run are those of its pairs.
    fn next_gram(&mut self, text: &str, gives_single: bool) -> Option<(usize, usize, bool)> {
        loop {
            let first = text[self.at..self.end].chars().next()?;
            let middle = self.at + first.len_utf8();
            let second = text[middle..self.end].chars().next();
            if let Some(second) = second
                && !self.is_pair_given
            {
                self.is_pair_given = true;
                return Some((self.at, middle + second.len_utf8(), true));
            }
            let start = std::mem::replace(&mut self.at, middle);
            self.is_pair_given = false;
            let is_alone = start == self.start && second.is_none();
            if gives_single || is_alone {
                return Some((start, middle, is_alone));
            }
        }
    }
}

/// The byte range of the first word, or run of unspaced characters, at or
/// after `from`.
pub(super) fn next_word(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = &text[from..];
    let start = from + rest.find(|c: char| c.is_alphanumeric() || is_unspaced(c))?;
    if text[start..].starts_with(is_unspaced) {
        let end = text[start..].find(|c| !is_unspaced(c));
        return Some((start, end.map_or(text.len(), |end| start + end)));
    }
    let mut characters = text[start..].char_indices().peekable();
    let mut end = text.len();
    while let Some((offset, character)) = characters.next() {
        let joins = is_apostrophe(character)
            && characters
                .peek()
                .is_some_and(|(_, next)| next.is_alphabetic() && !is_unspaced(*next));
        if (!character.is_alphanumeric() && !joins) || is_unspaced(character) {
            end = start + offset;
            break;
        }
    }
    Some((start, end))
}

pub(super) fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        terms_of(&mut text_analyser(), text)
    }

    fn query_terms(text: &str) -> Vec<String> {
        terms_of(&mut query_analyser(), text)
    }

    /// Terms with their positions.
    fn placed(text: &str) -> Vec<(String, usize)> {
        let mut placed = Vec::new();
        text_analyser()
            .token_stream(text)
            .process(&mut |token| placed.push((token.text.clone(), token.position)));
        placed
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
    fn a_query_in_text_without_spaces_has_the_pairs_of_its_characters() {
        assert_eq!(query_terms("真空泵"), ["真空", "空泵"]);
        assert_eq!(query_terms("泵"), ["泵"]);
        assert_eq!(
            query_terms("第3号泵、SR01Cポンプ"),
            ["第", "3", "号泵", "sr01c", "ポン", "ンプ"]
        );
        assert_eq!(query_terms("펌프 교체"), ["펌프", "교체"]);
    }

    #[test]
    fn a_text_has_single_characters_beside_the_pairs() {
        let placed = placed("换真空泵 RF");
        let expected = [
            ("换真", 0),
            ("换", 0),
            ("真空", 1),
            ("真", 1),
            ("空泵", 2),
            ("空", 2),
            ("泵", 2),
            ("rf", 3),
        ];
        assert_eq!(placed, expected.map(|(term, at)| (term.to_owned(), at)));
    }

    proptest! {
        #[test]
        fn the_terms_of_a_query_stand_in_the_text_in_the_same_order(
            text in "[a-z 0-9真空泵的ポンกำ้、'.-]{0,40}",
        ) {
            let all = terms(&text);
            let mut rest = all.iter();
            for term in query_terms(&text) {
                prop_assert!(rest.any(|other| *other == term), "{} in {:?}", term, all);
            }
        }

        #[test]
        fn offsets_are_those_of_the_characters(text in "\\PC{0,40}") {
            let mut stream = WordTokenizer { is_single_indexed: true };
            let mut stream = stream.token_stream(&text);
            while stream.advance() {
                let token = stream.token();
                prop_assert_eq!(&text[token.offset_from..token.offset_to], &token.text);
            }
        }
    }
}
