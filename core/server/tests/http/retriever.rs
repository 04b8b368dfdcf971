//! The interface of the Retriever.

use gannet_tests::cases;
use serde_json::{Value, json};

use crate::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_answered_with_results_synthesis_and_citations() {
    let service = Service::start().await;
    let query = "why did the cavity trip?";
    let body = json!({ "query": query, "method": "keyword", "limit": 2, "min_score": 0.0 });
    let response = service.post("/search", body).await.json(200);
    assert_eq!(
        (&response["method_used"], &response["total_results"]),
        (&json!("keyword"), &json!(2))
    );
    assert_eq!(response["results"][0]["rank"], 1);
    assert!(response["synthesis"].is_string());
    for case in cases("seeds.jsonl", "response.schema") {
        if case["input"]["field"] == "metadata" {
            for key in case["expected"].as_array().unwrap() {
                let value = &response["metadata"][key.as_str().unwrap()];
                assert_ne!(value, &Value::Null, "{key}");
            }
        }
    }
    let metrics = service.get("/metrics").await.text;
    let line = "retriever_searches_total{method=\"keyword\"} 1";
    assert!(metrics.lines().any(|one| one == line), "{metrics}");
    let line = "gannet_searches_total{mode=\"rag\"} 1";
    assert!(metrics.lines().any(|one| one == line), "{metrics}");
    // The place of the store is the operators' concern.
    assert_eq!(response["metadata"]["database_used"], "embedded");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_out_of_their_limits_are_refused() {
    let service = Service::start().await;
    for (body, status, code) in [
        (json!({ "query": "" }), 400, "invalid_parameter"),
        (
            json!({ "query": "x", "limit": 101 }),
            400,
            "invalid_parameter",
        ),
        (
            json!({ "query": "x", "method": "semantic" }),
            422,
            "invalid_request",
        ),
        (json!({}), 422, "invalid_request"),
    ] {
        assert_eq!(service.post("/search", body).await.problem(status), code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_abilities_have_the_documented_form() {
    let service = Service::start().await;
    let health = service.get("/health").await.json(200);
    assert_eq!(health["status"], "healthy", "{health}");
    assert!(health["message"].is_string() && health["version"].is_string());
    let abilities = service.get("/capabilities").await.json(200);
    for case in cases("seeds.jsonl", "capabilities") {
        for name in case["expected"]["capabilities"].as_array().unwrap() {
            let abilities = abilities["capabilities"].as_array().unwrap();
            assert!(abilities.contains(name), "{name}");
        }
    }
}
