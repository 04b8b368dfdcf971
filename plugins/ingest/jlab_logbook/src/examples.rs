//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads the answer of the logbook's service",
            r#"{"stat": "ok", "data": {"entries": [
  {
    "lognumber": "4211",
    "created": {"timestamp": "1704443400"},
    "author": "lee",
    "title": "RF trip",
    "body": {"content": "Reset at 08:45.", "format": "text"},
    "books": ["ELOG"],
    "tags": ["Readme"]
  },
  {"lognumber": "4212", "created": {"timestamp": "1704447000"}, "title": "Beam to Hall B"}
]}}"#,
        )
        .finds(["4211", "4212"]),
        Example::new(
            "reads the entries of some books, and rejects one with a bad time",
            r#"[
  {"lognumber": "1", "created": {"timestamp": "1704443400"}, "title": "A", "books": ["RF"]},
  {"lognumber": "2", "created": {"timestamp": "1704443400"}, "title": "B", "books": ["CRYO"]},
  {"lognumber": "3", "created": {"timestamp": "today"}, "title": "C", "books": ["RF"]}
]"#,
        )
        .with_setting("books", serde_json::json!(["RF"]))
        .finds(["1"]),
    ]
}
