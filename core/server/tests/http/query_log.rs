//! The log of searches.

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::agents::Agent;
use crate::held;
use crate::service::{Answer, Service};

/// The lines of the log, once there are so many.
async fn lines(folder: &TempDir, count: usize) -> Vec<Value> {
    let file = folder.path().join("queries.jsonl");
    loop {
        // It is made with the first line.
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let whole = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let lines: Vec<Value> = whole.collect();
        if lines.len() >= count {
            return lines;
        }
        tokio::task::yield_now().await;
    }
}

/// With the folder of its log.
async fn service(queries: &str) -> (Service, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("queries.jsonl").display().to_string();
    let settings = [
        ("server.query_log.path", file.as_str()),
        ("server.query_log.queries", queries),
    ];
    (Service::with(&settings).await, folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_whose_client_goes_away_is_in_the_log_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("queries.jsonl").display().to_string();
    let service = held::service(&[("server.query_log.path", file.as_str())]).await;
    let body = json!({ "query": "gone away", "mode": "held" });
    for path in ["/api/search", "/api/search/stream"] {
        let request = service.request(Method::POST, path).json(&body);
        let running = tokio::spawn(async move { request.send().await?.text().await });
        held::until_metric(&service, "gannet_searches_running{lane=\"direct\"} 1").await;
        running.abort();
        held::until_metric(&service, "gannet_searches_running{lane=\"direct\"} 0").await;
    }
    for line in lines(&folder, 2).await {
        assert_eq!(
            (&line["outcome"], &line["results"]),
            (&json!("cancelled"), &Value::Null)
        );
    }
    held::until_metric(&service, "gannet_searches_cancelled_total{mode=\"held\"} 2").await;
}

/// Searches over REST, by a stream, as the Retriever, as a chat and over MCP.
async fn ask_on_every_surface(service: &Service, query: &str) {
    let body = json!({ "query": query, "mode": "keyword" });
    let request = service.request(Method::POST, "/api/search");
    let request = request.header("x-request-id", "my-1").json(&body);
    Answer::of(request.send().await.unwrap()).await.json(200);
    service.post("/api/search/stream", body).await;
    service
        .post("/search", json!({ "query": query }))
        .await
        .json(200);
    let messages = json!([{ "role": "user", "content": query }]);
    let chat = json!({ "model": "keyword", "messages": messages });
    service.post("/v1/chat/completions", chat).await.json(200);
    let agent = Agent::start(service, None).await;
    agent
        .call("keyword_search", json!({ "query": query }))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_has_the_searches_of_every_surface_where_that_is_switched_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let path = file.display().to_string();
    let settings = [
        ("server.audit_log.path", path.as_str()),
        ("server.audit_log.queries", "true"),
    ];
    let service = Service::with(&settings).await;
    ask_on_every_surface(&service, "canary").await;
    // A line is written before its search begins.
    let text = std::fs::read_to_string(&file).unwrap();
    let searches = text.lines().filter(|line| line.contains("canary"));
    assert_eq!(searches.count(), 5, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_has_what_administrators_did() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let path = file.display().to_string();
    let settings = [("server.audit_log.path", path.as_str())];
    let service = Service::with(&settings).await;
    service
        .post("/v1/search/index/rebuild", json!({}))
        .await
        .json(200);
    service.reload(&settings).await;
    let config = gannet_tests::config(
        service.host.folder.path(),
        &[
            ("server.host", "192.0.2.1"),
            ("server.audit_log.path", &path),
        ],
    );
    service.reloader.reload(config).await.unwrap_err();
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["event"] != "plugin_file")
        .collect();
    let events: Vec<&Value> = lines.iter().map(|line| &line["event"]).collect();
    assert_eq!(events, ["index_rebuild_started", "reloaded", "reloaded"]);
    assert!(lines[1]["refused"].is_null() && lines[2]["refused"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_audit_log_goes_on_in_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let old = folder.path().join("audit.jsonl.1");
    let path = file.display().to_string();
    let service = Service::with(&[("server.audit_log.path", path.as_str())]).await;
    let entry = json!({ "subject": "Pump", "details": "TP-3 was exchanged." });
    let first = service.post("/api/entries", entry.clone()).await.json(200);
    std::fs::rename(&file, &old).unwrap();
    let second = service.post("/api/entries", entry).await.json(200);
    for (file, stored) in [(&old, &first), (&file, &second)] {
        let text = std::fs::read_to_string(file).unwrap();
        let mut lines = text.lines().filter(|line| line.contains("entry_stored"));
        let id = stored["entry_id"].as_str().unwrap();
        assert!(lines.next().unwrap().contains(id), "{text}");
        assert!(lines.next().is_none(), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_search_is_in_the_log_once_the_service_has_stopped() {
    let (service, folder) = service("false").await;
    let body = json!({ "query": "cavity", "mode": "keyword" });
    for _ in 0..20 {
        service.post("/api/search", body.clone()).await.json(200);
    }
    service.stop.raise();
    service.running.await.unwrap();
    let text = std::fs::read_to_string(folder.path().join("queries.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 20, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_surface_logs_a_hash_of_the_query_and_no_query() {
    let (service, folder) = service("false").await;
    ask_on_every_surface(&service, "canary password: hunter2").await;
    let lines = lines(&folder, 5).await;
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["request_id"], "my-1");
    for line in &lines {
        assert_eq!(line["query_sha256"], lines[0]["query_sha256"], "{line}");
        assert_eq!(
            (&line["outcome"], &line["tenant"]),
            (&json!("ok"), &json!("default"))
        );
        assert!(line["request_id"].is_string(), "{line}");
        assert!(!line.to_string().contains("canary"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_logged_where_that_is_switched_on_without_secrets() {
    let (service, folder) = service("true").await;
    let query = "EN-2024-000123 password: hunter2";
    let body = json!({ "query": query, "mode": "keyword" });
    service.post("/api/search", body).await.json(200);
    let line = lines(&folder, 1).await.remove(0);
    let logged = line["query"].as_str().unwrap();
    assert!(
        logged.contains("EN-2024-000123") && !logged.contains("hunter2"),
        "{line}"
    );
}
