//! A loaded reader answers as the same reader linked in.

use std::sync::Arc;

use gannet_api::{
    Diagnostic, DynReader, Error, Plugin, QueryPlan, ReadPassage, ReadRequest, ReadSpan, Reading,
    Registration, Result,
};
use gannet_test_inline::FirstWord;
use serde_json::json;

use crate::{entry, from_dylib, host, linked, plan};

fn reader(plugin: Plugin) -> Arc<dyn DynReader> {
    match plugin {
        Plugin::Reader(reader) => reader,
        _ => panic!("it is a reader"),
    }
}

async fn read(reader: &Arc<dyn DynReader>, question: &str) -> (Result<Reading>, Vec<Diagnostic>) {
    let passages = ["Überstrom in Q3", "RF on"]
        .map(|text| ReadPassage::new(entry("E1", "ann", text), 2.5))
        .to_vec();
    let plan: QueryPlan = plan();
    let request = ReadRequest::new(question, passages, 40).with_plan(Arc::new(plan));
    let context = host().context();
    let reading = reader.read(request, &context).await;
    (reading, context.diagnostics.take())
}

#[tokio::test]
async fn a_question_is_read_as_by_the_linked_one() {
    let there = reader(from_dylib("first_word", json!({})).unwrap());
    let here = reader(linked(Registration::reader::<FirstWord>("x", "1")));
    let read_there = read(&there, "what tripped?").await;
    assert_eq!(read_there, read(&here, "what tripped?").await);
    let (reading, notes) = read_there;
    let word = 0..10;
    let span = ReadSpan::new(0, word.clone(), 0.75).with_answers(vec![word]);
    assert_eq!(reading, Ok(Reading::new(vec![span], 0.25)));
    assert_eq!(notes.len(), 1);
}

#[tokio::test]
async fn a_reader_that_panics_is_an_error_with_its_text_and_place() {
    let there = reader(from_dylib("first_word", json!({})).unwrap());
    let error = read(&there, "panic").await.0.unwrap_err();
    assert!(matches!(error, Error::Panicked { .. }));
    let text = error.to_string();
    let expected = "read of panic, at tests/plugins/inline/src/providing.rs:";
    assert!(text.contains(expected), "{text}");
}
