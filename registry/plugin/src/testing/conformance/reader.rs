//! The reader of the hosts that plugins are examined on: real hosts have one
//! built in.

use std::collections::HashSet;

use gannet_api::{ReadRequest, ReadSpan, Reading, query::is_stop_word};

/// How probable it is that what it chooses answers.
const PROBABILITY: f64 = 0.9;

/// Chooses the passage that shares most words with the question, the first of
/// several, from its beginning. Where none shares a word there is no answer.
pub(super) fn read(request: &ReadRequest) -> Reading {
    let asked: HashSet<String> = words(&request.question).collect();
    let passages = request.passages.iter().enumerate().rev();
    let shared = passages.map(|(place, passage)| {
        let text = passage.entry.raw_text.as_str();
        let own: HashSet<String> = words(text).collect();
        (own.intersection(&asked).count(), place, text)
    });
    match shared.max_by_key(|(shared, ..)| *shared) {
        Some((1.., place, text)) => {
            let end = text.char_indices().nth(request.max_chars);
            let range = 0..end.map_or(text.len(), |(end, _)| end);
            let span = ReadSpan::new(place, range, PROBABILITY);
            Reading::new(vec![span], 1.0 - PROBABILITY)
        }
        _ => Reading::new(Vec::new(), 1.0),
    }
}

/// The words of a text in lower case, but for stop words.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| !is_stop_word(word))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_api::{Entry, ReadPassage};

    use super::*;

    fn read_of(question: &str, texts: &[&str]) -> Reading {
        let passage = |text: &&str| {
            let time = "2024-01-05T08:30:00Z".parse().unwrap();
            ReadPassage::new(Entry::new("E", "log", time, *text), 1.0)
        };
        let passages = texts.iter().map(passage).collect();
        read(&ReadRequest::new(question, passages, 12))
    }

    #[test]
    fn the_passage_with_most_words_of_the_question_is_chosen_within_the_limit() {
        let texts = ["The RF.", "RF cavity é tripped.", "A cavity of RF."];
        let reading = read_of("Why did the RF cavity trip?", &texts);
        assert_eq!(reading.spans, [ReadSpan::new(1, 0..13, 0.9)]);
        assert!(reading.no_answer < 0.2);
    }

    #[test]
    fn nothing_is_chosen_where_no_word_is_shared() {
        let reading = read_of("Why did the fan stop?", &["The RF."]);
        assert_eq!(reading, Reading::new(Vec::new(), 1.0));
    }
}
