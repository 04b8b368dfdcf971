//! The OpenAPI document.

use reqwest::Method;
use serde_json::Value;

use crate::service::{Answer, Service};

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_the_document_is_a_route() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json(200);
    assert_eq!(document["openapi"], "3.1.0");
    let mut operations = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            operations += 1;
            let method: Method = method.to_uppercase().parse().unwrap();
            let answer = service.request(method.clone(), path).send().await.unwrap();
            if answer.status() == 200 && path == "/api/searches/events" {
                // It has no end.
                continue;
            }
            let answer = Answer::of(answer).await;
            assert_ne!(answer.status, 405, "{method} {path}");
            assert!(!answer.text.contains("no_such_route"), "{method} {path}");
        }
    }
    assert!(operations >= 25, "{operations}");
}

#[tokio::test(flavor = "multi_thread")]
async fn references_of_the_document_lead_somewhere_and_query_strings_are_named() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json(200);
    check_references(&document, &document);
    let parameters = document["paths"]["/api/entries"]["get"]["parameters"]
        .as_array()
        .unwrap();
    let names: Vec<&str> = parameters
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    for name in ["page", "page_size", "author", "cursor"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_clients_are_generated_from_has_headers_statuses_and_streams() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json(200);
    let paths = &document["paths"];
    for path in ["/api/entries", "/api/entries/batch", "/api/entries/upload"] {
        let parameters = paths[path]["post"]["parameters"].to_string();
        assert!(
            parameters.contains("Idempotency-Key"),
            "{path}: {parameters}"
        );
    }
    let answers = |path: &str, method: &str| paths[path][method]["responses"].clone();
    let not_ready = &answers("/readyz", "get")["503"]["content"];
    assert!(not_ready["application/json"].is_object(), "{not_ready}");
    let overloaded = &answers("/api/search", "post")["503"]["headers"];
    assert!(overloaded["Retry-After"].is_object(), "{overloaded}");
    let chat = &answers("/v1/chat/completions", "post")["200"]["content"];
    assert!(chat["text/event-stream"].is_object(), "{chat}");
    let form = &document["components"]["schemas"]["UploadForm"];
    assert_eq!(form["required"], serde_json::json!(["subject", "details"]));
}

fn check_references(value: &Value, document: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
            members
                .values()
                .for_each(|member| check_references(member, document));
        }
        Value::Array(members) => {
            members
                .iter()
                .for_each(|member| check_references(member, document));
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_asks_no_other_server_and_runs_no_script() {
    let service = Service::start().await;
    let page = service.get("/docs").await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("/api/search/stream"));
    for part in ["<script", "src=", "http://", "https://", "@import"] {
        assert!(!page.text.contains(part), "{part}");
    }
    assert!(
        page.header("content-security-policy")
            .starts_with("default-src 'none'")
    );
}

/// docs/reference/http.md names every route.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_stands_in_the_reference() {
    let service = Service::start().await;
    let document = service.get("/openapi.json").await.json(200);
    let page = gannet_tests::root().join("docs/reference/http.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let cell = format!("`{} {path}`", method.to_uppercase());
            assert!(page.contains(&cell), "docs/reference/http.md lacks {cell}");
        }
    }
}
