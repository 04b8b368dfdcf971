//! The chat model `ollama`.

use futures::StreamExt;
use gannet_model_servers::{Ollama, OllamaSettings};
use gannet_plugin::prelude::Error;
use gannet_plugin::provider::{ChatChunk, ChatModel};
use gannet_plugin::testing::context;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::json;

use crate::support::{ask, calls, full_request, question, reason, setup, text};

fn ollama(server: &ModelServer) -> Ollama {
    let settings = OllamaSettings {
        base_url: server.url().to_owned(),
        model: Some("qwen3:8b".to_owned()),
        context_tokens: Some(8192),
        timeout_seconds: 1,
        ..OllamaSettings::default()
    };
    <Ollama as ChatModel>::new(settings, &setup()).unwrap()
}

#[tokio::test]
async fn a_request_is_written_in_full() {
    let server = ModelServer::start([Reply::text("It tripped."), Reply::text("b")]);
    let model = ollama(&server);
    ask(&model, full_request()).await.unwrap();
    ask(&model, question()).await.unwrap();
    let asked = server.requests();
    assert_eq!(asked[0].path, "/api/chat");
    assert_eq!(asked[0].authorization, None);
    let expected = json!({
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why was the beam lost?"},
            {"role": "assistant", "content": "", "tool_calls": [
                {"function": {"name": "keyword_search", "arguments": {"query": "trip"}}},
            ]},
            {"role": "tool", "content": "[#A] A klystron tripped.", "tool_name": "keyword_search"},
        ],
        "stream": true,
        "tools": [{"type": "function", "function": {
            "name": "keyword_search",
            "description": "Finds entries with the words of a query.",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
        }}],
        "format": {"type": "object"},
        "options": {"temperature": 0.5, "num_predict": 200, "num_ctx": 8192},
    });
    assert_eq!(asked[0].body, expected);
    assert_eq!(asked[1].body["model"], "qwen3:8b");
}

#[tokio::test]
async fn words_and_calls_come_line_by_line() {
    let server = ModelServer::start([
        Reply::text("It tripped again."),
        Reply::tool_calls([("f", json!({"q": 1})), ("f", json!({"q": 2}))]),
    ]);
    let model = ollama(&server);
    let chunks = ask(&model, question()).await.unwrap();
    assert_eq!(text(&chunks), "It tripped again.");
    assert_eq!(chunks.len(), 4);
    assert_eq!(reason(&chunks), "stop");
    let chunks = ask(&model, question()).await.unwrap();
    let expected = [
        ("call_1".to_owned(), "f".to_owned(), json!({"q": 1})),
        ("call_2".to_owned(), "f".to_owned(), json!({"q": 2})),
    ];
    assert_eq!(calls(&chunks), expected);
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let server = ModelServer::start([
        Reply::status(503, "loading").retry_after(0),
        Reply::text("It tripped."),
    ]);
    let chunks = ask(&ollama(&server), question()).await.unwrap();
    assert_eq!(text(&chunks), "It tripped.");
}

#[tokio::test]
async fn what_breaks_is_an_error() {
    let cases = [
        (Reply::cut_after("It"), "interrupted its response"),
        (Reply::malformed_line("It"), r#"{"message": {"con"#),
        (
            Reply::raw(
                "application/x-ndjson",
                "{\"message\": {\"content\": \"It\"}}\n",
            ),
            "incomplete",
        ),
        (
            Reply::raw("text/html", "<html>log in</html>"),
            "<html>log in</html>",
        ),
        (
            Reply::raw("", "{\"error\": \"model requires more memory\"}\n"),
            "reports an error: model requires more memory",
        ),
        (
            Reply::status(404, r#"{"error": "model 'x' not found"}"#),
            "check `base_url` and `model`",
        ),
    ];
    for (reply, expected) in cases {
        let server = ModelServer::start([reply]);
        let error = ask(&ollama(&server), question()).await.unwrap_err();
        assert!(matches!(error, Error::Provider { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_and_a_dropped_stream_ends() {
    let server = ModelServer::start([Reply::hang(), Reply::hang_after("It")]);
    let model = ollama(&server);
    let error = ask(&model, question()).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    server.abandoned().await;
    let mut stream = model.chat(question(), &context()).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!(first, ChatChunk::Token("It".to_owned()));
}

#[tokio::test]
async fn a_model_that_is_not_named_is_an_error_at_the_call() {
    let model = <Ollama as ChatModel>::new(OllamaSettings::default(), &setup()).unwrap();
    let error = ask(&model, question()).await.unwrap_err().to_string();
    assert!(
        error.starts_with("setting `providers.lab.settings.model`"),
        "{error}"
    );
}
