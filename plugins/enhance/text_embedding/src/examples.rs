//! Uses of the enhancer, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};
use serde_json::json;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let short = "CAV1 tripped on reflected power. Reset at 08:45.";
    let first = "CAV1 tripped on reflected power at 03:12. The arc detector had fired before. ";
    let second = "The circulator's flow switch was found stuck and replaced.";
    vec![
        Example::new("embeds a short entry whole, and a blank one not at all", "")
            .with_entries([entry("E1", short), entry("E2", " \n")])
            .adds("E1", json!({ "passages": [short] }))
            .adds("E2", json!({ "passages": [] })),
        Example::new("cuts a longer text at the end of a sentence", "")
            .with_entries([entry("E3", &[first, second].concat())])
            .with_setting("passage_chars", 100)
            .with_setting("passage_overlap", 0)
            .adds("E3", json!({ "passages": [first, second] })),
    ]
}

fn entry(id: &str, text: &str) -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    Entry::new(id, "shift log", time, text)
}
