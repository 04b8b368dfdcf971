//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads one entry a record, also over several lines",
            "id,time,author,title,text,shift\n\
             17,2024-01-05T08:30:00Z,Lee,RF trip,\"Reflected power.\nReset, beam back.\",Day\n\
             18,2024-01-05 16:00,Chen,,Quiet,Swing\n",
        )
        .finds(["17", "18"]),
        Example::new(
            "reads what a spreadsheet exports and leaves out what has no time",
            "Nr;Zeit;Text\r\n1;05.01.2024 08:30;Öl nachgefüllt\r\n2;morgens;Ruhig\r\n;;\r\n",
        )
        .with_setting("delimiter", ";")
        .with_setting("time_format", "%d.%m.%Y %H:%M")
        .with_setting(
            "columns",
            serde_json::json!({ "id": "Nr", "time": "Zeit", "text": "Text" }),
        )
        .finds(["1"]),
    ]
}
