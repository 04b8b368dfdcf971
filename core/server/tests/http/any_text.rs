//! C5: any text is a query, on every surface of HTTP.

use gannet_tests::{HOSTILE_TEXTS, in_full};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use reqwest::Method;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::agents::Agent;
use crate::service::{Answer, Service};

/// Bytes of a query that the promise names.
const LONGEST: usize = 64 << 10;

/// The surfaces that take a query.
struct Surfaces<'s> {
    service: &'s Service,
    agent: Agent<'s>,
    modes: Vec<String>,
}

impl Surfaces<'_> {
    async fn ask_all(&self, query: &str) {
        for mode in &self.modes {
            let search = json!({ "query": query, "mode": mode });
            self.post("/api/search", search, query).await;
            let turns = json!([{ "role": "user", "content": query }]);
            let chat = json!({ "model": mode, "messages": turns });
            self.post("/v1/chat/completions", chat, query).await;
        }
        for method in ["vector", "keyword", "hybrid"] {
            let body = json!({ "query": query, "method": method });
            self.post("/search", body, query).await;
        }
        self.post("/v1/search/query", json!({ "q": query }), query)
            .await;
        self.post("/api/timeline", json!({ "query": query }), query)
            .await;
        for tool in ["keyword_search", "semantic_search", "rag"] {
            let found = self.agent.call(tool, json!({ "query": query })).await;
            let is_fault = ["internal", "service_unavailable"];
            let kind = found["error_type"].as_str().unwrap_or_default();
            assert!(!is_fault.contains(&kind), "{tool} {found}: {query:?}");
        }
        let stream = self.service.request(Method::GET, "/api/search/stream");
        let stream = stream.query(&[("query", query), ("mode", "rag")]);
        let stream = Answer::of(stream.send().await.unwrap()).await;
        assert!(stream.status < 500, "{}: {query:?}", stream.text);
        assert!(
            !stream.text.contains("event: error"),
            "{}: {query:?}",
            stream.text
        );
    }

    async fn post(&self, path: &str, body: serde_json::Value, query: &str) {
        let answer = self.service.post(path, body).await;
        assert!(answer.status < 500, "{path} {}: {query:?}", answer.text);
    }
}

/// Words, what is special in queries, and any letters.
fn texts() -> impl Strategy<Value = String> {
    let words = prop_oneof![
        r#"[a-z]{1,8}"#,
        r#"(AND|OR|NOT|-|\(|\)|"|\*|/|:|author:|date:|\[|\]|~|\^|\+)"#,
        prop::collection::vec(any::<char>(), 1..6).prop_map(String::from_iter),
    ];
    prop::collection::vec(words, 0..24).prop_map(|words| words.join(" "))
}

#[test]
fn c5_any_text_is_a_query_on_every_surface() {
    let runtime = Runtime::new().unwrap();
    let service = runtime.block_on(async {
        let service = Service::with(&[("server.requests_per_minute", "0")]).await;
        service.host.enhance().await;
        service
    });
    let surfaces = Surfaces {
        service: &service,
        agent: runtime.block_on(Agent::start(&service, None)),
        modes: service.modes(),
    };
    let long = "cavity (\"🦆 ".repeat(LONGEST / "cavity (\"🦆 ".len());
    // The query string of a `GET` is within the head, which may be shorter.
    runtime.block_on(async {
        for mode in &surfaces.modes {
            let search = json!({ "query": long, "mode": mode });
            surfaces.post("/api/search", search, "long").await;
        }
        surfaces
            .post("/search", json!({ "query": long }), "long")
            .await;
    });
    let ask = |text: &str| runtime.block_on(surfaces.ask_all(text));
    HOSTILE_TEXTS.iter().for_each(|text| ask(text));
    let cases = u32::try_from(in_full(12, 500)).unwrap();
    let mut runner = TestRunner::new(Config::with_cases(cases));
    runner
        .run(&texts(), |text| {
            ask(&text);
            Ok(())
        })
        .unwrap();
}
