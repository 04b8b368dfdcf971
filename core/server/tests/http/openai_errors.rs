//! Errors of the OpenAI-compatible face, in its form and with its statuses.

use gannet_server::auth::Scope;
use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::logins::key;
use crate::service::{Answer, Service};

fn question(model: &str) -> Value {
    json!({ "model": model, "messages": [{ "role": "user", "content": "why did the cavity trip?" }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_none_is_not_found() {
    let service = Service::start().await;
    let mut streamed = question("gpt-4o");
    streamed["stream"] = true.into();
    for (path, body) in [
        ("/v1/chat/completions", question("gpt-4o")),
        ("/v1/chat/completions", streamed),
        ("/v1/embeddings", json!({ "model": "gpt-4o", "input": "x" })),
        (
            "/v1/rerank",
            json!({ "model": "gpt-4o", "query": "x", "documents": ["y"] }),
        ),
    ] {
        let refused = service.post(path, body).await;
        let whole = [
            json!("invalid_request_error"),
            json!("model"),
            json!("model_not_found"),
        ];
        assert_eq!(refused.openai_error(404), whole, "{path}");
        assert!(refused.text.contains("gpt-4o"), "{}", refused.text);
    }
    let refused = service.get("/v1/models/gpt-4o").await;
    assert_eq!(refused.openai_error(404)[2], "model_not_found");
    assert_eq!(service.get("/v1/models/rag").await.json(200)["id"], "rag");
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_request_are_told_in_openais_form() {
    let service = Service::start().await;
    let system = json!([{ "role": "system", "content": "x" }]);
    let picture = json!({ "type": "image_url", "image_url": { "url": "https://pump.example/1" } });
    let image =
        json!([{ "role": "user", "content": [{ "type": "text", "text": "why?" }, picture] }]);
    let with = |key: &str, value: Value| {
        let mut body = question("rag");
        body[key] = value;
        body
    };
    for (path, body, param) in [
        (
            "/v1/chat/completions",
            json!({ "model": "rag", "messages": system }),
            json!("messages"),
        ),
        (
            "/v1/chat/completions",
            json!({ "messages": [] }),
            json!("model"),
        ),
        (
            "/v1/chat/completions",
            json!({ "model": "rag", "messages": image }),
            json!("messages[0].content"),
        ),
        ("/v1/chat/completions", with("n", json!(2)), json!("n")),
        (
            "/v1/chat/completions",
            with("response_format", json!({ "type": "json_object" })),
            json!("response_format"),
        ),
        ("/v1/embeddings", json!({ "input": [] }), json!("input")),
        (
            "/v1/embeddings",
            json!({ "input": "x", "dimensions": 7 }),
            json!("dimensions"),
        ),
        (
            "/v1/rerank",
            json!({ "query": "x", "documents": [] }),
            json!("documents"),
        ),
    ] {
        let refused = service.post(path, body).await;
        let whole = [
            json!("invalid_request_error"),
            param,
            json!("invalid_request"),
        ];
        assert_eq!(refused.openai_error(400), whole, "{path}");
        assert_ne!(refused.header("x-request-id"), "");
    }
    let large = json!({ "model": "rag", "messages": "x".repeat(2 << 20) });
    let refused = service.post("/v1/chat/completions", large).await;
    assert_eq!(refused.openai_error(413)[2], "too_large");
    let text = service.request(Method::POST, "/v1/embeddings");
    let text = text.header(CONTENT_TYPE, "text/plain").body("{}");
    let refused = Answer::of(text.send().await.unwrap()).await;
    assert_eq!(refused.openai_error(415)[2], "unsupported_media_type");
    for (method, path, status) in [
        (Method::GET, "/v1/files", 404),
        (Method::PUT, "/v1/models", 405),
    ] {
        let refused = service.request(method, path).send().await.unwrap();
        Answer::of(refused).await.openai_error(status);
    }
    // Other routes keep their form.
    assert_eq!(
        service.post("/search", json!({})).await.problem(422),
        "invalid_request"
    );
    let metrics = service.get("/metrics").await.text;
    let line =
        "gannet_http_requests_total{method=\"POST\",route=\"/v1/embeddings\",status=\"400\"} 2";
    assert!(metrics.lines().any(|one| one == line), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_key_and_too_many_requests_are_told_in_openais_form() {
    let settings = [
        ("server.auth.required", "true"),
        ("server.requests_per_minute", "4"),
    ];
    let service = Service::with(&settings).await;
    let send = async |key: Option<&str>| {
        let mut request = service.request(Method::POST, "/v1/chat/completions");
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        Answer::of(request.json(&question("rag")).send().await.unwrap()).await
    };
    let writer = key(&service, "default", &[Scope::Ingest]);
    for (key, status, code) in [
        (None, 401, "invalid_api_key"),
        (Some("gnt_wrong"), 401, "invalid_api_key"),
        (Some(writer.as_str()), 403, "missing_scope"),
    ] {
        let refused = send(key).await;
        assert_eq!(
            refused.openai_error(status),
            [json!("invalid_request_error"), Value::Null, json!(code)]
        );
    }
    send(None).await;
    let refused = send(None).await;
    assert_eq!(
        refused.openai_error(429),
        [json!("requests"), Value::Null, json!("rate_limit_exceeded")]
    );
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_in_a_stream_is_an_event_and_ends_it() {
    let model = ModelServer::answering(|_| Reply::hang_after("It was"));
    let settings = [("server.shutdown_timeout_seconds", "1")];
    let service = Service::with_model(&model, &settings).await;
    let mut body = question("rag");
    body["stream"] = true.into();
    let request = service
        .request(Method::POST, "/v1/chat/completions")
        .json(&body);
    let mut response = request.send().await.unwrap();
    let mut text = String::new();
    while !text.contains("delta") {
        text.push_str(std::str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap());
    }
    service.stop.raise();
    text.push_str(&response.text().await.unwrap());
    let data: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    assert_eq!(data.last(), Some(&"[DONE]"));
    let error: Value = serde_json::from_str(data[data.len() - 2]).unwrap();
    assert_eq!(error["error"]["type"], "server_error", "{text}");
    assert_eq!(error["error"]["code"], "shutting_down", "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_says_which_form_errors_have() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json(200);
    let mut seen = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        // Unified search is below `/v1/` and is no part of that interface.
        let is_openai = path.starts_with("/v1/") && !path.starts_with("/v1/search/");
        let (media, schema) = match is_openai {
            true => ("application/json", "#/components/schemas/OpenAiErrorBody"),
            false => ("application/problem+json", "#/components/schemas/Problem"),
        };
        for operation in methods.as_object().unwrap().values() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                // What is missing is told in a form of its own.
                let is_readiness = path == "/readyz" && status == "503";
                if status != "200" && !is_readiness {
                    assert_eq!(
                        response["content"][media]["schema"]["$ref"], schema,
                        "{path} {status}"
                    );
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 100, "{seen}");
    let statuses = |path: &str| {
        let responses = document["paths"][path]["get"]["responses"].as_object();
        responses.unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let of_every_route = ["403", "408", "421", "429"].map(str::to_owned);
    let models = statuses("/v1/models");
    assert!(models.contains(&"401".to_owned()), "{models:?}");
    assert!(
        of_every_route.iter().all(|status| models.contains(status)),
        "{models:?}"
    );
    assert!(!statuses("/healthz").contains(&"401".to_owned()));
}
