//! Similarity of a question to spans of entries, from stored token vectors.

use std::ops::Range;

use gannet_api::{
    EntrySpans, SpanSimilarities, SpanSimilarity, SpanWord, limits, sign_bytes, split_places,
};

use crate::error::StoreError;
use crate::late_interaction::LateInteraction;
use crate::token_records::{EntryTokens, PassageTokens, TokenRecords};
use gannet_vectors::{QuestionVector, QuestionWords};

/// Words of a question that are compared.
const MOST_WORDS: usize = 64;

/// A question and the spans that are compared with it.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanRequest {
    /// The words of the question.
    pub words: Vec<String>,
    /// Their vectors by the model, all dimensions of the first word first.
    pub vectors: Vec<f32>,
    /// The vector of the question by the model.
    pub vector: Vec<f32>,
    /// Which spans.
    pub entries: Vec<EntrySpans>,
    /// Whether the words of the spans are wanted too.
    pub with_words: bool,
}

/// A word of an entry.
struct Word<'r> {
    start: usize,
    signs: &'r [u8],
}

impl SpanRequest {
    /// The ids of the entries, in order.
    pub fn entry_ids(&self) -> Vec<String> {
        let ids = self.entries.iter().map(|entry| &entry.entry_id);
        ids.cloned().collect()
    }

    /// The words that are compared: the first of a long question.
    pub fn compared_words(&self) -> &[String] {
        &self.words[..self.words.len().min(MOST_WORDS)]
    }

    /// What the spans have of the question, without any vectors: nothing.
    fn without_vectors(&self) -> SpanSimilarities {
        let none = |entry: &EntrySpans| vec![None; entry.spans.len()];
        SpanSimilarities {
            words: self.compared_words().to_vec(),
            idfs: Vec::new(),
            entries: self.entries.iter().map(none).collect(),
        }
    }

    /// Compares, with the idf of each of the compared words and the token
    /// vectors of the entries. A span of which no words are stored has no
    /// similarity; of a question of more than 64 words the first 64 count.
    ///
    /// # Errors
    /// [`StoreError::InvalidRequest`] when the vectors are not those of the
    /// words.
    pub fn compare(
        &self,
        idfs: Vec<f64>,
        records: &TokenRecords,
    ) -> Result<SpanSimilarities, StoreError> {
        let dimension = records.dimension;
        if dimension == 0 {
            return Ok(self.without_vectors());
        }
        let words = self.compared_words().to_vec();
        let vectors = self.vectors.get(..words.len() * dimension);
        let question = LateInteraction {
            words,
            vectors: vectors.unwrap_or(&self.vectors).to_vec(),
        };
        let words = question.weighted(dimension, &idfs)?;
        let vector = QuestionVector::new(&self.vector)?;
        let mut words_left = match self.with_words {
            true => limits::SPAN_WORDS,
            false => 0,
        };
        let of_entry = |(entry, passages): (&EntrySpans, &EntryTokens)| {
            let known = words_of(passages, sign_bytes(dimension));
            let of_span = |span: &Range<usize>| {
                let inside = inside(&known, span);
                let found = similarity(&words, &vector, inside)?;
                let given = &inside[..inside.len().min(words_left)];
                words_left -= given.len();
                Some(SpanSimilarity {
                    words: given.iter().map(|word| word.compare(&words)).collect(),
                    ..found
                })
            };
            entry.spans.iter().map(of_span).collect()
        };
        Ok(SpanSimilarities {
            words: question.words,
            idfs,
            entries: self
                .entries
                .iter()
                .zip(&records.entries)
                .map(of_entry)
                .collect(),
        })
    }
}

/// The words of an entry in the order of its text. Of a word in the overlap of
/// two passages the first counts.
fn words_of(passages: &[PassageTokens], of_word: usize) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for passage in passages {
        let Some((signs, places)) = split_places(&passage.record) else {
            continue;
        };
        for place in places {
            let from = usize::from(place.vector) * of_word;
            if let Some(signs) = signs.get(from..from + of_word) {
                let start = passage.start + usize::from(place.start);
                words.push(Word { start, signs });
            }
        }
    }
    words.sort_by_key(|word| word.start);
    words.dedup_by_key(|word| word.start);
    words
}

/// The words that begin inside of a span.
fn inside<'w, 'r>(words: &'w [Word<'r>], span: &Range<usize>) -> &'w [Word<'r>] {
    let first = words.partition_point(|word| word.start < span.start);
    let rest = &words[first..];
    &rest[..rest.partition_point(|word| word.start < span.end)]
}

fn similarity(
    question: &QuestionWords,
    vector: &QuestionVector,
    words: &[Word<'_>],
) -> Option<SpanSimilarity> {
    let rows: Vec<&[u8]> = words.iter().map(|word| word.signs).collect();
    let signs = rows.concat();
    Some(SpanSimilarity {
        nearest: question.nearest(&signs)?,
        mean: vector.cosine_with_sum(&signs),
        words: Vec::new(),
    })
}

impl Word<'_> {
    fn compare(&self, question: &QuestionWords) -> SpanWord {
        let cosines = question.nearest(self.signs).unwrap_or_default();
        SpanWord {
            start: self.start,
            nearest: cosines.into_iter().reduce(f32::max).unwrap_or(0.0),
            signs: self.signs.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_api::{TokenPlace, push_places, push_signs};

    use super::*;

    const DIMENSION: usize = 64;

    fn vector(sign_of_second_half: f32) -> Vec<f32> {
        [[1.0; DIMENSION / 2], [sign_of_second_half; DIMENSION / 2]].concat()
    }

    /// A passage at byte 10 with two words, of which the second is the word of
    /// the question.
    fn records() -> TokenRecords {
        let mut record = Vec::new();
        push_signs(&vector(-1.0), &mut record);
        push_signs(&vector(1.0), &mut record);
        let place = |start, vector| TokenPlace { start, vector };
        push_places(&[place(0, 0), place(5, 1)], &mut record);
        TokenRecords::read(DIMENSION, 1, vec![(0, 10, record)])
    }

    fn compared(with_words: bool) -> Vec<Option<SpanSimilarity>> {
        let request = SpanRequest {
            words: vec!["pump".to_owned()],
            vectors: vector(1.0),
            vector: vector(1.0),
            entries: vec![EntrySpans {
                entry_id: "E1".to_owned(),
                spans: vec![10..15, 0..100, 16..100],
            }],
            with_words,
        };
        let found = request.compare(vec![1.0], &records());
        found.unwrap().entries.remove(0)
    }

    #[test]
    fn the_words_of_a_span_come_with_their_places_and_signs() {
        let found = compared(true);
        let words = &found[1].as_ref().unwrap().words;
        assert_eq!((words[0].start, words[1].start), (10, 15));
        assert!(words[0].nearest.abs() < 1e-6 && (words[1].nearest - 1.0).abs() < 1e-2);
        assert_eq!(words[0].signs, [255, 255, 255, 255, 0, 0, 0, 0]);
        assert_eq!(found[0].as_ref().unwrap().words, words[..1]);
        assert_eq!(found[2], None);
    }

    #[test]
    fn words_are_given_only_where_they_are_wanted() {
        let mut with_words = compared(true);
        let spans = with_words.iter_mut().flatten();
        spans.for_each(|span| span.words.clear());
        assert_eq!(compared(false), with_words);
    }
}
