//! What a reader says of the entries, and the answer that follows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{ask_on, extension, host, ids, listening, pipeline, request, unsure, with_model};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::{Intent, QueryPlan};
use gannet_plugin::prelude::{Answer, Error, Pipeline};
use gannet_plugin::provider::{ChatChunk, ReadSpan, Reading};
use gannet_plugin::testing::FakeHost;
use serde_json::json;

const QUESTION: &str = "what caused the trip of CAV1?";

/// The answer of a host where nothing else decides.
fn answer_of(host: &FakeHost) -> Answer {
    ask_on(host, json!({}), QUESTION, json!({}))
}

fn nothing_answers() -> FakeHost {
    host().on_read(|_| Ok(Reading::new(Vec::new(), 1.0)))
}

fn failing() -> FakeHost {
    host().on_read(|_| {
        Err(Error::Unavailable {
            message: "this host has no readers".to_owned(),
        })
    })
}

/// Status and code of the answer in its context.
fn status(answer: &Answer) -> (&str, &str) {
    let context = extension(answer, "contextAnswer");
    let text = |key: &str| context[key].as_str().unwrap();
    (text("status"), text("code"))
}

#[test]
fn an_answer_has_the_readers_probability_and_marks_its_words() {
    let host = host().on_read(|request| {
        let text = &request.passages[0].entry.raw_text;
        let start = text.find("a worn circulator").unwrap();
        let range = start..start + "a worn circulator".len();
        let span = ReadSpan::new(0, range.clone(), 0.9).with_answers(vec![range]);
        Ok(Reading::new(vec![span], 0.1))
    });
    let answer = answer_of(&host);
    assert_eq!(status(&answer), ("grounded", "answered"));
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(answer.answer_confidence, Some(0.9));
    let words = &answer.answer.unwrap()[answer.answer_highlights[0].clone()];
    assert_eq!(words, "a worn circulator");
}

#[test]
fn what_may_answer_is_partial() {
    let answer = answer_of(&host().on_read(|request| Ok(unsure(request))));
    assert_eq!(status(&answer), ("insufficient", "closest_entries"));
    assert_eq!(answer.answer_status, Some(AnswerStatus::Partial));
    assert_eq!(answer.answer_confidence, Some(0.5));
    let start = "This may answer the question:\n- On 2025-03-01: ";
    assert!(answer.answer.unwrap().starts_with(start));
}

#[test]
fn the_closest_entries_are_named_where_nothing_answers() {
    let answer = answer_of(&nothing_answers());
    assert_eq!(status(&answer), ("insufficient", "closest_entries"));
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(answer.answer_confidence, Some(0.0));
    assert_eq!(ids(&answer), ids(&answer_of(&host())));
    assert_eq!(answer.citations, ids(&answer)[..3]);
    let evidence = &extension(&answer, "contextAnswer")["evidence"];
    assert_eq!(evidence.as_array().unwrap().len(), 3);
    let start = "No entry answers this. Closest:\n- On 2025-03-01: CAV1 tripped [#LOG-1]\n";
    let text = answer.answer.unwrap();
    assert!(text.starts_with(start), "{text}");
    assert!(!answer.degraded);
}

#[test]
fn a_reader_that_fails_leaves_the_closest_entries_and_is_noted() {
    let (context, _) = listening(&failing());
    let unified = pipeline(json!({}), &fixture::setup());
    let run = unified.run(request(QUESTION, json!({})), &context);
    let answer = pollster::block_on(run).unwrap();
    assert!(answer.degraded);
    assert_eq!(status(&answer), ("insufficient", "closest_entries"));
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(answer.answer_confidence, None);
    assert_eq!(answer.citations, ids(&answer)[..3]);
    let notes = context.diagnostics.take();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].category.as_deref(), Some("unavailable"));
}

#[test]
fn the_words_of_a_model_have_no_probability_and_need_no_reader() {
    for host in [host(), failing()] {
        let host = host.on_chat(|_| {
            let said = ChatChunk::Token("A worn circulator [#LOG-1].".to_owned());
            Ok(vec![Ok(said), Ok(ChatChunk::End("stop".to_owned()))])
        });
        let unified = pipeline(json!({}), &with_model());
        let asked = request(QUESTION, json!({ "answer": "model" }));
        let answer = pollster::block_on(unified.run(asked, &host.context())).unwrap();
        assert_eq!(answer.answer_confidence, None);
        assert!(answer.answer_highlights.is_empty());
        assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
        assert!(!answer.degraded);
    }
}

/// The answer to a comparison of both cavities, where the reader is so sure of
/// what it finds for the second.
fn compared(no_answer: f64) -> Answer {
    let host = host()
        .on_query_plan(|request| {
            let plan = QueryPlan::of_terms(&request.text, Default::default());
            Ok(plan.with_intent(Intent::Compare))
        })
        .on_read(move |request| {
            let mut reading = unsure(request);
            let first = &request.passages[0].entry.entry_id;
            reading.no_answer = if first == "LOG-3" { no_answer } else { 0.1 };
            Ok(reading)
        });
    let configured = json!({ "aliases": { "CAV1": [], "CAV2": [] } });
    let question = "compare the trips of CAV1 and CAV2";
    ask_on(&host, configured, question, json!({}))
}

#[test]
fn a_comparison_is_as_sure_as_the_least_sure_of_its_quotes() {
    let sure = compared(0.2);
    assert_eq!(status(&sure), ("grounded", "blended"));
    assert_eq!(sure.answer_confidence, Some(0.8));
    let unsure = compared(0.5);
    assert_eq!(status(&unsure), ("insufficient", "closest_entries"));
    assert_eq!(unsure.answer_status, Some(AnswerStatus::Partial));
    assert_eq!(unsure.answer_confidence, Some(0.5));
    let text = unsure.answer.unwrap();
    assert!(
        text.starts_with("This may answer the question:\n- CAV"),
        "{text}"
    );
    assert!(text.contains("\n- CAV2: "), "{text}");
}

#[test]
fn a_thing_that_no_entry_answers_for_is_not_compared() {
    let answer = compared(0.9);
    assert_ne!(status(&answer).1, "blended");
    assert!(!answer.answer.unwrap().contains("CAV2: "));
}
