//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads documents and whole entries, one a line",
            concat!(
                r#"{"id": 17, "title": "RF trip", "text": "Reset at 08:45.", "author": "J. Smith", "timestamp": "2024-01-05T08:30:00Z", "metadata": {"shift": "Day"}}"#,
                "\n\n",
                r#"{"entry_id": "18", "raw_text": "A quiet night", "timestamp": "2024-01-06T06:00:00+01:00", "keywords": ["quiet"]}"#,
                "\n",
            ),
        )
        .finds(["17", "18"]),
        Example::new(
            "rejects records without a time and records that are not JSON",
            concat!(
                r#"{"id": "A", "text": "When was this?"}"#,
                "\nno JSON\n",
                r#"{"id": "B", "text": "Beam back", "timestamp": "2024-01-05 09:10"}"#,
            ),
        )
        .finds(["B"]),
        Example::new(
            "takes documents without a time where a setting gives one",
            r#"{"id": "manual-3", "title": "Start of the klystron", "text": "Warm up for 10 minutes."}"#,
        )
        .with_setting("default_timestamp", "1970-01-01T00:00:00Z")
        .with_setting("kind", "document")
        .finds(["manual-3"]),
    ]
}
