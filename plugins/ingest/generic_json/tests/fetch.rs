//! What the adapter makes of files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::Path;

use gannet_generic_json::Settings;
use gannet_plugin::prelude::{Error, FetchRequest};
use gannet_plugin::testing::Fetched;
use support::{fetch, fetch_file, fetch_text};

fn read(text: impl AsRef<[u8]>) -> Fetched {
    fetch_text(text, FetchRequest::default()).unwrap()
}

fn message_of(result: gannet_plugin::prelude::Result<Fetched>) -> String {
    match result {
        Err(Error::InvalidInput { message }) => message,
        Err(other) => panic!("expected invalid input, got {other:?}"),
        Ok(fetched) => panic!("expected invalid input, got {:?}", fetched.ids()),
    }
}

#[test]
fn a_bare_list_and_an_object_with_entries_are_the_same() {
    let list = r#"[{"id": "a", "timestamp": 1704412800, "text": "x"}]"#;
    let object = format!("\u{feff} {{\"made_by\": [1], \"entries\": {list}}}");

    assert_eq!(read(list).entries, read(object).entries);
    assert_eq!(read(list).entries[0].tenant, "ring-1");
    assert_eq!(read(list).total, Some(1));
}

#[test]
fn a_bad_record_is_rejected_with_its_reason_and_its_text_and_the_rest_goes_on() {
    let fetched = read(
        r#"[
        {"timestamp": 1704412800, "text": "no id"},
        {"id": "", "timestamp": 1704412800, "text": "blank id"},
        {"id": 1.5, "timestamp": 1704412800, "text": "fraction"},
        {"id": "b", "timestamp": "yesterday",  "text": "bad time"},
        {"id": "c", "text": "no time"},
        {"id": "d", "timestamp": 1704412800},
        {"id": "e", "timestamp": 1704412800, "text": 5},
        {"id": "f", "timestamp": 1704412800, "text": "x", "metadata": []},
        "just a text",
        {"id": "good", "timestamp": 1704412800, "text": "x"}
        ]"#,
    );

    assert_eq!(fetched.ids(), ["good"]);
    assert_eq!(fetched.total, Some(10));
    let reasons: Vec<&str> = fetched.rejected.iter().map(|r| r.reason.as_str()).collect();
    let parts = [
        "no `id`",
        "no `id`",
        "`id` 1.5",
        "`timestamp` \"yesterday\"",
        "no `timestamp`",
        "neither `title` nor `text`",
        "`text` 5",
        "`metadata` []",
        "not a JSON object",
    ];
    assert_eq!(reasons.len(), parts.len());
    for (reason, part) in reasons.iter().zip(parts) {
        assert!(
            reason.starts_with(part),
            "{reason} should start with {part}"
        );
    }
    assert_eq!(fetched.rejected[3].position, "entry 4");
    assert_eq!(fetched.rejected[3].entry_id.as_deref(), Some("b"));
    assert_eq!(
        fetched.rejected[3].raw,
        r#"{"id": "b", "timestamp": "yesterday",  "text": "bad time"}"#
    );
}

#[test]
fn whole_numbers_are_ids_and_no_two_ids_become_one() {
    let fetched = read(
        r#"[{"id": 7, "timestamp": 0, "text": "x"},
            {"id": "07", "timestamp": 0, "text": "x"},
            {"id": 123456789012345678901, "timestamp": 0, "text": "x"},
            {"id": 123456789012345678902, "timestamp": 0, "text": "x"}]"#,
    );

    let long = ["123456789012345678901", "123456789012345678902"];
    assert_eq!(fetched.ids(), ["7", "07", long[0], long[1]]);
    assert_eq!(fetched.rejected.len(), 0);
}

