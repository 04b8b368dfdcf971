//! Uses of the enhancer, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};
use serde_json::json;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let trip = entry(
        "E1",
        "SR03C:RF:CAV1:FWD_PWR fell, then TP-3 and CAV1 tripped.",
    );
    let calm = entry("E2", "A quiet night, 5e-10 mbar at 12:30.");
    let mut edited = entry("E3", "It was another pump after all.");
    edited
        .metadata
        .insert("devices".to_owned(), json!(["TP-3"]));
    vec![
        Example::new("lists devices and PVs", "")
            .with_entries([trip, calm])
            .adds(
                "E1",
                json!({ "metadata": {
                    "devices": ["CAV1", "SR03C", "TP-3"],
                    "pvs": ["SR03C:RF:CAV1:FWD_PWR"],
                }}),
            )
            .adds("E2", json!({ "metadata": {} })),
        Example::new("empties a list whose names are gone", "")
            .with_entries([edited])
            .adds("E3", json!({ "metadata": { "devices": [] } })),
        Example::new("finds names of another form", "")
            .with_setting("device_patterns", json!(["P[0-9]{4}"]))
            .with_setting("add_to_keywords", true)
            .with_entries([entry("E4", "Pump P1234 replaces P1233, see CAV1.")])
            .adds(
                "E4",
                json!({
                    "keywords": ["P1233", "P1234"],
                    "metadata": { "devices": ["P1233", "P1234"] },
                }),
            ),
    ]
}

fn entry(id: &str, text: &str) -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    Entry::new(id, "shift log", time, text)
}
