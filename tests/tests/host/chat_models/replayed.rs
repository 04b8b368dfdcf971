//! Whole runs, with every request to the model.

use std::time::Duration;

use gannet_api::AnswerStatus;
use gannet_test_model_server::Reply;
use gannet_tests::ids;
use serde_json::json;

use super::scene::Scene;

const LONG: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rag_asks_once_and_streams_what_it_is_told() {
    let reply = Reply::text("A worn circulator caused it [#B]. It tripped on power [#A] [#Z].");
    let scene = Scene::scripted([reply]).await;
    let result = scene.ask("rag", LONG).await;
    assert_eq!(
        result.answer.as_deref(),
        Some("A worn circulator caused it [#B]. It tripped on power [#A].")
    );
    assert_eq!(result.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(result.citations, ["B", "A"]);
    assert!(!result.degraded);
    insta::assert_json_snapshot!("rag_bodies", scene.bodies());
    insta::assert_json_snapshot!("rag_events", scene.told());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_agent_searches_reads_and_answers() {
    let scene = Scene::scripted([
        Reply::tool_calls([
            (
                "keyword_search",
                json!({ "query": "cavity", "author": "bob" }),
            ),
            (
                "semantic_search",
                json!({ "query": "cause of cavity trips", "max_results": 1 }),
            ),
        ]),
        Reply::tool_call("read_entry", json!({ "entry_id": "B" })),
        Reply::text("A worn circulator [#B]."),
    ])
    .await;
    let result = scene.ask("agent", LONG).await;
    assert_eq!(result.answer.as_deref(), Some("A worn circulator [#B]."));
    assert_eq!(result.citations, ["B"]);
    assert_eq!(result.search_modes_used, ["keyword", "semantic"]);
    assert!(ids(&result).contains(&"B"));
    let details = result.pipeline_details.unwrap();
    assert_eq!(
        details["step_summary"],
        "3 tool call(s): keyword_search, semantic_search, read_entry"
    );
    insta::assert_json_snapshot!("agent_bodies", scene.bodies());
    insta::assert_json_snapshot!("agent_events", scene.told());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_model_without_tools_is_asked_in_text() {
    let scene = Scene::scripted([
        Reply::text("I think it was the circulator."),
        Reply::text(
            r#"{"thought": "look", "tool": "keyword_search", "arguments": {"query": "cavity"}}"#,
        ),
        Reply::text(r#"{"thought": "found", "final": "A worn circulator [#B]."}"#),
    ])
    .await;
    let result = scene.ask("agent", LONG).await;
    assert_eq!(result.answer.as_deref(), Some("A worn circulator [#B]."));
    let bodies = scene.bodies();
    assert!(bodies[0]["tools"].is_array());
    assert!(bodies[1].get("tools").is_none());
    assert_eq!(bodies[1]["response_format"]["type"], "json_schema");
}
