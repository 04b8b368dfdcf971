//! The reader of the deterministic answer: what it makes of the entries, and
//! what stands when it cannot be asked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::time::Duration;

use fixture::{found, hit_ids, host, host_with, noted, run, says, searches, setup, without_model};
use gannet_plugin::entry::DEFAULT_TENANT;
use gannet_plugin::host::{Call, Deadline};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::Error;
use gannet_plugin::provider::{ReadSpan, Reading};
use gannet_plugin::search::ScoreKind;
use serde_json::json;

const CLOSEST: &str = "Closest entries, not an answer:\n- On 2024-03-15 (J. Smith): ";

fn pair(source: &str, category: &str) -> (String, String) {
    (source.to_owned(), category.to_owned())
}

#[test]
fn when_the_time_is_over_the_closest_entries_are_cited_without_a_reader() {
    let time = Duration::from_millis(30);
    let deadline = Deadline::after(time);
    // As hosts do, it refuses what comes after the deadline.
    let late = move || Error::Timeout {
        operation: "the reader".to_owned(),
        limit: Duration::ZERO,
    };
    let host = host_with([searches("trip"), says("Too late.")])
        .on_search_module("keyword", move |_| {
            while !deadline.has_passed() {
                std::hint::spin_loop();
            }
            Ok(found(ScoreKind::Bm25, &["A", "B"]))
        })
        .on_read(move |_| {
            assert!(deadline.has_passed());
            Err(late())
        });
    let context = host.context_of(Call::new("test", DEFAULT_TENANT, deadline));
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert!(answer.degraded);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(answer.citations, ["A", "B"]);
    assert_eq!(hit_ids(&answer), ["A", "B"]);
    let text = answer.answer.unwrap();
    assert!(text.starts_with(CLOSEST), "{text}");
    let expected = [pair("agent", "timeout"), pair("answer", "timeout")];
    assert_eq!(noted(&context), expected);
}

#[test]
fn a_reader_that_fails_leaves_the_closest_entries() {
    let host = host().on_read(|_| Err(Error::internal("broken")));
    let context = host.context();
    let answer = run(json!({}), &without_model(), &context).unwrap();
    assert!(answer.degraded);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(answer.answer_confidence, None);
    assert_eq!(answer.citations, ["A", "B", "C"]);
    assert!(answer.answer.unwrap().starts_with(CLOSEST));
    let expected = [pair("agent", "configuration"), pair("answer", "internal")];
    assert_eq!(noted(&context), expected);
}

#[test]
fn the_closest_entries_are_named_where_the_reader_finds_nothing() {
    let host = host().on_read(|_| Ok(Reading::new(Vec::new(), 1.0)));
    let answer = run(json!({}), &without_model(), &host.context()).unwrap();
    assert!(!answer.degraded);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(answer.answer_confidence, Some(0.0));
    assert_eq!(answer.citations, ["A", "B", "C"]);
    let text = answer.answer.unwrap();
    assert!(
        text.starts_with("No entry answers this. Closest:\n"),
        "{text}"
    );
}

#[test]
fn an_answer_has_the_readers_probability_and_marks_its_words() {
    let host = host().on_read(|request| {
        let scores: Vec<f64> = request.passages.iter().map(|one| one.score).collect();
        assert!(
            scores.is_sorted_by(|a, b| a >= b) && scores[0] > 0.0,
            "{scores:?}"
        );
        let text = &request.passages[0].entry.raw_text;
        let start = text.find("interlock").unwrap();
        let range = start..start + "interlock".len();
        let span = ReadSpan::new(0, range.clone(), 0.9).with_answers(vec![range]);
        Ok(Reading::new(vec![span], 0.1))
    });
    let answer = run(json!({}), &without_model(), &host.context()).unwrap();
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(answer.answer_confidence, Some(0.9));
    let words = &answer.answer.unwrap()[answer.answer_highlights[0].clone()];
    assert_eq!(words, "interlock");
}

#[test]
fn no_reader_is_asked_where_a_model_answers() {
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    let answer = run(json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(answer.answer_confidence, None);
    assert!(answer.answer_highlights.is_empty());
    assert!(host.calls().reads.is_empty());
}
