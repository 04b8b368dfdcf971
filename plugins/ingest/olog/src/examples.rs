//! Uses of the adapter, for its docs and its conformance test: answers of the
//! service that were saved to a file.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads an answer of the service",
            r#"{"hitCount": 2, "logs": [
  {
    "id": 4211, "owner": "lee", "title": "RF trip", "description": "Reset at 08:45.",
    "source": "Reset at **08:45**.", "level": "Info", "state": "Active",
    "createdDate": 1704443400000, "modifyDate": null,
    "logbooks": [{"name": "Operations", "owner": null, "state": "Active"}],
    "tags": [{"name": "rf", "state": "Active"}],
    "properties": [{"name": "Shift", "attributes": [{"name": "Lead", "value": "Chen"}]}],
    "attachments": [{"id": "a1", "filename": "scope.png", "fileMetadataDescription": "image/png"}]
  },
  {"id": 4212, "owner": "chen", "title": "Quiet evening", "createdDate": 1704447000000}
]}"#,
        )
        .finds(["4211", "4212"]),
        Example::new(
            "rejects an entry without an id or with a bad time, and goes on",
            r#"[
  {"title": "Whose is this?", "createdDate": 1704443400000},
  {"id": 1, "title": "When was this?", "createdDate": "this morning"},
  {"id": 2, "title": "Beam back", "createdDate": 1704443400000}
]"#,
        )
        .finds(["2"]),
    ]
}
