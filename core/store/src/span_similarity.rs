//! Similarity of a question to spans of entries, from stored token vectors.

use std::ops::Range;

use gannet_api::{EntrySpans, SpanSimilarities, SpanSimilarity, sign_bytes, split_places};

use crate::error::StoreError;
use crate::request::LateInteraction;
use crate::vector::{QuestionVector, QuestionWords};

/// Words of a question that are compared.
const MOST_WORDS: usize = 64;

/// A question and the spans that are compared with it.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanRequest {
    /// Whose token vectors are compared.
    pub model: String,
    /// The words of the question.
    pub words: Vec<String>,
    /// Their vectors by the model, all dimensions of the first word first.
    pub vectors: Vec<f32>,
    /// The vector of the question by the model.
    pub vector: Vec<f32>,
    /// Which spans.
    pub entries: Vec<EntrySpans>,
}

/// The token vectors of one passage, as the records have them.
pub(crate) struct TokenRow {
    /// The place of its entry among those asked.
    pub(crate) entry: usize,
    /// Where the passage begins in the text of its entry, in bytes.
    pub(crate) start: usize,
    /// Signs and places.
    pub(crate) record: Vec<u8>,
}

impl TokenRow {
    /// The place of an entry, where a passage begins, and its record.
    pub(crate) fn read((entry, start, record): (i64, i64, Vec<u8>)) -> Option<Self> {
        Some(Self {
            entry: usize::try_from(entry).ok()?,
            start: usize::try_from(start).ok()?,
            record,
        })
    }
}

/// A word of an entry.
struct Word<'r> {
    start: usize,
    signs: &'r [u8],
}

impl SpanRequest {
    /// The ids of the entries, in order.
    pub(crate) fn entry_ids(&self) -> Vec<String> {
        let ids = self.entries.iter().map(|entry| &entry.entry_id);
        ids.cloned().collect()
    }

    /// The words that are compared: the first of a long question.
    pub(crate) fn compared_words(&self) -> &[String] {
        &self.words[..self.words.len().min(MOST_WORDS)]
    }

    /// What the spans have of the question, without any row: nothing.
    pub(crate) fn without_vectors(&self) -> SpanSimilarities {
        let none = |entry: &EntrySpans| vec![None; entry.spans.len()];
        SpanSimilarities {
            words: self.compared_words().to_vec(),
            idfs: Vec::new(),
            entries: self.entries.iter().map(none).collect(),
        }
    }

    /// Compares, with the idf of each of the compared words.
    ///
    /// # Errors
    /// [`StoreError::InvalidRequest`] when the vectors are not those of the
    /// words.
    pub(crate) fn compare(
        &self,
        dimension: usize,
        idfs: Vec<f64>,
        rows: &[TokenRow],
    ) -> Result<SpanSimilarities, StoreError> {
        let words = self.compared_words().to_vec();
        let vectors = self.vectors.get(..words.len() * dimension);
        let question = LateInteraction {
            model: self.model.clone(),
            words,
            vectors: vectors.unwrap_or(&self.vectors).to_vec(),
            entry_ids: Vec::new(),
        };
        let words = question.weighted(dimension, &idfs)?;
        let vector = QuestionVector::new(&self.vector)?;
        let of_entry = |(place, entry): (usize, &EntrySpans)| {
            let known = words_of(rows, place, sign_bytes(dimension));
            let of_span = |span: &Range<usize>| similarity(&words, &vector, &known, span);
            entry.spans.iter().map(of_span).collect()
        };
        Ok(SpanSimilarities {
            words: question.words,
            idfs,
            entries: self.entries.iter().enumerate().map(of_entry).collect(),
        })
    }
}

/// The words of an entry in the order of its text. Of a word in the overlap of
/// two passages the first counts.
fn words_of(rows: &[TokenRow], entry: usize, of_word: usize) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.entry == entry) {
        let Some((signs, places)) = split_places(&row.record) else {
            continue;
        };
        for place in places {
            let from = usize::from(place.vector) * of_word;
            if let Some(signs) = signs.get(from..from + of_word) {
                let start = row.start + usize::from(place.start);
                words.push(Word { start, signs });
            }
        }
    }
    words.sort_by_key(|word| word.start);
    words.dedup_by_key(|word| word.start);
    words
}

fn similarity(
    question: &QuestionWords,
    vector: &QuestionVector,
    words: &[Word<'_>],
    span: &Range<usize>,
) -> Option<SpanSimilarity> {
    let first = words.partition_point(|word| word.start < span.start);
    let inside = words[first..]
        .iter()
        .take_while(|word| word.start < span.end);
    let signs: Vec<u8> = inside.flat_map(|word| word.signs).copied().collect();
    Some(SpanSimilarity {
        nearest: question.nearest(&signs)?,
        mean: vector.cosine_with_sum(&signs),
    })
}
