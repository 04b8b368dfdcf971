//! The pipeline with a chat model: what it adds, and what stands when it fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::sync::{Arc, Mutex};

use fixture::support::FakeHost;
use fixture::{QUESTION, host, run, setup, with_model};
use gannet_plugin::{AnswerStatus, ChatChunk, Context, Error, Event, Events, Result};
use serde_json::json;

fn listening(host: FakeHost) -> (Arc<FakeHost>, Context, Arc<Mutex<Vec<Event>>>) {
    let (host, context) = host.context();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let events = Events::to(move |event| sink.lock().unwrap().push(event));
    (host, context.with_events(events), heard)
}

fn names(events: &[Event]) -> Vec<String> {
    let name = |event: &Event| match event {
        Event::Stage { stage, .. } => stage.clone(),
        Event::Token { text } => format!("token {text}"),
        Event::Citation { entry_id } => format!("citation {entry_id}"),
        Event::Answer { .. } => "answer".to_owned(),
        Event::End => "end".to_owned(),
        _ => "other".to_owned(),
    };
    events.iter().map(name).collect()
}

fn token(text: &str) -> Result<ChatChunk> {
    Ok(ChatChunk::Token(text.to_owned()))
}

#[test]
fn a_models_words_follow_the_entries_own_and_its_marks_are_checked() {
    let tokens = vec![
        token("It tripped on reflected power [#"),
        token("A] and more [#Z]."),
        Ok(ChatChunk::End("stop".to_owned())),
    ];
    let (host, context, heard) = listening(FakeHost {
        chat: Some(Ok(tokens)),
        ..host()
    });
    let answer = run(json!({}), &with_model(), &context).unwrap();
    assert_eq!(
        answer.answer.as_deref(),
        Some("It tripped on reflected power [#A] and more.")
    );
    assert_eq!(answer.citations, ["A"]);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(
        context.diagnostics.take()[0].category.as_deref(),
        Some("citation")
    );
    assert_eq!(
        names(&heard.lock().unwrap()),
        [
            "retrieve",
            "fuse",
            "assemble",
            "answer",
            "token It tripped on reflected power",
            "token  [#A] and more.",
            "citation A",
            "end",
        ]
    );
    let chats = host.chats.lock().unwrap();
    assert_eq!(chats[0].provider.as_deref(), Some("scripted"));
    assert_eq!(chats[0].temperature, Some(0.1));
    assert!(chats[0].tools.is_empty());
    let prompt = &chats[0].messages.last().unwrap().content;
    assert!(
        prompt.starts_with("<<<DATA ") && prompt.contains("ENTRY #A | "),
        "{prompt}"
    );
    assert!(prompt.ends_with(&format!("Question: {QUESTION}")));
}

#[test]
fn whatever_a_model_fails_at_the_entries_own_sentences_stand() {
    let (_, context) = host().context();
    let plain = run(json!({}), &setup(), &context).unwrap();
    let broken = || Error::Provider {
        provider: "scripted".to_owned(),
        message: "connection reset".to_owned(),
        retryable: true,
    };
    let failures = [
        None,
        Some(Err(broken())),
        Some(Ok(Vec::new())),
        Some(Ok(vec![token("It "), Err(broken())])),
    ];
    for chat in failures {
        let (_, context, heard) = listening(FakeHost { chat, ..host() });
        let answer = run(json!({}), &with_model(), &context).unwrap();
        assert_eq!(answer.answer, plain.answer);
        assert_eq!(answer.citations, plain.citations);
        assert!(answer.degraded);
        let notes = context.diagnostics.take();
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].source, "rag.generate");
        assert_eq!(names(&heard.lock().unwrap()).last().unwrap(), "end");
    }
}

#[test]
fn a_model_that_cites_nothing_is_uncited() {
    let (_, context) = FakeHost {
        chat: Some(Ok(vec![token("No brackets at all")])),
        ..host()
    }
    .context();
    let answer = run(json!({}), &with_model(), &context).unwrap();
    assert_eq!(answer.answer_status, Some(AnswerStatus::Uncited));
    assert_eq!(answer.citations, Vec::<String>::new());
    assert_eq!(answer.sources, ["A", "B", "C"]);
}
