//! What the adapter makes of log files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use gannet_elog::{Elog, Settings};
use gannet_plugin::prelude::{Adapter, FetchRequest, Setup};
use gannet_plugin::testing::{self, Fetched};
use serde_json::{Value, json};

fn fetch_path(path: &Path, settings: Value) -> Fetched {
    let settings: Settings = testing::settings(settings).unwrap();
    let adapter = Elog::new(settings, &Setup::default()).unwrap();
    let request = FetchRequest::default().with_source(path.display().to_string());
    let context = testing::context();
    let fetched = async { Fetched::collect(adapter.fetch(request, &context).await?).await };
    pollster::block_on(fetched).unwrap()
}

fn fetch(text: impl AsRef<[u8]>, settings: Value) -> Fetched {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    fetch_path(file.path(), settings)
}

fn record(number: &str, attributes: &str, text: &str) -> String {
    let line = "=".repeat(40);
    format!(
        "$@MID@$: {number}\nDate: Fri, 05 Jan 2024 08:30:00 +0100\n{attributes}{line}\n{text}\n"
    )
}

#[test]
fn a_record_becomes_an_entry() {
    let attributes = "Reply to: 18, 19\nIn reply to: 16\nAuthor: M. Lee\nCategory: RF\nShift: \n\
                      Subject: RF trip: again\nAttachment: 240105_083000_my scope.png,old.txt\nEncoding: plain\n";
    let text = "Reset at 08:45.\n\nNote: ====\nBeam back.\n";
    let settings = json!({"logbook": "RF", "logbook_url": "https://elog.lab.example/RF/"});
    let fetched = fetch(record("17", attributes, text), settings);

    let entry = &fetched.entries[0];
    assert_eq!(entry.entry_id, "RF/17");
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T07:30:00Z");
    assert_eq!(entry.author, "M. Lee");
    assert_eq!(
        entry.raw_text,
        "RF trip: again\n\nReset at 08:45.\n\nNote: ====\nBeam back."
    );
    assert_eq!(
        json!(entry.metadata),
        json!({
            "Category": "RF", "title": "RF trip: again", "body_format": "plain", "logbook": "RF",
            "linked_to": "RF/16", "replies": ["RF/18", "RF/19"],
        })
    );
    let [scope, old] = &entry.attachments[..] else {
        panic!()
    };
    assert_eq!(scope.filename.as_deref(), Some("my scope.png"));
    let url = "https://elog.lab.example/RF/240105_083000_my%20scope.png";
    assert_eq!(scope.url.as_deref(), Some(url));
    assert_eq!(old.filename.as_deref(), Some("old.txt"));
}

#[test]
fn html_becomes_text_and_line_ends_and_encodings_of_all_kinds_are_read() {
    let html = record(
        "1",
        "Subject: A\nEncoding: HTML\n",
        "<p>Reset &amp;<br>beam</p>",
    );
    let windows = record("2", "Subject: \u{d6}l\n", "x").replace('\n', "\r\n");
    let windows: Vec<u8> = windows
        .chars()
        .map(|one| u8::try_from(one).unwrap())
        .collect();
    let utf_8 = record("3", "Subject: Öl\n", "x");
    let log = [html.as_bytes(), &windows, utf_8.as_bytes()].concat();

    let fetched = fetch(log, json!({}));
    let texts: Vec<&str> = fetched
        .entries
        .iter()
        .map(|entry| entry.raw_text.as_str())
        .collect();
    assert_eq!(texts, ["A\n\nReset &\nbeam", "Öl\n\nx", "Öl\n\nx"]);
}

#[test]
fn bad_records_are_rejected_with_line_and_reason_and_the_rest_goes_on() {
    let long = record("6", "Subject: long\n", &"word ".repeat(500));
    let log = [
        "\n# not a record\nSubject: x\n",
        &record("", "Subject: no number\n", ""),
        &record("x1", "Subject: bad number\n", ""),
        "$@MID@$: 4\nSubject: no separator\n",
        &record("5", "Subject: \n", " "),
        &long,
        &record("7", "Subject: good\n", ""),
    ];
    let fetched = fetch(log.concat(), json!({"max_record_bytes": 1000}));

    assert_eq!(fetched.ids(), ["7"]);
    let rejected = fetched.rejected.iter();
    let rejected: Vec<String> = rejected
        .map(|one| format!("{}: {}", one.position, one.reason))
        .collect();
    let expected = [
        "line 2: no `$@MID@$:` where a record should begin",
        "line 4: no `$@MID@$`",
        "line 9: `$@MID@$` \"x1\" is not a number",
        "line 14: no line of `=`",
        "line 16: no subject, no text",
        "line 21: longer than `max_record_bytes`",
    ];
    assert_eq!(rejected.len(), expected.len(), "{rejected:?}");
    for (own, start) in rejected.iter().zip(expected) {
        assert!(own.starts_with(start), "{own}");
    }
    assert_eq!(fetched.rejected[4].entry_id.as_deref(), Some("5"));
    assert!(fetched.rejected[5].raw.len() <= 1_000);
}

#[test]
fn dates_of_all_servers_are_read_and_bad_ones_rejected() {
    for (date, time) in [
        (
            "Fri, 05 Jan 2024 08:30:00 +0100",
            Some("2024-01-05T07:30:00Z"),
        ),
        ("Mon, 5 Jan 2024 08:30:00 GMT", Some("2024-01-05T08:30:00Z")),
        ("2024-01-05 08:30:00", Some("2024-01-05T08:30:00Z")),
        ("Fri Jan  5 yesterday", None),
        ("", None),
    ] {
        let log = record("1", "Subject: x\n", "").replace("Fri, 05 Jan 2024 08:30:00 +0100", date);
        let fetched = fetch(log, json!({}));
        let read = fetched
            .entries
            .first()
            .map(|entry| entry.timestamp.to_string());
        assert_eq!(read.as_deref(), time, "{date}");
    }
}

#[test]
fn a_folder_of_years_is_read_in_the_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    for (name, number) in [
        ("2024/240105a.log", "2"),
        ("2023/231231a.log", "1"),
        ("2024/x.png", "9"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, record(number, "Subject: x\n", "")).unwrap();
    }
    assert_eq!(fetch_path(folder.path(), json!({})).ids(), ["1", "2"]);
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
