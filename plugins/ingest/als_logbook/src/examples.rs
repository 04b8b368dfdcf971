//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads an export, one entry a line",
            concat!(
                r#"{"id": "41", "timestamp": "1704443400", "author": "lee", "subject": "RF trip", "details": "Reset at 08:45.", "category": "RF,Operations", "tag": "0", "linkedto": "40", "level": "Info", "attachments": [{"url": "attachments/2024/01/scope.png"}]}"#,
                "\n\n",
                r#"{"id": "42", "timestamp": "1704447000", "author": "chen", "subject": "Quiet evening"}"#,
                "\n",
            ),
        )
        .finds(["41", "42"]),
        Example::new(
            "rejects an entry without an id, with a bad time or without a text",
            concat!(
                r#"{"timestamp": "1704443400", "subject": "Whose is this?"}"#,
                "\n",
                r#"{"id": "43", "timestamp": "this morning", "subject": "When was this?"}"#,
                "\n",
                r#"{"id": "44", "timestamp": "1704443400"}"#,
                "\n",
                r#"{"id": "45", "timestamp": "1704443400", "details": "Beam back"}"#,
                "\n",
            ),
        )
        .finds(["45"]),
    ]
}
