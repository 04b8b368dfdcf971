//! Uses of the module, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};
use serde_json::{Value, json};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let held = ["E1", "E2"].map(|id| Entry::new(id, "shift log", time, "The cavity tripped."));
    vec![
        Example::new("keeps the order of the other Gannet", "cavity trip")
            .with_entries(held)
            .with_setting("url", "https://north.lab.example")
            .with_setting("id_prefix", "")
            .against_http(answer())
            .finds(["E2", "E1"]),
    ]
}

fn answer() -> Value {
    let entry = |id: &str, score: f64| {
        json!({
            "entry_id": id,
            "source_system": "shift log",
            "timestamp": "2024-01-05T09:30:00+01:00",
            "author": "",
            "raw_text": "The cavity tripped.",
            "metadata": {},
            "kind": "logbook",
            "score": score,
            "score_kind": "convex",
            "provenance": [
                { "module": "keyword", "rank": 1, "score": 8.2, "score_kind": "bm25" }
            ],
        })
    };
    json!({ "entries": [entry("E2", 0.9), entry("E1", 0.4)], "degraded": false })
}
