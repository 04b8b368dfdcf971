//! Uses of the adapter, for its docs and its conformance test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let line = "=".repeat(40);
    let log = format!(
        "$@MID@$: 17\nDate: Fri, 05 Jan 2024 08:30:00 +0100\nReply to: 18\nAuthor: M. Lee\n\
         Category: RF\nSubject: RF trip\nAttachment: 240105_083000_scope.png\nEncoding: plain\n\
         {line}\nReset at 08:45.\n\nBeam back.\n\
         $@MID@$: 18\nDate: Fri, 05 Jan 2024 09:30:00 +0100\nIn reply to: 17\nAuthor: Chen\n\
         Subject: \nAttachment: \nEncoding: HTML\n{line}\n<p>It was the <b>klystron</b>.</p>\n"
    );
    let bad = format!(
        "$@MID@$: 1\nDate: this morning\nSubject: When was this?\n{line}\n\
         $@MID@$: 2\nDate: Fri, 05 Jan 2024 08:30:00 +0100\nSubject: no separator\n\
         $@MID@$: 3\nDate: Fri, 05 Jan 2024 08:30:00 +0100\nSubject: Beam back\n{line}\n"
    );
    vec![
        Example::new("reads a log file", &log).finds(["17", "18"]),
        Example::new("puts the name of the logbook before the numbers", &log)
            .with_setting("logbook", "RF")
            .finds(["RF/17", "RF/18"]),
        Example::new(
            "rejects a record with a bad date or without a separator",
            &bad,
        )
        .finds(["3"]),
    ]
}
