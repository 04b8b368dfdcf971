//! Answers that are too long.

use futures::StreamExt;
use gannet_model_servers::{EmbeddingSettings, Ollama, OllamaSettings, OpenAi, OpenAiSettings};
use gannet_plugin::provider::{ChatChunk, ChatModel, EmbedPurpose, Embedder};
use gannet_plugin::testing::context;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::support::{ask, openai, question, settings, setup, text};

const MIB: usize = 1024 * 1024;

fn event(delta: Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}))
}

fn call(id: usize, arguments: &str) -> Value {
    json!({"tool_calls": [{"index": id, "id": format!("c{id}"),
        "function": {"name": "f", "arguments": arguments}}]})
}

#[tokio::test]
async fn a_turn_has_four_mebibytes_at_most() {
    let mib = "x".repeat(MIB);
    let said = event(json!({"content": mib}));
    let called = event(call(0, &mib));
    let many_calls: String = (0..5_000).map(|id| event(call(id, ""))).collect();
    for body in [
        // Text, arguments, both together, and calls without arguments.
        said.repeat(5),
        called.repeat(5),
        format!("{}{}", said.repeat(3), called.repeat(2)),
        many_calls,
        // A line without an end, an event of many lines, one JSON.
        format!("data: {}", "x".repeat(5 * MIB)),
        format!("data: {mib}\n").repeat(5),
        format!("{{\n{}", "1,\n".repeat(2 * MIB)),
    ] {
        let server = ModelServer::start([Reply::raw("text/event-stream", body)]);
        let mut stream = openai(&server).chat(question(), &context()).await.unwrap();
        let mut said = 0;
        let error = loop {
            match stream.next().await.unwrap() {
                Ok(ChatChunk::Token(text)) => said += text.len(),
                Ok(other) => panic!("{other:?}"),
                Err(error) => break error,
            }
        };
        assert!(said <= 4 * MIB, "{said}");
        let message = error.to_string();
        assert!(
            message.ends_with("returned a response of more than 4 MiB"),
            "{message}"
        );
        assert!(!error.is_retryable());
        assert!(stream.next().await.is_none());
    }
}

#[tokio::test]
async fn a_turn_of_less_passes() {
    let body = event(json!({"content": "x".repeat(MIB)})).repeat(3) + "data: [DONE]\n\n";
    let server = ModelServer::start([Reply::raw("text/event-stream", body)]);
    let chunks = ask(&openai(&server), question()).await.unwrap();
    assert_eq!(text(&chunks).len(), 3 * MIB);
}

#[tokio::test]
async fn calls_of_ollama_are_counted_too() {
    let call = json!({"function": {"name": "f", "arguments": {"q": "x".repeat(MIB)}}});
    let line = json!({"message": {"content": "", "tool_calls": [call]}, "done": false});
    let body = format!("{line}\n").repeat(5);
    let server = ModelServer::start([Reply::raw("application/x-ndjson", body)]);
    let settings = OllamaSettings {
        base_url: server.url().to_owned(),
        model: Some("m".to_owned()),
        ..OllamaSettings::default()
    };
    let model = <Ollama as ChatModel>::new(settings, &setup()).unwrap();
    let error = ask(&model, question()).await.unwrap_err().to_string();
    assert!(error.ends_with("of more than 4 MiB"), "{error}");
}

#[tokio::test]
async fn vectors_have_room_by_their_number() {
    // A little over 4 MiB of blanks: too much for one vector of three numbers,
    // not for one of 8,000, at 64 bytes each.
    let body = |numbers: usize| {
        let vector = json!({"data": [{"embedding": vec![1; numbers]}]});
        format!("{}{vector}", " ".repeat(4 * MIB + 64 * 1024))
    };
    for (dimension, passes) in [(3, false), (8_000, true)] {
        let server = ModelServer::start([Reply::raw("application/json", body(dimension))]);
        let settings = OpenAiSettings {
            embedding: EmbeddingSettings {
                model: Some("tiny".to_owned()),
                dimension: Some(dimension),
                ..EmbeddingSettings::default()
            },
            ..settings(&server)
        };
        let model = <OpenAi as Embedder>::new(settings, &setup()).unwrap();
        let vectors = model
            .embed(vec!["a".to_owned()], EmbedPurpose::Query, &context())
            .await;
        match passes {
            true => assert_eq!(vectors.unwrap()[0].len(), dimension),
            false => {
                let error = vectors.unwrap_err().to_string();
                assert!(error.ends_with("of more than 4 MiB"), "{error}");
            }
        }
    }
}
