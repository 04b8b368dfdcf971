//! From the spans of a reader to the sentences that are quoted.

use std::ops::Range;

use gannet_plugin::prelude::Entry;
use gannet_plugin::provider::{ReadSpan, Reading};

use super::quoted::on_one_line;
use super::sentences::{Sentence, is_row, split_sentences};
use super::{QUOTED_CHARS_AT_MOST, QUOTES_AT_MOST, quoted};

/// A sentence that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    /// The place of its entry among those given.
    pub(super) entry: usize,
    /// Its place in the entry.
    pub(super) index: usize,
    /// As it is quoted.
    pub(super) text: String,
    /// Whether it is a row of a table.
    pub(super) is_row: bool,
    /// The probability that it answers; 0 where no reader chose it.
    pub(super) probability: f64,
    /// The bytes of `text` with the words that answer, in order.
    pub(super) highlights: Vec<Range<usize>>,
}

impl Chosen {
    /// A sentence of an entry without words that are marked.
    pub(super) fn new(entry: usize, index: usize, of: &str, sentence: &Sentence) -> Self {
        Self {
            entry,
            index,
            text: quoted(of, &sentence.range),
            is_row: is_row(&sentence.text),
            probability: 0.0,
            highlights: Vec::new(),
        }
    }

    pub(super) fn chars(&self) -> usize {
        self.text.chars().count()
    }

    /// Whether they are the same sentence.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.entry, self.index) == (other.entry, other.index)
    }

    /// Marks words that answer, apart from those that are marked already.
    fn mark(&mut self, range: Range<usize>) {
        if !self.highlights.iter().any(|other| overlap(other, &range)) {
            self.highlights.push(range);
            self.highlights.sort_by_key(|range| range.start);
        }
    }
}

/// The sentences in which the spans are, as many as an answer may quote, in
/// the order of the reading; sentences of one entry in that of its text.
pub(super) fn sentences_of(reading: &Reading, entries: &[Entry]) -> Vec<Chosen> {
    let mut chosen: Vec<Chosen> = Vec::new();
    for span in &reading.spans {
        let Some(entry) = entries.get(span.passage) else {
            continue;
        };
        for sentence in sentences_with(span, entry) {
            add(&mut chosen, sentence);
        }
    }
    let order: Vec<usize> = chosen.iter().map(|one| one.entry).collect();
    let first = |entry: usize| order.iter().position(|other| *other == entry);
    chosen.sort_by_key(|one| (first(one.entry), one.index));
    chosen
}

/// The sentences that a span is a part of, with the words that answer.
fn sentences_with(span: &ReadSpan, entry: &Entry) -> Vec<Chosen> {
    let text = entry.raw_text.as_str();
    let sentences = split_sentences(text).into_iter().enumerate();
    let inside = sentences.filter(|(_, sentence)| overlap(&sentence.range, &span.range));
    let chosen = inside.map(|(index, sentence)| {
        let mut one = Chosen::new(span.passage, index, text, &sentence);
        one.probability = span.probability;
        for answer in &span.answers {
            if let Some(range) = place_of(answer, &one.text, text, &sentence.range) {
                one.mark(range);
            }
        }
        one
    });
    chosen.collect()
}

