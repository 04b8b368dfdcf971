//! Similarity of a question to spans of entries, from the token vectors that
//! are stored: no text is encoded but the question.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::setters::setters;

/// Where a word begins in its passage, and which vector it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPlace {
    /// The byte of the passage with which the word begins.
    pub start: u16,
    /// Which of the passage's token vectors is its own, from 0.
    pub vector: u16,
}

/// Appends places to the signs of a passage, which [`push_signs`] wrote. The
/// signs fill whole groups of 8 bytes. After them come 4 bytes for each place,
/// 4 zero bytes when the number of places is odd, and the number of places in
/// 4 bytes, all in little-endian order: the length of signs with places leaves
/// a remainder of 4 when divided by 8, and the length of signs alone none.
///
/// ```
/// use gannet_api::{TokenPlace, push_places, split_places};
///
/// let places = [TokenPlace { start: 4, vector: 0 }];
/// let mut signs = vec![7; 8];
/// push_places(&places, &mut signs);
/// assert_eq!(split_places(&signs), Some((&[7; 8][..], places.to_vec())));
/// assert_eq!(split_places(&[7; 8]), Some((&[7; 8][..], Vec::new())));
/// ```
///
/// [`push_signs`]: crate::push_signs
pub fn push_places(places: &[TokenPlace], signs: &mut Vec<u8>) {
    for place in places {
        signs.extend(place.start.to_le_bytes());
        signs.extend(place.vector.to_le_bytes());
    }
    if !places.len().is_multiple_of(2) {
        signs.extend([0; 4]);
    }
    let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
    signs.extend(count.to_le_bytes());
}

/// The signs and the places that [`push_places`] put after them, none where
/// there are signs alone; `None` when the bytes are neither.
pub fn split_places(record: &[u8]) -> Option<(&[u8], Vec<TokenPlace>)> {
    match record.len() % 8 {
        0 => return Some((record, Vec::new())),
        4 => {}
        _ => return None,
    }
    let (rest, count) = record.split_last_chunk::<4>()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    let length = count.checked_next_multiple_of(2)?.checked_mul(4)?;
    let (signs, places) = rest.split_at_checked(rest.len().checked_sub(length)?)?;
    let places = places.as_chunks::<4>().0.iter().take(count);
    let place = |bytes: &[u8; 4]| TokenPlace {
        start: u16::from_le_bytes([bytes[0], bytes[1]]),
        vector: u16::from_le_bytes([bytes[2], bytes[3]]),
    };
    Some((signs, places.map(place).collect()))
}

/// What spans of entries are compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpanSimilarityRequest {
    /// The question.
    pub query: String,
    /// Which spans.
    pub entries: Vec<EntrySpans>,
    /// The embedder of the question; the configured default when missing.
    #[serde(default)]
    pub provider: Option<String>,
    /// Whether the words of the spans are wanted too.
    #[serde(default)]
    pub words: bool,
}

/// Spans of one entry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EntrySpans {
    /// Which entry.
    pub entry_id: String,
    /// Ranges of bytes of its `raw_text`.
    pub spans: Vec<Range<usize>>,
}

impl SpanSimilarityRequest {
    /// The name of the service behind [`Host::call`](crate::Host::call): this
    /// request as JSON in, [`SpanSimilarities`] as JSON out.
    pub const SERVICE: &str = "span_similarity";

    /// A request for the default embedder.
    pub fn new(query: impl Into<String>, entries: Vec<EntrySpans>) -> Self {
        Self {
            query: query.into(),
            entries,
            provider: None,
            words: false,
        }
    }
}

setters!(SpanSimilarityRequest {
    with_provider(provider: impl Into<Option<String>>),
    with_words(words: bool),
});

/// How similar spans are to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpanSimilarities {
    /// The words of the question, without stop words, at most 64.
    pub words: Vec<String>,
    /// The inverse document frequency of each word in the text index.
    pub idfs: Vec<f64>,
    /// The spans of each entry, in the order of the request. `None` for a span
    /// without stored words.
    pub entries: Vec<Vec<Option<SpanSimilarity>>>,
}

/// How similar one span is to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanSimilarity {
    /// For each word of the question, the greatest cosine with a word of the
    /// span, -1 to 1.
    pub nearest: Vec<f32>,
    /// The cosine of the question with the mean of the words of the span.
    pub mean: f32,
    /// Where the request wants them, its stored words in the order of the
    /// text. Beyond [`limits::SPAN_WORDS`](crate::limits::SPAN_WORDS) of all
    /// spans together there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<SpanWord>,
}

/// A word of a span, which has a stored vector.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanWord {
    /// The byte of the `raw_text` of its entry with which it begins.
    pub start: usize,
    /// The greatest cosine with a word of the question, -1 to 1.
    pub nearest: f32,
    /// Its vector as [`push_signs`](crate::push_signs) writes it.
    pub signs: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_were_written() {
        for count in 0..5_u16 {
            let places: Vec<TokenPlace> = (0..count)
                .map(|at| TokenPlace {
                    start: at * 300,
                    vector: at,
                })
                .collect();
            let mut record = vec![1; 16];
            push_places(&places, &mut record);
            assert_eq!(record.len() % 8, 4);
            assert_eq!(split_places(&record), Some((&[1; 16][..], places)));
        }
    }

    #[test]
    fn bytes_that_are_cut_are_refused() {
        assert_eq!(split_places(&[0; 7]), None);
        assert_eq!(split_places(&[9, 0, 0, 0]), None);
        assert_eq!(split_places(&[255; 12]), None);
    }
}
