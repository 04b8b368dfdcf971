//! Uses of the module, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};
use serde_json::{Value, json};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let held = ["F1", "F2"].map(|id| {
        let text = "Filter\n\nExchange the filter.";
        Entry::new(id, "", time, text).with_kind("document")
    });
    vec![
        Example::new("keeps the order of the server", "filter exchange")
            .with_entries(held)
            .with_setting("url", "https://search.lab.example:9200")
            .with_setting("index", "documents")
            .with_setting("id_prefix", "")
            .against_http(answer())
            .finds(["F2", "F1"]),
    ]
}

fn answer() -> Value {
    let document = |id: &str, score: f64| {
        json!({
            "_index": "documents", "_id": id, "_score": score,
            "_source": {
                "title": "Filter", "content": "Exchange the filter.",
                "timestamp": "2024-01-05T08:30:00Z",
            },
        })
    };
    json!({
        "took": 2,
        "timed_out": false,
        "_shards": { "total": 1, "successful": 1, "skipped": 0, "failed": 0 },
        "hits": { "max_score": 7.1, "hits": [document("F2", 7.1), document("F1", 3.2)] },
    })
}