/// Where words of an entry stand in a sentence as it is quoted: of the places
/// with these words, the one nearest to where they are in the entry.
fn place_of(
    words: &Range<usize>,
    quote: &str,
    text: &str,
    sentence: &Range<usize>,
) -> Option<Range<usize>> {
    let is_inside = sentence.start <= words.start && words.end <= sentence.end;
    let up_to_them = text.get(sentence.start..words.end).filter(|_| is_inside)?;
    let words = on_one_line(text.get(words.clone())?);
    let expected = on_one_line(up_to_them).len().saturating_sub(words.len());
    let places = quote.match_indices(&words).map(|(at, _)| at);
    let nearest = places.min_by_key(|at| at.abs_diff(expected));
    let nearest = nearest.filter(|_| !words.is_empty())?;
    Some(nearest..nearest + words.len())
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Adds a sentence, where there is room for it. One that is there already gets
/// the marks of both.
fn add(chosen: &mut Vec<Chosen>, one: Chosen) {
    if let Some(known) = chosen.iter_mut().find(|other| other.is_same(&one)) {
        known.probability = known.probability.max(one.probability);
        for range in one.highlights {
            known.mark(range);
        }
        return;
    }
    chosen.push(one);
    if !fit(chosen) {
        chosen.pop();
    }
}

/// Whether an answer may quote all of these sentences.
pub(super) fn fit(chosen: &[Chosen]) -> bool {
    let chars: usize = chosen.iter().map(Chosen::chars).sum();
    chars <= QUOTED_CHARS_AT_MOST && quotes(chosen) <= QUOTES_AT_MOST
}

fn quotes(chosen: &[Chosen]) -> usize {
    let places: Vec<(usize, usize)> = chosen.iter().map(|one| (one.entry, one.index)).collect();
    quotes_of(&places)
}

/// How many quotes sentences make, each given by its entry and its place there:
/// neighbours are one.
pub fn quotes_of(places: &[(usize, usize)]) -> usize {
    let opens = |&&(entry, at): &&(usize, usize)| at == 0 || !places.contains(&(entry, at - 1));
    places.iter().filter(opens).count()
}

/// The sentences with which an entry begins.
pub(super) fn beginning(entry: usize, of: &Entry) -> Vec<Chosen> {
    let mut chars = 0;
    let all = split_sentences(&of.raw_text).into_iter().enumerate();
    let all = all.map(|(index, sentence)| Chosen::new(entry, index, &of.raw_text, &sentence));
    let beginning = all.take_while(|one| {
        chars += one.chars();
        chars <= QUOTED_CHARS_AT_MOST
    });
    beginning.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(text: &str) -> Entry {
        Entry::new("1", "log", "2024-03-15T10:30:00Z".parse().unwrap(), text)
    }

    #[test]
    fn a_span_is_quoted_with_the_sentence_around_it() {
        let entries = [entry("Beam lost. The valve leaked at 3 bar. Reset.")];
        let range = 31..36;
        assert_eq!(&entries[0].raw_text[range.clone()], "3 bar");
        let span = ReadSpan::new(0, range.clone(), 0.9).with_answers(vec![range]);
        let chosen = sentences_of(&Reading::new(vec![span], 0.1), &entries);
        assert_eq!(chosen.len(), 1);
        assert_eq!(chosen[0].text, "The valve leaked at 3 bar.");
        assert_eq!(&chosen[0].text[chosen[0].highlights[0].clone()], "3 bar");
    }

    #[test]
    fn two_spans_of_a_sentence_are_one_quote() {
        let entries = [entry("The valve leaked at 3 bar.")];
        let span =
            |range: Range<usize>| ReadSpan::new(0, range.clone(), 0.5).with_answers(vec![range]);
        let reading = Reading::new(vec![span(20..25), span(4..9)], 0.1);
        let chosen = sentences_of(&reading, &entries);
        assert_eq!(chosen.len(), 1);
        assert_eq!(chosen[0].highlights, [4..9, 20..25]);
    }

    #[test]
    fn the_words_that_answer_are_marked_where_they_stand() {
        let entries = [entry("Pump 2 ran\n at 12 bar for 2 2 hours.")];
        for (place, _) in entries[0].raw_text.match_indices('2') {
            let digit = place..place + 1;
            let span = ReadSpan::new(0, 0..5, 0.9).with_answers(vec![digit]);
            let chosen = sentences_of(&Reading::new(vec![span], 0.1), &entries);
            // The line break and the blank below it are one blank.
            let start = if place < 10 { place } else { place - 1 };
            let expected = start..start + 1;
            assert_eq!(chosen[0].highlights, [expected]);
        }
    }

    #[test]
    fn words_that_answer_are_not_marked_in_another_sentence() {
        let entries = [entry("Pump 2 tripped. Pump 3 ran for 2 hours.")];
        let place = entries[0].raw_text.rfind('2').unwrap();
        let digit = place..place + 1;
        let span = ReadSpan::new(0, 0..39, 0.9).with_answers(vec![digit]);
        let chosen = sentences_of(&Reading::new(vec![span], 0.1), &entries);
        assert_eq!(chosen.len(), 2);
        assert!(chosen[0].highlights.is_empty());
        assert_eq!(chosen[1].highlights.len(), 1);
    }

    #[test]
    fn quotes_stay_within_their_limits() {
        let text = [
            "One pump tripped. Two pumps tripped. ",
            &"x".repeat(590),
            ".",
        ]
        .concat();
        let entries = [entry(&text)];
        let all = ReadSpan::new(0, 0..text.len(), 0.5);
        let chosen = sentences_of(&Reading::new(vec![all], 0.5), &entries);
        assert!(chosen.iter().map(Chosen::chars).sum::<usize>() <= QUOTED_CHARS_AT_MOST);
        assert!(!chosen.is_empty());
    }
}
