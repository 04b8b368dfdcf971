//! Whatever a model fails at, an answer comes in time: from the entries' own
//! sentences, with a note that says what happened.

use std::time::{Duration, Instant};

use gannet_api::{AnswerStatus, Level};
use gannet_core::SearchResult;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::json;

use super::scene::Scene;

const TIMEOUT: Duration = Duration::from_secs(3);

/// The ways to fail, each with what the note speaks of.
fn failures() -> Vec<(&'static str, Reply, &'static str)> {
    vec![
        ("429", Reply::status(429, "slow down"), "429"),
        ("500", Reply::status(500, "core dumped"), "core dumped"),
        ("cut", Reply::cut_after("A worn circ"), ""),
        ("malformed", Reply::malformed_json(), ""),
        ("malformed line", Reply::malformed_line("A worn"), ""),
        ("hang", Reply::hang(), "took longer"),
        ("hang later", Reply::hang_after("A worn"), "took longer"),
        ("nothing", Reply::text(""), "empty answer"),
        ("refused", Reply::status(401, "no such key"), "no such key"),
    ]
}

/// The result stands on the entries, and one note says why.
fn assert_stands_on_entries(name: &str, result: &SearchResult, source: &str, told: &str) {
    assert_eq!(result.answer_status, Some(AnswerStatus::Grounded), "{name}");
    assert!(!result.citations.is_empty(), "{name}");
    assert!(!result.entries.is_empty(), "{name}");
    assert!(result.degraded, "{name}");
    let notes: Vec<_> = result
        .diagnostics
        .iter()
        .filter(|note| note.level != Level::Info)
        .collect();
    let is_told = notes
        .iter()
        .any(|note| note.source.starts_with(source) && note.message.contains(told));
    assert!(is_told, "{name}: {notes:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rag_answers_from_its_entries() {
    for (name, reply, told) in failures() {
        let model = ModelServer::answering(move |_| reply.clone());
        let quick = [("request_timeout_seconds", "3")];
        let scene = Scene::with(model, &quick).await;
        let started = Instant::now();
        let result = scene.ask("rag", TIMEOUT).await;
        assert!(
            started.elapsed() < TIMEOUT + Duration::from_secs(1),
            "{name}"
        );
        assert_stands_on_entries(name, &result, "rag.generate", told);
        assert_eq!(scene.told().last().unwrap(), "end", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_agent_answers_from_what_it_found_before() {
    for (name, reply, told) in failures() {
        // It searches once, and fails from then on.
        let model = ModelServer::answering(move |asked| {
            let messages = asked.body["messages"].as_array().unwrap();
            match messages.iter().any(|message| message["role"] == "tool") {
                false => Reply::tool_call("keyword_search", json!({ "query": "cavity trips" })),
                true => reply.clone(),
            }
        });
        let scene = Scene::with(model, &[]).await;
        let started = Instant::now();
        let result = scene.ask("agent", TIMEOUT).await;
        assert!(
            started.elapsed() < TIMEOUT + Duration::from_secs(1),
            "{name}"
        );
        assert_stands_on_entries(name, &result, "agent", told);
        assert_eq!(scene.told().last().unwrap(), "end", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_model_that_never_stops_calling_tools_is_stopped() {
    let model = ModelServer::answering(|_| {
        Reply::tool_call("keyword_search", json!({ "query": "cavity trips" }))
    });
    let scene = Scene::with(model, &[("reasoning.max_iterations", "3")]).await;
    let result = scene.ask("agent", Duration::from_secs(20)).await;
    assert_stands_on_entries("endless", &result, "agent", "3");
    // Three rounds of tools, and one turn in which it should answer.
    assert_eq!(scene.server.requests().len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_with_bad_arguments_is_told_to_the_model_and_mended_by_it() {
    for bad in [
        Reply::raw_tool_call("keyword_search", "{\"query\": \"cavi"),
        Reply::tool_call("keyword_search", json!({ "query": 7 })),
        Reply::tool_call(
            "keyword_search",
            json!({ "query": "x", "max_results": "many" }),
        ),
        Reply::tool_call(
            "keyword_search",
            json!({ "query": "x", "start_date": "soon" }),
        ),
        Reply::tool_call("no_such_tool", json!({})),
    ] {
        let scene = Scene::scripted([
            bad,
            Reply::tool_call("keyword_search", json!({ "query": "circulator" })),
            Reply::text("A worn circulator [#B]."),
        ])
        .await;
        let result = scene.ask("agent", Duration::from_secs(20)).await;
        assert_eq!(result.citations, ["B"]);
        let bodies = scene.bodies();
        let messages = bodies[1]["messages"].as_array().unwrap();
        let told = messages.last().unwrap()["content"].as_str().unwrap();
        assert!(told.starts_with("Error: "), "{told}");
    }
}
