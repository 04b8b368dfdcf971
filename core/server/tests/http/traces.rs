//! Traces: what a collector is sent, and that nothing waits for it.

use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::agents::Agent;
use crate::held::until_metric;
use crate::service::{Answer, Service};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";
const QUERY: &str = "why did the canary trip?";

fn collector(reply: Reply) -> ModelServer {
    ModelServer::answering(move |_| reply.clone())
}

async fn service(collector: &ModelServer, settings: &[(&str, &str)]) -> Service {
    let endpoint = format!("{}/v1/traces", collector.url());
    let mut all = vec![("server.traces.endpoint", endpoint.as_str())];
    all.extend(settings);
    Service::with(&all).await
}

/// What the collector got until the service has ended.
async fn spans(collector: &ModelServer, service: Service) -> Vec<Value> {
    service.stop.raise();
    service.running.await.unwrap();
    let requests = collector.requests();
    let mut spans = Vec::new();
    for request in &requests {
        assert_eq!(request.path, "/v1/traces");
        let media = ("content-type".to_owned(), "application/json".to_owned());
        assert!(request.headers.contains(&media));
        let resource = &request.body["resourceSpans"][0];
        let name = attribute(&resource["resource"], "service.name");
        assert_eq!(name, json!({ "stringValue": "gannet" }));
        let list = resource["scopeSpans"][0]["spans"].as_array().unwrap();
        spans.extend(list.iter().cloned());
    }
    spans
}

fn attribute(of: &Value, name: &str) -> Value {
    let mut attributes = of["attributes"].as_array().unwrap().iter();
    let found = attributes.find(|one| one["key"] == name);
    found.map_or(Value::Null, |one| one["value"].clone())
}

fn named<'s>(spans: &'s [Value], name: &str) -> &'s Value {
    let found: Vec<&Value> = spans.iter().filter(|span| span["name"] == name).collect();
    assert_eq!(found.len(), 1, "{name}: {spans:?}");
    found[0]
}

