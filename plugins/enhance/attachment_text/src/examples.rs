//! Uses of the enhancer, for its docs and its conformance test.

use gannet_plugin::entry::Attachment;
use gannet_plugin::prelude::{Entry, Example};
use serde_json::json;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let picture = Attachment::default()
        .with_url("https://elog.lab.example/scope.png".to_owned())
        .with_filename("scope.png".to_owned());
    let entry = Entry::new("OPS-1", "shift log", time, "Trace of the trip.")
        .with_attachments(vec![picture]);
    vec![
        Example::new("leaves entries without readable files as they are", "")
            .with_entries([entry])
            .adds("OPS-1", json!({})),
    ]
}
