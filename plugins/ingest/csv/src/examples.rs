//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;
use serde_json::json;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads one entry a record, also over several lines",
            "id,timestamp,author,title,text,shift\n\
             17,2024-01-05T08:30:00Z,Lee,RF trip,\"Reflected power.\nReset, beam back.\",Day\n\
             18,2024-01-05 16:00,Chen,,Quiet,Swing\n",
        )
        .finds(["17", "18"]),
        Example::new(
            "reads what a spreadsheet exports and rejects what has no time",
            "Nr;Datum;Zeit;Text\r\n1;05.01.2024;08:30;Öl nachgefüllt\r\n2;heute;;Ruhig\r\n;;;\r\n",
        )
        .with_setting("time_format", "%d.%m.%Y %H:%M")
        .with_setting(
            "columns",
            json!({ "id": "Nr", "timestamp": ["Datum", "Zeit"], "text": ["Text"] }),
        )
        .finds(["1"]),
        Example::new(
            "makes ids from the content where the table has none",
            "timestamp\ttext\n2024-01-05T08:30:00Z\tRF tripped\n",
        )
        .with_setting("id_from_content", true)
        .finds(["sha256-c1f439eb29ba03398cfcdc5e445fb7ac"]),
    ]
}
