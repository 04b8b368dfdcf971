//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads an object with a list of entries",
            r#"{"entries": [
  {
    "id": "2024-031",
    "timestamp": "2024-01-05T08:30:00Z",
    "author": "J. Smith",
    "title": "RF cavity tripped",
    "text": "Reset at 08:45.",
    "tags": ["rf"],
    "metadata": {"shift": "Day"}
  },
  {"id": "2024-032", "timestamp": "2024-01-05T16:00:00Z", "text": "A quiet evening"}
]}"#,
        )
        .finds(["2024-031", "2024-032"]),
        Example::new(
            "reads a bare list, local times, and seconds since 1970",
            r#"[
  {"id": 1, "timestamp": "2024-01-05 08:30:00", "text": "Beam lost"},
  {"id": 2, "timestamp": 1704445200, "text": "Beam back"}
]"#,
        )
        .finds(["1", "2"]),
        Example::new(
            "rejects an entry without an id or with a bad time, and goes on",
            r#"[
  {"timestamp": "2024-01-05T08:30:00Z", "text": "Whose is this?"},
  {"id": "A", "timestamp": "this morning", "text": "When was this?"},
  {"id": "B", "timestamp": "2024-01-05T09:10:00Z", "title": "Beam back"}
]"#,
        )
        .finds(["B"]),
        Example::new(
            "reads records of another shape by a map of their fields",
            r#"{"data": {"items": [
  {"uid": "X-1", "meta": {"created": 1704443400000}, "owner": {"name": "Lee"}, "body": "Beam lost"},
  {"uid": "X-2", "meta": {}, "body": "When was this?"}
]}}"#,
        )
        .with_setting("entries", serde_json::json!(["data.items"]))
        .with_setting(
            "fields",
            serde_json::json!({
                "id": "uid", "timestamp": "meta.created", "milliseconds": true,
                "author": "owner.name", "text": ["body"]
            }),
        )
        .finds(["X-1"]),
    ]
}
