//! Uses of the enhancer, for its docs and its conformance test. What a model
//! says is in the tests.

use gannet_plugin::prelude::{Entry, Example};
use serde_json::json;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let blank = Entry::new("E1", "shift log", time, " \n");
    vec![
        Example::new("asks nothing about an entry without a text", "")
            .with_entries([blank])
            .adds("E1", json!({ "keywords": null, "summary": null })),
    ]
}