#[test]
fn local_times_are_those_of_the_facility() {
    let fetched = read(
        r#"[{"id": "a", "timestamp": "1999-07-13T17:17:00", "text": "summer"},
            {"id": "b", "timestamp": "1999-01-13 17:17", "text": "winter"},
            {"id": "c", "timestamp": "1999-01-13", "text": "a day"},
            {"id": "d", "timestamp": "1999-01-13T17:17:00+02:00", "text": "says its offset"}]"#,
    );

    let times: Vec<String> = fetched
        .entries
        .iter()
        .map(|entry| entry.timestamp.to_string())
        .collect();
    assert_eq!(
        times,
        [
            "1999-07-13T21:17:00Z",
            "1999-01-13T22:17:00Z",
            "1999-01-13T05:00:00Z",
            "1999-01-13T15:17:00Z"
        ]
    );
}

#[test]
fn a_year_or_a_compact_date_is_not_read_as_seconds() {
    for text in [
        "2024",
        "20240105",
        "1e9",
        "nan",
        "1704412800000",
        "-",
        ".",
        "2024-13-01",
    ] {
        let fetched = read(format!(
            r#"[{{"id": "a", "timestamp": "{text}", "text": "x"}}]"#
        ));
        assert_eq!(fetched.rejected.len(), 1, "{text}");
    }
}

#[test]
fn since_and_until_are_excluded_and_the_limit_counts_entries() {
    let text = r#"[{"id": "1", "timestamp": 100000001, "text": "x"},
        {"id": "2", "timestamp": 100000002, "text": "x"},
        {"text": "rejected"},
        {"id": "3", "timestamp": 100000003, "text": "x"},
        {"id": "4", "timestamp": 100000004, "text": "x"},
        {"id": "5", "timestamp": 100000005, "text": "x"}]"#;
    let at = |second| Some(jiff::Timestamp::from_second(second).unwrap());

    let between = FetchRequest::default()
        .with_since(at(100_000_001))
        .with_until(at(100_000_005));
    assert_eq!(
        fetch_text(text, between.clone()).unwrap().ids(),
        ["2", "3", "4"]
    );

    let limited = fetch_text(text, between.with_limit(2)).unwrap();
    assert_eq!(limited.ids(), ["2", "3"]);
    assert_eq!(limited.rejected.len(), 1);
    assert_eq!(limited.total, Some(6));
}

#[test]
fn a_record_nested_too_deep_is_rejected_alone() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let fetched = read(format!(
        r#"[{{"id": "deep", "metadata": {deep}}}, {{"id": "b", "timestamp": 0, "text": "x"}}]"#
    ));

    assert_eq!(fetched.ids(), ["b"]);
    assert!(fetched.rejected[0].reason.contains("recursion limit"));
}

#[test]
fn a_file_that_is_no_list_of_entries_is_an_error_that_says_where() {
    let empty = message_of(fetch_text("", FetchRequest::default()));
    assert!(empty.ends_with("it is empty"), "{empty}");
    for text in ["{}", "5", "[1, ", r#"{"entries": 5}"#, "[1] x"] {
        let message = message_of(fetch_text(text, FetchRequest::default()));
        assert!(message.contains("line 1"), "{text}: {message}");
    }
    let invalid = message_of(fetch_text(b"[\"\xff\"]", FetchRequest::default()));
    assert!(invalid.contains("neither a JSON array"), "{invalid}");
}

#[test]
fn a_missing_source_another_address_and_a_missing_file_say_what_to_do() {
    let source = |source: &str| FetchRequest::default().with_source(source.to_owned());

    let none = message_of(fetch(Settings::default(), FetchRequest::default()));
    let url = message_of(fetch(Settings::default(), source("ftp://x.invalid/y.json")));
    let missing = message_of(fetch_file(
        Path::new("/no/such/file"),
        FetchRequest::default(),
    ));

    assert!(none.contains("source_url"), "{none}");
    assert!(url.contains("download it first"), "{url}");
    assert!(missing.contains("cannot read `/no/such/file`"), "{missing}");
}

