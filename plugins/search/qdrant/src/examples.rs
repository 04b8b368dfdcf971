//! Uses of the module, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};
use gannet_plugin::testing::HashEmbedderForTests;
use serde_json::{Value, json};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let held = ["1", "2"].map(|id| {
        let text = "Filter\n\nExchange the filter.";
        Entry::new(id, "", time, text).with_kind("document")
    });
    vec![
        Example::new("keeps the order of the server", "filter exchange")
            .with_entries(held)
            .with_setting("url", "https://vectors.lab.example:6333")
            .with_setting("collection", "knowledge_base")
            .with_setting("model", HashEmbedderForTests::NAME)
            .with_setting("id_prefix", "")
            .against_http(answer())
            .finds(["2", "1"]),
    ]
}

fn answer() -> Value {
    let point = |id: u64, score: f64| {
        json!({
            "id": id, "version": 3, "score": score,
            "payload": {
                "title": "Filter", "content": "Exchange the filter.",
                "timestamp": "2024-01-05T08:30:00Z",
            },
        })
    };
    json!({
        "result": { "points": [point(2, 0.81), point(1, 0.44)] },
        "status": "ok",
        "time": 0.001,
    })
}
