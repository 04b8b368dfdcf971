//! What the built-in reader makes of entries, through its public face.
#![allow(clippy::unwrap_used)]

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Entry, NoSettings, Setup};
use gannet_plugin::provider::{ReadPassage, ReadRequest, Reader, Reading};
use gannet_plugin::query::ParsedQuery;
use gannet_plugin::search::{SpanSimilarities, SpanSimilarity};
use gannet_plugin::testing::FakeHost;
use gannet_reader::BuiltinReader;
use proptest::prelude::*;

const MAX_CHARS: usize = 600;

fn request(question: &str, texts: &[&str]) -> ReadRequest {
    let passages = (0..).zip(texts).map(|(number, text)| {
        let time = "2024-03-15T10:30:00Z".parse().unwrap();
        let entry = Entry::new(format!("E{number}"), "log", time, *text);
        ReadPassage::new(entry, 1.0 - 0.1 * f64::from(number))
    });
    let plan = QueryPlan::of_terms(question, ParsedQuery::default());
    ReadRequest::new(question, passages.collect(), MAX_CHARS).with_plan(std::sync::Arc::new(plan))
}

fn read_on(host: FakeHost, request: &ReadRequest) -> Reading {
    let setup = Setup::default().with_timezone("UTC");
    let reader = BuiltinReader::new(NoSettings::default(), &setup).unwrap();
    pollster::block_on(reader.read(request.clone(), &host.context())).unwrap()
}

fn read(request: &ReadRequest) -> Reading {
    read_on(FakeHost::default(), request)
}

/// The spans as they stand in the entries.
fn quoted<'r>(reading: &Reading, request: &'r ReadRequest) -> Vec<&'r str> {
    let spans = reading.spans.iter();
    let text = |passage: usize| &request.passages[passage].entry.raw_text;
    spans
        .map(|span| &text(span.passage)[span.range.clone()])
        .collect()
}

const PUMP: &str = "Feed pump 2 stopped at 04:10 and the shift leader was informed. The motor coupling \
                    had broken because of wear. The coupling was replaced, and the pump ran again \
                    at 07:30. The canteen was closed on that day.";

#[test]
fn the_sentence_that_answers_is_chosen() {
    let request = request("why did the motor coupling break?", &[PUMP]);
    let reading = read(&request);
    let quotes = quoted(&reading, &request);
    assert!(
        quotes.iter().any(|quote| quote.contains("because of wear")),
        "{quotes:?}"
    );
    assert!(
        !quotes.iter().any(|quote| quote.contains("canteen")),
        "{quotes:?}"
    );
}

#[test]
fn an_entry_about_something_else_probably_does_not_answer() {
    let answered = read(&request("why did feed pump 2 stop?", &[PUMP])).no_answer;
    let other = "Two visitors from the ministry saw the control room. Lunch was served at noon.";
    let not_answered = read(&request("why did feed pump 2 stop?", &[other])).no_answer;
    assert!(answered < not_answered, "{answered} {not_answered}");
    assert!(not_answered > 0.6, "{not_answered}");
}

#[test]
fn a_number_that_is_asked_for_is_marked() {
    let text = "The ion pump of sector 4 was exchanged. Base pressure was 4.5e-10 mbar afterwards.";
    let request = request("how high was the base pressure?", &[text]);
    let reading = read(&request);
    let marked = reading.spans.iter().flat_map(|span| &span.answers);
    let marked: Vec<&str> = marked.map(|range| &text[range.clone()]).collect();
    assert!(marked.contains(&"4.5e-10"), "{marked:?}");
}

#[test]
fn nothing_is_read_in_nothing() {
    for texts in [&[][..], &[""], &["...", "--"]] {
        let reading = read(&request("why?", texts));
        assert!(reading.spans.is_empty());
        assert!((reading.no_answer - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_sentence_that_is_nearer_by_its_token_vectors_is_more_probable() {
    let text = "Alpha unit was looked at. Beta unit was looked at.";
    let request = request("what became of gamma?", &[text]);
    let probability_of_second = |second: f32| {
        let host = FakeHost::default().on_span_similarity(move |_| {
            let of = |nearest: f32| {
                Some(SpanSimilarity {
                    nearest: vec![nearest],
                    mean: nearest,
                    ..SpanSimilarity::default()
                })
            };
            Ok(SpanSimilarities {
                words: vec!["gamma".to_owned()],
                idfs: vec![5.0],
                entries: vec![vec![of(0.1), of(second), of(second)]],
            })
        });
        let reading = read_on(host, &request);
        let second = reading.spans.iter().find(|span| span.range.start > 20);
        second.map_or(0.0, |span| span.probability)
    };
    assert!(probability_of_second(0.9) > probability_of_second(0.12));
}

proptest! {
    #[test]
    fn spans_are_inside_of_their_texts_and_within_the_budget(
        question in "\\PC{0,40}",
        texts in prop::collection::vec("(\\PC{0,60}[.!?\n] ?){0,20}", 0..4),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let request = request(&question, &texts);
        let reading = read(&request);
        let quotes = quoted(&reading, &request);
        prop_assert!(quotes.iter().map(|quote| quote.chars().count()).sum::<usize>() <= MAX_CHARS);
        prop_assert!((0.0..=1.0).contains(&reading.no_answer));
        for span in &reading.spans {
            prop_assert!((0.0..=1.0).contains(&span.probability));
            for answer in &span.answers {
                prop_assert!(span.range.start <= answer.start && answer.end <= span.range.end);
            }
        }
        prop_assert_eq!(&read(&request), &reading);
    }
}
