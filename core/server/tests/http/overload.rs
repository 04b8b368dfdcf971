//! R9 and R10: more requests than fit, and the end of the service.

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpStream;

use crate::held::{gate, service, until_metric};
use crate::service::{Answer, Service};

/// Searches that run and wait at once.
const CAPACITY: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn r10_at_four_times_the_capacity_the_rest_is_told_to_come_back() {
    let settings = [
        ("server.max_searches", "2"),
        ("server.max_queued", "2"),
        ("server.queue_timeout_seconds", "600"),
    ];
    let service = service(&settings).await;
    let body = json!({ "query": "four times", "mode": "held" });
    let mut answers: FuturesUnordered<_> = (0..4 * CAPACITY)
        .map(|_| {
            let request = service.request(Method::POST, "/api/search").json(&body);
            async { Answer::of(request.send().await.unwrap()).await }
        })
        .collect();
    for _ in 0..3 * CAPACITY {
        let refused = answers.next().await.unwrap();
        assert_eq!(refused.problem(503), "overloaded");
        assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    }
    gate("four times").close();
    while let Some(answer) = answers.next().await {
        answer.json(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r9_a_request_under_way_ends_when_the_service_stops() {
    let service = service(&[]).await;
    let body = json!({ "query": "stopping", "mode": "held" });
    let request = service.request(Method::POST, "/api/search").json(&body);
    let running = tokio::spawn(request.send());
    until_metric(&service, "gannet_searches_running{lane=\"direct\"} 1").await;
    service.stop.raise();
    while TcpStream::connect(service.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!running.is_finished());
    gate("stopping").close();
    assert_eq!(running.await.unwrap().unwrap().status(), 200);
    service.running.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_hangs_up_ends_its_search_on_every_route() {
    let service = service(&[]).await;
    let turns = json!([{ "role": "user", "content": "hung up" }]);
    for (path, body) in [
        ("/api/search", json!({ "query": "hung up", "mode": "held" })),
        (
            "/api/search/stream",
            json!({ "query": "hung up", "mode": "held" }),
        ),
        (
            "/v1/chat/completions",
            json!({ "model": "held", "messages": turns }),
        ),
    ] {
        let request = service.request(Method::POST, path).json(&body);
        let running = tokio::spawn(async move { request.send().await?.text().await });
        until_metric(&service, "gannet_searches_running{lane=\"direct\"} 1").await;
        running.abort();
        // Nobody opens the gate: the search ends because nobody waits for it.
        until_metric(&service, "gannet_searches_running{lane=\"direct\"} 0").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_takes_no_place_of_searches_that_do_not_ask_it() {
    let hanging = ModelServer::answering(|_| Reply::hang());
    let module = format!(
        "{{enabled: true, settings: {{url: \"{}\", index: documents, timeout_seconds: 600}}}}",
        hanging.url()
    );
    let service = Service::with(&[
        ("server.max_searches", "1"),
        ("server.max_remote_searches", "1"),
        ("server.max_queued", "0"),
        ("search_modules.opensearch", module.as_str()),
        ("pipelines.rag.retrieval_modules", "[keyword, opensearch]"),
    ])
    .await;
    let body = |mode: &str| json!({ "query": "cavity", "mode": mode });
    let request = service.request(Method::POST, "/api/search/stream");
    // The head of the stream comes once its search was admitted.
    let running = request.json(&body("rag")).send().await.unwrap();
    until_metric(&service, "gannet_searches_running{lane=\"remote\"} 1").await;
    let refused = service.post("/api/search", body("opensearch")).await;
    assert_eq!(refused.problem(503), "overloaded");
    let direct = service.post("/api/search", body("keyword")).await;
    direct.json(200);
    drop(running);
}
