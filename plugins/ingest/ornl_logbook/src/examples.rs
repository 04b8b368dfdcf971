//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads an object with a list of entries",
            r#"{"entries": [
  {
    "ID": "SNS-2024-17",
    "logbook": "Operations",
    "segment/area": "SCL",
    "entry_time": "2024-01-05T08:45:00Z",
    "event_time": "2024-01-05T08:30:00Z",
    "author": "lee",
    "title": "RF trip",
    "content": "Reset.",
    "reference": "SNS-2024-16",
    "attachment": "Y",
    "attachment_header": "scope.png"
  },
  {"ID": "SNS-2024-18", "entry_time": "2024-01-05T16:00:00Z", "title": "Quiet evening"}
]}"#,
        )
        .finds(["SNS-2024-17", "SNS-2024-18"]),
        Example::new(
            "rejects an entry without an id or with a bad time, and goes on",
            r#"[
  {"entry_time": "2024-01-05T08:45:00Z", "title": "Whose is this?"},
  {"ID": "A", "entry_time": "this morning", "title": "When was this?"},
  {"ID": "B", "title": "No time at all"},
  {"ID": "C", "entry_time": "2024-01-05T09:10:00Z", "title": "Beam back"}
]"#,
        )
        .finds(["C"]),
    ]
}
