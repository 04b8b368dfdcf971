//! Fields of bodies and query strings: misspelt, missing, of another type.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use crate::service::{Answer, Service};

async fn send(service: &Service, path: &str, body: &str) -> Answer {
    let request = service.request(Method::POST, path);
    let request = request.header(CONTENT_TYPE, "application/json");
    Answer::of(request.body(body.to_owned()).send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelt_filter_is_refused_with_the_nearest_name() {
    let service = Service::start().await;
    for path in [
        "/api/entries?auther=lee",
        "/api/search/stream?query=cavity&auther=lee",
    ] {
        let refused = service.get(path).await;
        assert_eq!(refused.problem(422), "invalid_request", "{path}");
        assert!(
            refused.text.contains("did you mean `author`?"),
            "{path}: {}",
            refused.text
        );
    }
    for (path, body, near) in [
        (
            "/api/search",
            json!({ "query": "cavity", "auther": "lee" }),
            "author",
        ),
        (
            "/api/search/stream",
            json!({ "query": "cavity", "auther": "lee" }),
            "author",
        ),
        (
            "/api/timeline",
            json!({ "query": "cavity", "startdate": "2024" }),
            "start_date",
        ),
        (
            "/search",
            json!({ "query": "cavity", "filter": {} }),
            "filters",
        ),
    ] {
        let refused = service.post(path, body).await;
        assert_eq!(refused.problem(422), "invalid_request", "{path}");
        let near = format!("did you mean `{near}`?");
        assert!(refused.text.contains(&near), "{path}: {}", refused.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelt_filter_among_the_parameters_is_told_with_the_nearest_name() {
    let service = Service::start().await;
    let params = json!({ "auther": "lee" });
    let body = json!({ "query": "cavity", "mode": "keyword", "advanced_params": params });
    let found = service.post("/api/search", body).await.json(200);
    let notes = found["diagnostics"].to_string();
    assert!(
        notes.contains("it was ignored; did you mean `author`?"),
        "{notes}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_that_is_no_text_is_refused_and_not_left_out() {
    let service = Service::start().await;
    for params in [
        json!({ "author": ["lee"] }),
        json!({ "start_date": { "from": "2024" } }),
    ] {
        let body = json!({ "query": "cavity", "mode": "keyword", "advanced_params": params });
        let refused = service.post("/api/search", body).await;
        assert_eq!(refused.problem(422), "invalid_request");
        let expected = "must be a string or a number";
        assert!(refused.text.contains(expected), "{}", refused.text);
    }
    let params = json!({ "author": null });
    let body = json!({ "query": "cavity", "mode": "keyword", "advanced_params": params });
    service.post("/api/search", body).await.json(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_array_is_no_object() {
    let service = Service::start().await;
    for path in [
        "/api/search",
        "/api/entries",
        "/api/drafts",
        "/search",
        "/api/entries/batch",
    ] {
        let refused = send(&service, path, r#"["cavity", "keyword"]"#).await;
        assert_eq!(refused.problem(422), "invalid_request", "{path}");
        let expected = "must be a JSON object, found an array";
        assert!(refused.text.contains(expected), "{path}: {}", refused.text);
    }
    for path in ["/v1/chat/completions", "/v1/embeddings", "/v1/rerank"] {
        let refused = send(&service, path, r#"["rag", [], true]"#).await;
        assert_eq!(refused.openai_error(400)[2], "invalid_request", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_an_openai_body_names_its_field() {
    let service = Service::start().await;
    let turn =
        |content| json!({ "model": "rag", "messages": [{ "role": "user", "content": content }] });
    for (path, body, param) in [
        ("/v1/chat/completions", json!({ "messages": [] }), "model"),
        (
            "/v1/chat/completions",
            json!({ "model": "rag", "messages": "x" }),
            "messages",
        ),
        (
            "/v1/chat/completions",
            json!({ "model": "rag", "messages": [{}] }),
            "messages[0].role",
        ),
        (
            "/v1/chat/completions",
            json!({ "model": "rag", "messages": [{ "role": "robot" }] }),
            "messages[0].role",
        ),
        (
            "/v1/chat/completions",
            turn(json!(5)),
            "messages[0].content",
        ),
        (
            "/v1/chat/completions",
            turn(json!(null)),
            "messages[0].content",
        ),
        ("/v1/embeddings", json!({ "input": 5 }), "input"),
        (
            "/v1/embeddings",
            json!({ "input": "x", "encoding_format": "hex" }),
            "encoding_format",
        ),
        ("/v1/rerank", json!({ "documents": ["x"] }), "query"),
        (
            "/v1/rerank",
            json!({ "query": "x", "documents": ["y", 5] }),
            "documents[1]",
        ),
    ] {
        let refused = service.post(path, body).await;
        assert_eq!(
            refused.openai_error(400)[1],
            param,
            "{path}: {}",
            refused.text
        );
        assert!(
            refused.text.contains(&format!("\"message\":\"{param}: ")),
            "{}",
            refused.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_only_calls_tools_has_no_content() {
    let service = Service::start().await;
    let call =
        json!([{ "id": "1", "type": "function", "function": { "name": "f", "arguments": "{}" } }]);
    let messages = json!([
        { "role": "user", "content": "why did the cavity trip?" },
        { "role": "assistant", "content": null, "tool_calls": call },
        { "role": "tool", "tool_call_id": "1", "content": "nothing" },
        { "role": "assistant" },
        { "role": "user", "content": [{ "type": "text", "text": "and what fixed it?" }] },
    ]);
    let body = json!({ "model": "rag", "messages": messages });
    service.post("/v1/chat/completions", body).await.json(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_idempotency_keys_are_refused() {
    let service = Service::start().await;
    let entry = json!({ "subject": "Pump", "details": "Exchanged." });
    let request = service.request(Method::POST, "/api/entries").json(&entry);
    let request = request
        .header("idempotency-key", "a")
        .header("idempotency-key", "b");
    let refused = Answer::of(request.send().await.unwrap()).await;
    assert_eq!(refused.problem(400), "repeated_header");
    assert_eq!(service.get("/api/entries").await.json(200)["total"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_for_another_logbook_are_ignored_as_ariels_clients_expect() {
    let service = Service::start().await;
    let entry = json!({ "subject": "Pump", "details": "Exchanged.", "auth_user": "a", "auth_password": "b" });
    service.post("/api/entries", entry).await.json(200);
}
