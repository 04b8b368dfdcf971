//! Uses of the enhancer, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};
use serde_json::json;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let first = entry(
        "OPS-1",
        "J. Smith: SR03C:RF:CAV1:FWD_PWR dropped, TP-3 was off.",
    );
    let second = entry("OPS-2", "The same as in OPS-1; CO2 bottle exchanged.");
    vec![
        Example::new(
            "lists PVs, devices, people and the entries that are named",
            "",
        )
        .with_entries([first, second])
        .adds(
            "OPS-1",
            json!({ "metadata": {
                    "pvs": ["SR03C:RF:CAV1:FWD_PWR"],
                    "devices": ["CAV1", "SR03C", "TP-3"],
                    "people": ["J. Smith"],
                } }),
        )
        .adds(
            "OPS-2",
            json!({ "metadata": { "linked_entries": ["OPS-1"] } }),
        ),
    ]
}

fn entry(id: &str, text: &str) -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    Entry::new(id, "shift log", time, text)
}
