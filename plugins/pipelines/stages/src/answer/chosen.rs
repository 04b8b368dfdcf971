//! From the spans of a reader to the sentences that are quoted.

use std::ops::Range;

use gannet_plugin::prelude::Entry;
use gannet_plugin::provider::{ReadSpan, Reading};

use super::sentences::{Sentence, split_sentences};
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
            probability: 0.0,
            highlights: Vec::new(),
        }
    }

    pub(super) fn chars(&self) -> usize {
        self.text.chars().count()
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
    let sentences = split_sentences(&entry.raw_text).into_iter().enumerate();
    let inside = sentences.filter(|(_, sentence)| {
        sentence.range.start < span.range.end && span.range.start < sentence.range.end
    });
    let chosen = inside.map(|(index, sentence)| {
        let mut one = Chosen::new(span.passage, index, &entry.raw_text, &sentence);
        one.probability = span.probability;
        let answers = span.answers.iter();
        let answers = answers.filter_map(|range| entry.raw_text.get(range.clone()));
        for answer in answers {
            mark(&mut one, answer);
        }
        one
    });
    chosen.collect()
}

/// Marks the first place of these words in a sentence that has them.
fn mark(chosen: &mut Chosen, words: &str) {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = chosen.text.find(&words).filter(|_| !words.is_empty());
    let Some(start) = start else {
        return;
    };
    let range = start..start + words.len();
    let overlaps = |other: &Range<usize>| other.start < range.end && range.start < other.end;
    if !chosen.highlights.iter().any(overlaps) {
        chosen.highlights.push(range);
        chosen.highlights.sort_by_key(|range| range.start);
    }
}

/// Adds a sentence, where there is room for it. One that is there already gets
/// the marks of both.
fn add(chosen: &mut Vec<Chosen>, one: Chosen) {
    let is_same = |other: &&mut Chosen| (other.entry, other.index) == (one.entry, one.index);
    if let Some(known) = chosen.iter_mut().find(is_same) {
        for range in one.highlights {
            let words = one.text[range].to_owned();
            mark(known, &words);
        }
        return;
    }
    let chars: usize = chosen.iter().map(Chosen::chars).sum();
    if chars + one.chars() > QUOTED_CHARS_AT_MOST {
        return;
    }
    chosen.push(one);
    if quotes(chosen) > QUOTES_AT_MOST {
        chosen.pop();
    }
}

/// How many quotes the sentences make: neighbours are one.
fn quotes(chosen: &[Chosen]) -> usize {
    let is_there = |entry, index| chosen.iter().any(|c| (c.entry, c.index) == (entry, index));
    let opens = |one: &&Chosen| one.index == 0 || !is_there(one.entry, one.index - 1);
    chosen.iter().filter(opens).count()
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