#[test]
fn a_file_over_the_limit_is_refused_and_one_at_the_limit_is_read() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[ ]").unwrap();
    let settings = |max_bytes| Settings {
        source_url: Some(file.path().display().to_string()),
        max_bytes,
        ..Settings::default()
    };

    assert!(fetch(settings(3), FetchRequest::default()).is_ok());
    let message = message_of(fetch(settings(2), FetchRequest::default()));
    assert!(message.contains("max_bytes"), "{message}");
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn an_entry_that_is_too_large_is_rejected_before_it_is_parsed() {
    let zeros = "0,".repeat(20_000) + "0";
    let text = format!(
        r#"[{{"id": "a", "timestamp": 1704412800, "text": "x", "meta": [{zeros}]}},
            {{"id": "b", "timestamp": 1704412800, "text": "y"}}]"#
    );
    let settings = Settings {
        max_entry_bytes: 10_000,
        ..Settings::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entries.json");
    std::fs::write(&path, text).unwrap();
    let request = FetchRequest::default().with_source(path.display().to_string());
    let fetched = fetch(settings, request).unwrap();
    assert_eq!(fetched.ids(), ["b"]);
    let rejected = &fetched.rejected[0];
    assert!(
        rejected.reason.contains("`max_entry_bytes`"),
        "{}",
        rejected.reason
    );
    assert_eq!(rejected.raw.len(), 1_000);
}

#[test]
fn records_of_another_shape_are_read_by_a_map_and_named_by_it_in_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.json");
    let text = r#"{"data": {"items": [
        {"uid": 7, "meta": {"created": 1704443400000}, "owner": {"name": "Lee"},
         "body": "Reset", "books": [{"name": "RF"}]},
        {"uid": 8, "meta": {"created": "soon"}, "body": "x"},
        {"meta": {"created": 0}, "body": "x"}
    ]}}"#;
    std::fs::write(&path, text).unwrap();
    let settings = gannet_plugin::testing::settings(serde_json::json!({
        "source_url": path, "entries": ["items", "data.items"],
        "fields": {
            "id": "uid", "timestamp": "meta.created", "milliseconds": true,
            "author": "owner.name", "text": ["body"], "metadata": ["books.name"],
        },
    }));
    let fetched = fetch(settings.unwrap(), FetchRequest::default()).unwrap();

    let entry = &fetched.entries[0];
    assert_eq!(
        (entry.entry_id.as_str(), entry.author.as_str()),
        ("7", "Lee")
    );
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T08:30:00Z");
    assert_eq!(entry.raw_text, "Reset");
    assert_eq!(entry.metadata["books_name"], serde_json::json!(["RF"]));
    assert!(
        fetched.rejected[0]
            .reason
            .starts_with("`meta.created` \"soon\"")
    );
    assert_eq!(fetched.rejected[1].reason, "no `uid`");
}

#[test]
fn a_folder_is_read_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, id) in [("b.json", "B"), ("a.json", "A"), ("c.txt", "C")] {
        let text = format!(r#"[{{"id": "{id}", "timestamp": 7, "text": "x"}}, {{}}]"#);
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let fetched = fetch_file(folder.path(), FetchRequest::default()).unwrap();
    assert_eq!(fetched.ids(), ["A", "B"]);
    assert_eq!(fetched.rejected[1].position, "b.json, entry 2");
}

#[test]
fn a_time_under_another_usual_name_is_one() {
    let text = r#"[{"id": 1, "text": "a", "created_at": "2024-01-05T08:30:00Z"},
        {"id": 2, "text": "b", "when": "2024-01-05T08:30:00Z", "date": "soon"}]"#;
    let fetched = fetch_text(text, FetchRequest::default()).unwrap();
    let times = fetched.entries.iter().map(|one| one.timestamp.to_string());
    assert_eq!(times.collect::<Vec<_>>(), ["2024-01-05T08:30:00Z"; 2]);
}
