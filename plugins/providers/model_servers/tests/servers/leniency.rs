//! Servers that are nearly compatible.

use gannet_plugin::prelude::Error;
use gannet_plugin::provider::ChatChunk;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::support::{ask, calls, full_request, openai, question, reason, text};

/// What is understood of this body.
async fn understood(body: impl Into<String>) -> Result<Vec<ChatChunk>, Error> {
    let server = ModelServer::start([Reply::raw("text/event-stream", body)]);
    ask(&openai(&server), question()).await
}

fn delta(content: &str) -> Value {
    json!({"choices": [{"delta": {"content": content}}]})
}

#[tokio::test]
async fn events_are_read_however_they_are_set() {
    let [a, b] = [delta("It "), delta("tripped.")];
    for body in [
        format!("data: {a}\n\ndata: {b}\n\ndata: [DONE]\n\n"),
        format!("data:{a}\n\ndata:{b}\n\ndata:[DONE]\n\n"),
        format!("data: {a}\r\n\r\ndata: {b}\r\n\r\ndata: [DONE]\r\n\r\n"),
        format!(": hello\n\nevent: message\nid: 1\ndata: {a}\n\nretry: 5\n\ndata: {b}\n\n"),
        format!("data: {a}\ndata: {b}\ndata: [DONE]\n"),
        format!("\u{feff}data: {a}\n\ndata: {b}"),
        format!(
            "data: {{\"choices\":\ndata: [{{\"delta\": {{\"content\": \"It \"}}}}]}}\n\ndata: {b}\n\n"
        ),
        format!(
            "data: {{\"type\": \"ping\"}}\n\ndata: {a}\n\ndata: {b}\n\ndata: {{\"choices\": [], \"usage\": {{}}}}\n\n"
        ),
    ] {
        let chunks = understood(body.clone()).await.unwrap();
        assert_eq!(text(&chunks), "It tripped.", "{body}");
        assert_eq!(reason(&chunks), "stop", "{body}");
    }
}

#[tokio::test]
async fn any_reason_ends_an_answer() {
    for (written, read) in [
        (json!("eos_token"), "eos_token"),
        (json!(""), "stop"),
        (Value::Null, "stop"),
    ] {
        let end = json!({"choices": [{"delta": {"content": null}, "finish_reason": written}]});
        let body = format!("data: {}\n\ndata: {end}\n\n", delta("It"));
        assert_eq!(reason(&understood(body).await.unwrap()), read);
    }
}

#[tokio::test]
async fn one_json_body_is_understood_where_a_stream_was_asked_for() {
    let body = json!({"choices": [{
        "message": {"role": "assistant", "content": "It tripped.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"q\": 1}"}},
            {"function": {"name": "g", "arguments": {"q": 2}}},
        ]},
        "finish_reason": "tool_calls",
    }]});
    for body in [
        body.to_string(),
        serde_json::to_string_pretty(&body).unwrap(),
    ] {
        let chunks = understood(body).await.unwrap();
        assert_eq!(text(&chunks), "It tripped.");
        let expected = [
            ("a".to_owned(), "f".to_owned(), json!({"q": 1})),
            ("call_2".to_owned(), "g".to_owned(), json!({"q": 2})),
        ];
        assert_eq!(calls(&chunks), expected);
        assert_eq!(reason(&chunks), "tool_calls");
    }
}

#[tokio::test]
async fn content_in_parts_is_joined() {
    let parts = json!([{"type": "text", "text": "It "}, {"type": "text", "text": "tripped."}]);
    let body = json!({"choices": [{"message": {"content": parts}}]});
    assert_eq!(
        text(&understood(body.to_string()).await.unwrap()),
        "It tripped."
    );
}

#[tokio::test]
async fn an_id_that_is_made_up_is_new_in_the_conversation() {
    let call = json!({"function": {"name": "f", "arguments": "{}"}});
    let body = json!({"choices": [{"message": {"tool_calls": [call]}}]});
    let server = ModelServer::start([Reply::json(body)]);
    let chunks = ask(&openai(&server), full_request()).await.unwrap();
    assert_eq!(calls(&chunks)[0].0, "call_2");
}

#[tokio::test]
async fn an_error_in_the_stream_is_an_error() {
    for error in [
        json!({"error": {"message": "model overloaded", "code": 503}}),
        json!({"error": "model overloaded"}),
    ] {
        for body in [
            format!("data: {error}\n\n"),
            format!("data: {}\n\ndata: {error}\n\n", delta("It")),
            format!("data: {}\n\n{error}\n", delta("It")),
            error.to_string(),
        ] {
            let error = understood(body.clone()).await.unwrap_err().to_string();
            assert!(
                error.ends_with("reports an error: model overloaded"),
                "{error} of {body}"
            );
        }
    }
    let error = understood("event: error\ndata: overloaded\n\n")
        .await
        .unwrap_err();
    assert!(error.to_string().ends_with("overloaded"), "{error}");
}

#[tokio::test]
async fn json_without_a_choice_is_shown() {
    let error = understood(r#"{"detail": "Not Found"}"#)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with(r#"has no `choices`: {"detail": "Not Found"}"#),
        "{error}"
    );
}

#[tokio::test]
async fn what_breaks_behind_the_reason_takes_nothing_from_the_answer() {
    let end = json!({"choices": [{"delta": {"content": "It"}, "finish_reason": "stop"}]});
    for rest in ["data: {\"choi", "data: {\"choi\n", "garbage"] {
        let chunks = understood(format!("data: {end}\n\n{rest}")).await.unwrap();
        assert_eq!(text(&chunks), "It", "{rest}");
        assert_eq!(reason(&chunks), "stop", "{rest}");
    }
}