async fn ask(service: &Service, mode: &str, flags: &str) -> Answer {
    let request = service
        .request(Method::POST, "/api/search")
        .header("traceparent", format!("00-{TRACE}-{PARENT}-{flags}"))
        .header("x-request-id", "my-1")
        .json(&json!({ "query": QUERY, "mode": mode }));
    Answer::of(request.send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_its_search_and_the_stages_are_spans_of_the_clients_trace() {
    let collector = collector(Reply::json(json!({})));
    let service = service(&collector, &[]).await;
    let answer = ask(&service, "rag", "01").await;
    let result = answer.json(200);
    assert_eq!(answer.header("x-trace-id"), TRACE);
    let spans = spans(&collector, service).await;

    let request = named(&spans, "POST /api/search");
    assert_eq!(
        (&request["traceId"], &request["parentSpanId"]),
        (&json!(TRACE), &json!(PARENT))
    );
    assert_eq!(request["kind"], 2);
    for (name, value) in [
        ("http.request.method", json!({ "stringValue": "POST" })),
        ("http.route", json!({ "stringValue": "/api/search" })),
        ("url.path", json!({ "stringValue": "/api/search" })),
        ("http.response.status_code", json!({ "intValue": "200" })),
        ("gannet.request_id", json!({ "stringValue": "my-1" })),
    ] {
        assert_eq!(attribute(request, name), value, "{name}");
    }
    let search = named(&spans, "search rag");
    assert_eq!(search["parentSpanId"], request["spanId"]);
    assert_eq!(
        attribute(search, "gannet.mode"),
        json!({ "stringValue": "rag" })
    );
    let stages = result["pipeline_details"]["stages"].as_array().unwrap();
    assert!(!stages.is_empty());
    for stage in stages {
        let span = named(&spans, stage["stage"].as_str().unwrap());
        assert_eq!(span["parentSpanId"], search["spanId"]);
    }
    for span in &spans {
        assert_eq!(span["traceId"], TRACE);
        let time = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_surface_is_traced_and_no_span_holds_a_query() {
    let collector = collector(Reply::json(json!({})));
    let service = service(&collector, &[]).await;
    let stream = service.request(Method::GET, "/api/search/stream");
    let stream = stream.query(&[("query", QUERY), ("mode", "rag")]);
    stream.send().await.unwrap().text().await.unwrap();
    service
        .post("/search", json!({ "query": QUERY }))
        .await
        .json(200);
    let agent = Agent::start(&service, None).await;
    agent
        .call("keyword_search", json!({ "query": QUERY }))
        .await;
    let unknown = service.get("/api/entries/none").await;
    unknown.problem(404);
    assert_eq!(unknown.header("x-trace-id").len(), 32);
    assert_eq!(service.get("/healthz").await.header("x-trace-id"), "");
    drop(agent);
    let spans = spans(&collector, service).await;
    let names: Vec<&str> = spans
        .iter()
        .map(|span| span["name"].as_str().unwrap())
        .collect();
    for name in [
        "GET /api/search/stream",
        "POST /search",
        "synthesis",
        "POST /mcp",
        "search keyword",
        "GET /api/entries/{entry_id}",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!names.contains(&"GET /healthz"), "{names:?}");
    let agents = named(&spans, "search keyword");
    let above = spans
        .iter()
        .find(|span| span["spanId"] == agents["parentSpanId"]);
    assert_eq!(above.unwrap()["name"], "POST /mcp");
    let all = json!(spans).to_string();
    assert!(!all.contains("canary"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_hold_queries_where_the_query_log_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("queries.jsonl").display().to_string();
    let settings = [
        ("server.query_log.path", file.as_str()),
        ("server.query_log.queries", "true"),
    ];
    let collector = collector(Reply::json(json!({})));
    let service = service(&collector, &settings).await;
    ask(&service, "keyword", "01").await.json(200);
    let spans = spans(&collector, service).await;
    let search = named(&spans, "search keyword");
    assert_eq!(
        attribute(search, "gannet.query"),
        json!({ "stringValue": QUERY })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_that_the_client_does_not_keep_is_not_sent() {
    let collector = collector(Reply::json(json!({})));
    let service = service(&collector, &[]).await;
    assert_eq!(
        ask(&service, "keyword", "00").await.header("x-trace-id"),
        TRACE
    );
    assert_eq!(spans(&collector, service).await, Vec::<Value>::new());
    // Without a collector the header is passed on all the same.
    let service = Service::start().await;
    assert_eq!(
        ask(&service, "keyword", "01").await.header("x-trace-id"),
        TRACE
    );
    assert_eq!(service.get("/api/status").await.header("x-trace-id"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_request_is_an_error_span() {
    let collector = collector(Reply::json(json!({})));
    let off = ("enhancement_modules.text_embedding.enabled", "false");
    let service = service(&collector, &[off]).await;
    // No entry has a vector.
    ask(&service, "semantic", "01").await.problem(503);
    let spans = spans(&collector, service).await;
    let request = named(&spans, "POST /api/search");
    assert_eq!(request["status"]["code"], 2);
    let status = json!({ "stringValue": "503" });
    assert_eq!(attribute(request, "error.type"), status);
    assert_eq!(named(&spans, "search semantic")["status"]["code"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_that_a_collector_refuses_are_counted() {
    let refusing = collector(Reply::status(500, "no"));
    let service_of_refusing = service(&refusing, &[]).await;
    service_of_refusing.get("/api/entries/A").await.json(200);
    until_metric(&service_of_refusing, "gannet_trace_spans_dropped_total 1").await;

    let partial = json!({ "partialSuccess": { "rejectedSpans": "1", "errorMessage": "x" } });
    let partial = collector(Reply::json(partial));
    let service_of_partial = service(&partial, &[]).await;
    ask(&service_of_partial, "keyword", "01").await.json(200);
    until_metric(&service_of_partial, "gannet_trace_spans_dropped_total 1").await;
    until_metric(&service_of_partial, "gannet_trace_spans_sent_total 1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_hangs_holds_neither_requests_nor_the_end() {
    let collector = collector(Reply::hang());
    let service = service(&collector, &[("server.requests_per_minute", "0")]).await;
    service.get("/api/entries/A").await.json(200);
    collector.asked(1).await;
    for _ in 0..50 {
        ask(&service, "keyword", "01").await.json(200);
    }
    service.stop.raise();
    // The collector would hold it for ever.
    service.running.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_gets_its_headers_from_files_and_spans_their_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "Bearer s3cret\n").unwrap();
    let headers = format!("{{authorization: {{file: {}}}}}", file.display());
    let collector = collector(Reply::json(json!({})));
    let service = service(&collector, &[("server.traces.headers", &headers)]).await;
    let port = service.address.port().to_string();
    service.get("/api/entries/A").await.json(200);
    let spans = spans(&collector, service).await;
    let request = named(&spans, "GET /api/entries/{entry_id}");
    let address = attribute(request, "server.address");
    assert_eq!(address, json!({ "stringValue": "127.0.0.1" }));
    assert_eq!(
        attribute(request, "server.port"),
        json!({ "intValue": port })
    );
    let sent = ("authorization".to_owned(), "Bearer s3cret".to_owned());
    assert!(collector.requests()[0].headers.contains(&sent));
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_that_are_switched_off_are_not_sent() {
    let collector = collector(Reply::json(json!({})));
    let service = service(&collector, &[("server.traces.enabled", "false")]).await;
    let answer = service.get("/api/entries/A").await;
    assert_eq!(answer.header("x-trace-id"), "");
    assert_eq!(spans(&collector, service).await, Vec::<Value>::new());
}
