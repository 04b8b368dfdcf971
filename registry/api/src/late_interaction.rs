//! Late interaction: vectors of single words, and the service that scores
//! entries with them.
//!
//! A passage vector is the mean of what an encoder knows of each word. Late
//! interaction compares word with word: each word of the question counts with
//! its nearest word of a passage.

use serde::{Deserialize, Serialize};

use crate::Filter;
use crate::setters::setters;

/// The vectors of the words of one text. Stop words and punctuation have none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenVectors {
    /// The words in lower case, in the order of the text. Words of a document
    /// that share a vector are one, with spaces between them.
    pub words: Vec<String>,
    /// One vector for each word.
    pub values: TokenValues,
    /// Of a document, every word in the order of the text with the vector that
    /// it has; empty where the embedder does not tell, and of a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub occurrences: Vec<TokenOccurrence>,
    /// Of a question, its stop words, which are not compared with words of
    /// documents; empty where the embedder does not tell, and of a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_words: Vec<TokenStopWord>,
}

/// A word of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenOccurrence {
    /// The word in lower case.
    pub word: String,
    /// Which of the vectors is its own, from 0.
    pub vector: usize,
}

/// A stop word of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenStopWord {
    /// The word in lower case.
    pub word: String,
    /// How many of [`TokenVectors::words`] stand before it.
    pub words_before: usize,
    /// Its vector, all dimensions.
    pub vector: Vec<f32>,
}

setters!(TokenVectors {
    with_occurrences(occurrences: Vec<TokenOccurrence>),
    with_stop_words(stop_words: Vec<TokenStopWord>),
});

impl TokenVectors {
    /// The words of a text and the values of all of them, one word after
    /// another.
    pub fn new(words: Vec<String>, values: TokenValues) -> Self {
        Self {
            words,
            values,
            occurrences: Vec::new(),
            stop_words: Vec::new(),
        }
    }
}

/// How token vectors are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenValues {
    /// Of a question: all dimensions of the first word, then of the second.
    Floats(Vec<f32>),
    /// Of a document: [`sign_bytes`] bytes for each word, see [`push_signs`].
    Signs(Vec<u8>),
}

impl TokenVectors {
    /// Whether there is one vector of `dimension` dimensions for each word
    /// and each stop word, and the latter have places among the words.
    pub fn is_whole(&self, dimension: usize) -> bool {
        let (found, of_word) = match &self.values {
            TokenValues::Floats(values) => (values.len(), dimension),
            TokenValues::Signs(signs) => (signs.len(), sign_bytes(dimension)),
        };
        let is_in_place = |stop_word: &TokenStopWord| {
            stop_word.vector.len() == dimension && stop_word.words_before <= self.words.len()
        };
        self.words.len().checked_mul(of_word) == Some(found)
            && self.stop_words.iter().all(is_in_place)
    }
}

/// The vectors of texts and of their words, as an embedder gives them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TokenEmbeddings {
    /// One for each text, in order, each of length 1.
    pub vectors: Vec<Vec<f32>>,
    /// One for each text, in order: floats for a question, signs for documents.
    pub tokens: Vec<TokenVectors>,
}

impl TokenEmbeddings {
    /// One vector and one set of token vectors a text, in order.
    pub fn new(vectors: Vec<Vec<f32>>, tokens: Vec<TokenVectors>) -> Self {
        Self { vectors, tokens }
    }
}

/// Bytes of the sign bits of one word: whole 64-bit words.
pub const fn sign_bytes(dimension: usize) -> usize {
    dimension.div_ceil(64) * 8
}

/// Appends the signs of one word's vector: bit `i % 8` of byte `i / 8` is set
/// when dimension `i` is above 0. Bits after the last dimension are 0.
///
/// ```
/// use gannet_api::{push_signs, sign_bytes};
///
/// let mut signs = Vec::new();
/// push_signs(&[0.5, -0.5, 0.1], &mut signs);
/// assert_eq!(signs.len(), sign_bytes(3));
/// assert_eq!(signs[0], 0b101);
/// ```
pub fn push_signs(vector: &[f32], signs: &mut Vec<u8>) {
    let end = signs.len() + sign_bytes(vector.len());
    signs.extend(vector.chunks(8).map(|values| {
        let bits = values.iter().enumerate();
        bits.fold(0, |byte, (bit, value)| byte | u8::from(*value > 0.0) << bit)
    }));
    signs.resize(end, 0);
}

/// What entries are scored against, word by word.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LateInteractionRequest {
    /// The question.
    pub query: String,
    /// Which entries.
    pub entry_ids: Vec<String>,
    /// What an entry must be to get a score.
    #[serde(default)]
    pub filter: Filter,
    /// The embedder of the question; the configured default when missing.
    #[serde(default)]
    pub provider: Option<String>,
}

impl LateInteractionRequest {
    /// The name of the service behind [`Host::call`](crate::Host::call): this
    /// request as JSON in, a list of numbers and nulls out.
    pub const SERVICE: &str = "late_interaction";

    /// A request without a filter, for the default embedder.
    pub fn new(query: impl Into<String>, entry_ids: Vec<String>) -> Self {
        Self {
            query: query.into(),
            entry_ids,
            ..Self::default()
        }
    }
}

setters!(LateInteractionRequest {
    with_filter(filter: Filter),
    with_provider(provider: impl Into<Option<String>>),
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_a_word_fill_whole_64_bit_words() {
        let mut signs = Vec::new();
        let vector: Vec<f32> = (0..70)
            .map(|at| if at % 3 == 0 { 1.0 } else { -1.0 })
            .collect();
        push_signs(&vector, &mut signs);
        assert_eq!(signs.len(), 16);
        for (at, value) in vector.iter().enumerate() {
            assert_eq!(signs[at / 8] >> (at % 8) & 1 == 1, *value > 0.0);
        }
        assert_eq!((signs[8] >> 6, &signs[9..]), (0, &[0; 7][..]));
    }

    #[test]
    fn token_vectors_are_whole_when_every_word_has_all_dimensions() {
        let of = |words: usize, values| TokenVectors::new(vec![String::new(); words], values);
        assert!(of(2, TokenValues::Floats(vec![0.0; 6])).is_whole(3));
        assert!(!of(2, TokenValues::Floats(vec![0.0; 5])).is_whole(3));
        assert!(of(2, TokenValues::Signs(vec![0; 16])).is_whole(3));
        assert!(!of(1, TokenValues::Signs(vec![0; 16])).is_whole(3));
    }

    #[test]
    fn stop_words_have_places_and_all_dimensions() {
        let with = |words_before, dimensions| {
            let stop_word = TokenStopWord {
                word: "why".to_owned(),
                words_before,
                vector: vec![0.0; dimensions],
            };
            TokenVectors::new(vec![String::new()], TokenValues::Floats(vec![0.0; 3]))
                .with_stop_words(vec![stop_word])
        };
        assert!(with(0, 3).is_whole(3) && with(1, 3).is_whole(3));
        assert!(!with(2, 3).is_whole(3) && !with(0, 2).is_whole(3));
    }
}
