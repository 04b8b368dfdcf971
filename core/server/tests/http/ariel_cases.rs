//! ARIEL's cases of its REST interface. Those of a logbook that takes entries
//! are in [`publishing`](crate::publishing).

use gannet_tests::cases;
use serde_json::{Value, json};

use crate::service::{Service, column};

/// Whether a case is not run here: a store that is down at the start is
/// described in docs/compatibility.md.
fn differs(case: &Value) -> bool {
    let input = &case["input"];
    let is_of_writing_adapter = ["adapter", "adapter_raises", "publish"]
        .iter()
        .any(|key| input[key].is_string() && input["adapter"] != "read-only");
    let is_outage = input.get("any data endpoint").is_some();
    is_of_writing_adapter || is_outage
}

#[tokio::test(flavor = "multi_thread")]
async fn ariels_cases_are_answered_alike() {
    let service = Service::start().await;
    let mut run = 0;
    for case in cases("ariel.jsonl", "rest") {
        if differs(&case) {
            continue;
        }
        run += 1;
        let (input, expected) = (&case["input"], &case["expected"]);
        let status = expected["status"].as_u64().unwrap_or(200);
        let status = u16::try_from(status).unwrap();
        let answer = match (input["POST"].as_str(), input["GET"].as_str()) {
            (Some(path), _) => service.post(path, input["body"].clone()).await,
            (_, Some("/api/entries/test-123")) => service.get("/api/entries/A").await,
            (_, Some(path)) => service.get(path).await,
            _ => panic!("{case}"),
        };
        assert_eq!(answer.status, status, "{case}: {}", answer.text);
        let body: Value = serde_json::from_str(&answer.text).unwrap();
        if let Some(detail) = expected["detail"].as_str() {
            assert_eq!(body["detail"], detail, "{case}");
        }
        if let Some(part) = expected["detail_contains"].as_str() {
            assert!(
                body["detail"].as_str().unwrap().contains(part),
                "{case}: {body}"
            );
        }
        for key in expected["keys"].as_array().into_iter().flatten() {
            assert!(body.get(key.as_str().unwrap()).is_some(), "{case}: {body}");
        }
        for key in ["supports_write", "requires_auth", "field"] {
            if let Some(value) = expected.get(key) {
                assert_eq!(&body[key], value, "{case}");
            }
        }
    }
    println!("{run} cases");
}

#[tokio::test(flavor = "multi_thread")]
async fn advanced_parameters_replace_the_filters_beside_them() {
    let service = Service::start().await;
    let body = json!({
        "query": "cavity", "mode": "keyword", "author": "Voss",
        "advanced_params": { "author": "Lee", "start_date": "2024-01-05", "include_highlights": false },
    });
    let found = service.post("/api/search", body).await.json(200);
    assert_eq!(column(&found["entries"], "entry_id"), ["C"]);
    assert_eq!(found["entries"][0]["highlights"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn capabilities_have_ariels_shape() {
    let service = Service::with(&[
        ("search_modules.semantic.enabled", "false"),
        ("pipelines.rag.enabled", "false"),
        ("pipelines.rag.retrieval_modules", "[keyword]"),
        ("pipelines.agent.enabled", "false"),
        ("pipelines.unified.enabled", "false"),
        ("pipelines.digest.enabled", "false"),
        ("pipelines.recurrence.enabled", "false"),
        ("pipelines.thread.enabled", "false"),
        ("pipelines.trend.enabled", "false"),
        ("default_search_mode", "keyword"),
    ])
    .await;
    let ours = service.get("/api/capabilities").await.json(200);
    for case in cases("ariel.jsonl", "capabilities") {
        let theirs = &case["expected"];
        if theirs["categories"]["direct"]["modes"]
            .as_array()
            .unwrap()
            .len()
            > 1
        {
            continue;
        }
        assert_eq!(ours["default_mode"], theirs["default_mode"]);
        let keys = |value: &Value| {
            value
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(keys(&ours["categories"]), keys(&theirs["categories"]));
        let (mode, their_mode) = (
            &ours["categories"]["direct"]["modes"][0],
            &theirs["categories"]["direct"]["modes"][0],
        );
        assert_eq!(mode["name"], their_mode["name"]);
        for parameter in their_mode["parameters"].as_array().unwrap() {
            let parameters = mode["parameters"].as_array().unwrap();
            let same = parameters
                .iter()
                .find(|one| one["name"] == parameter["name"])
                .unwrap();
            assert_eq!(same["type"], parameter["type"], "{case}");
            assert_eq!(same["default"], parameter["default"], "{case}");
        }
    }
    for case in cases("ariel.jsonl", "shared_parameters") {
        let (ours, theirs) = (
            ours["shared_parameters"].as_array().unwrap(),
            case["expected"].as_array().unwrap(),
        );
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(theirs) {
            for (key, value) in theirs.as_object().unwrap() {
                let is_same = match (ours[key].as_f64(), value.as_f64()) {
                    (Some(ours), Some(theirs)) => ours == theirs,
                    _ => &ours[key] == value,
                };
                assert!(is_same, "{key}: {ours} {theirs}");
            }
        }
    }
}
