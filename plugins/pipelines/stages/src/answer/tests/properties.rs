//! What holds of every answer, whatever the entries say and a reader chose.

use gannet_plugin::plan::Intent;
use gannet_plugin::provider::{ReadSpan, Reading};
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::quoted::on_one_line;
use super::super::sentences::{Sentence, is_row};
use super::super::*;
use super::{entry, input, plan};

/// Texts as logbooks have them, with marks at which sentences are split.
const BODY: &str =
    "(([A-Za-z0-9]{1,8}|retracted report|\\| P1 \\||é。|<br/>)[ .,!?\n*-]{1,2}){0,60}";

/// A span as two places in a text, with its probability and an answer in it.
type Part = (Index, [Index; 4], f64);

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let part = (any::<Index>(), any::<[Index; 4]>(), 0.0..=1.0);
    prop::collection::vec(part, 0..6)
}

/// The range between two places of a text, between characters.
fn range(text: &str, one: Index, other: Index) -> Range<usize> {
    let place = |index: Index| text.floor_char_boundary(index.index(text.len() + 1));
    let (one, other) = (place(one), place(other));
    one.min(other)..one.max(other)
}

fn reading(parts: &[Part], entries: &[Entry], no_answer: f64) -> Reading {
    let spans = parts.iter().map(|(place, [a, b, c, d], probability)| {
        let place = place.index(entries.len());
        let text = entries[place].raw_text.as_str();
        let span = range(text, *a, *b);
        let answer = range(&text[span.clone()], *c, *d);
        let answer = span.start + answer.start..span.start + answer.end;
        ReadSpan::new(place, span, *probability).with_answers(vec![answer])
    });
    Reading::new(spans.collect(), no_answer)
}

/// Whether a quote is a run of sentences of its entry, each as it is quoted.
fn is_in(quote: &Quote, entry: &Entry) -> bool {
    let text = entry.raw_text.as_str();
    let as_quoted = |sentence: &Sentence| {
        let end = if is_row(&sentence.text) { " /" } else { "" };
        quoted(text, &sentence.range) + end
    };
    let sentences: Vec<String> = split_sentences(text).iter().map(as_quoted).collect();
    let runs = (0..sentences.len()).flat_map(|start| {
        let ends = start + 1..=sentences.len();
        ends.map(move |end| start..end)
    });
    let mut runs = runs.map(|run| sentences[run].join(" "));
    runs.any(|run| run.strip_suffix(" /").unwrap_or(&run) == quote.text)
}

proptest! {
    #[test]
    fn every_quote_stands_in_its_entry_and_within_the_limits(
        bodies in prop::collection::vec(BODY, 1..4),
        parts in parts(),
        no_answer in 0.0..=PARTIAL_PROBABILITY,
    ) {
        let entries: Vec<Entry> = (0..).zip(&bodies).map(|(number, body)| {
            entry(&format!("E{number}"), "2024-01-02", "Title.", body)
        }).collect();
        let plan = plan("what about the pump?", Intent::Find);
        let reading = reading(&parts, &entries, no_answer);
        let answer = compose_answer(&input(&plan, &entries), &reading);
        let is_answer = answer.status != AnswerStatus::Insufficient;
        let mut chars = 0;
        for quote in &answer.quotes {
            let of = entries.iter().find(|entry| entry.entry_id == quote.entry_id).unwrap();
            prop_assert!(!is_answer || is_in(quote, of), "{quote:?} of {:?}", of.raw_text);
            prop_assert!(answer.text.contains(&quote.line()));
            prop_assert!(answer.citations.contains(&quote.entry_id));
            chars += quote.text.chars().count();
        }
        prop_assert!(answer.quotes.len() <= QUOTES_AT_MOST);
        // The blanks between sentences of a quote come on top.
        prop_assert!(chars <= QUOTED_CHARS_AT_MOST + QUOTED_CHARS_AT_MOST / 2);
    }

    #[test]
    fn what_is_marked_is_what_the_reader_named(
        bodies in prop::collection::vec(BODY, 1..4),
        parts in parts(),
    ) {
        let entries: Vec<Entry> = bodies.iter().map(|body| {
            entry("E", "2024-01-02", "Title.", body)
        }).collect();
        let plan = plan("what about the pump?", Intent::Find);
        let reading = reading(&parts, &entries, 0.0);
        let answer = compose_answer(&input(&plan, &entries), &reading);
        let named = |span: &ReadSpan| {
            on_one_line(&entries[span.passage].raw_text[span.answers[0].clone()])
        };
        let named: Vec<String> = reading.spans.iter().map(named).collect();
        let mut end = 0;
        for range in &answer.highlights {
            prop_assert!(range.start >= end, "{:?}", answer.highlights);
            end = range.end;
            let words = answer.text.get(range.clone()).unwrap();
            prop_assert!(named.iter().any(|one| one == words), "{words:?} of {named:?}");
        }
        let in_quotes: usize = answer.quotes.iter().map(|quote| quote.highlights.len()).sum();
        prop_assert_eq!(in_quotes, answer.highlights.len());
    }

    #[test]
    fn any_text_and_any_spans_are_answered_without_a_panic(
        question in ".{0,60}",
        bodies in prop::collection::vec("\\PC{0,200}", 0..3),
        spans in prop::collection::vec(
            (0..4usize, any::<[u8; 4]>(), any::<f64>()), 0..4
        ),
        no_answer in any::<f64>(),
    ) {
        let plan = plan(&question, Intent::YesNo);
        let entries: Vec<Entry> = bodies.iter().map(|body| {
            entry("1", "2024-01-02", "T", body)
        }).collect();
        let spans = spans.into_iter().map(|(place, bytes, probability)| {
            let [a, b, c, d] = bytes.map(usize::from);
            let answer = Range { start: c, end: d };
            let range = Range { start: a, end: b };
            ReadSpan::new(place, range, probability).with_answers(vec![answer])
        });
        let reading = Reading::new(spans.collect(), no_answer);
        let answer = compose_answer(&input(&plan, &entries), &reading);
        prop_assert!(!answer.text.is_empty());
        prop_assert!(answer.confidence.is_none_or(|one| (0.0..=1.0).contains(&one)));
        for range in &answer.highlights {
            prop_assert!(answer.text.get(range.clone()).is_some());
        }
        let unasked = without_reader(&input(&plan, &entries));
        prop_assert!(unasked.is_none_or(|answer| !answer.text.is_empty()));
    }
}
