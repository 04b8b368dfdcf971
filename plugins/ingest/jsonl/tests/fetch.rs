//! What the adapter makes of files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::{Path, PathBuf};

use gannet_jsonl::{Jsonl, Settings};
use gannet_plugin::entry::EnhancementStatus;
use gannet_plugin::prelude::{Adapter, Entry, Error, FetchRequest, Setup};
use gannet_plugin::testing::Fetched;
use jiff::Timestamp;
use serde_json::json;
use support::{fetch, fetch_file, fetch_text};

fn read(text: impl AsRef<[u8]>) -> Fetched {
    fetch_text(text, Settings::default())
}

fn settings(settings: serde_json::Value) -> Settings {
    serde_json::from_value(settings).unwrap()
}

#[test]
fn a_document_becomes_an_entry() {
    let fetched = read(
        r#"{"id": "D1", "title": "RF trip", "text": "Reset.", "author": "J. Smith", "timestamp": "2024-01-05T08:30:00Z", "tags": ["rf"], "shift": "Owl", "metadata": {"shift": "Day"}}"#,
    );

    let entry = &fetched.entries[0];
    assert_eq!(entry.entry_id, "D1");
    assert_eq!(entry.raw_text, "RF trip\n\nReset.");
    assert_eq!(entry.title(), Some("RF trip"));
    assert_eq!(entry.author, "J. Smith");
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T08:30:00Z");
    assert_eq!(
        (entry.source_system.as_str(), entry.kind.as_str()),
        ("jsonl", "logbook")
    );
    assert_eq!(entry.tenant, "ring-1");
    assert_eq!(
        json!(entry.metadata),
        json!({"title": "RF trip", "tags": ["rf"], "shift": "Day"})
    );
}

#[test]
fn numbers_keep_their_digits_and_those_beyond_64_bits_are_strings() {
    let fetched = read(
        r#"{"id": 123456789012345678901234567890, "text": "x", "timestamp": 0, "big": 9007199254740993, "serial": 18446744073709551616, "gap": 9465.045140861237, "energy": 1.89012345678901234567, "limit": 1e400}"#,
    );

    let entry = &fetched.entries[0];
    assert_eq!(entry.entry_id, "123456789012345678901234567890");
    let expected = json!({
        "big": 9_007_199_254_740_993_u64, "serial": "18446744073709551616",
        "gap": 9465.045140861237, "energy": "1.89012345678901234567", "limit": "1e400",
    });
    assert_eq!(json!(entry.metadata), expected);
}

#[test]
fn a_document_may_lack_its_title_or_its_text_but_not_both() {
    let fetched = read(
        r#"{"id": 1, "title": "", "text": "body", "timestamp": 0}
{"id": 2, "title": "title", "text": null, "timestamp": 0}
{"id": 3, "title": "", "text": "", "timestamp": 0}"#,
    );

    let texts: Vec<&str> = fetched
        .entries
        .iter()
        .map(|e| e.raw_text.as_str())
        .collect();
    assert_eq!(texts, ["body", "title"]);
    assert_eq!(fetched.entries[0].title(), None);
    assert_eq!(fetched.rejected[0].entry_id.as_deref(), Some("3"));
}

#[test]
fn an_entry_written_as_json_is_read_back_but_for_tenant_and_enhancements() {
    let at: Timestamp = "2024-01-05T08:30:00.25Z".parse().unwrap();
    let mut entry = Entry::new("E/1", "ALS eLog", at, "RF trip");
    entry.kind = "alarm".to_owned();
    entry.summary = Some("trip".to_owned());
    entry.keywords = vec!["rf".to_owned()];
    entry.metadata = serde_json::from_value(json!({"title": "RF trip", "n": 1.5})).unwrap();
    entry.tenant = "somebody else".to_owned();
    let done = EnhancementStatus::Complete { completed_at: at };
    entry
        .enhancement_status
        .insert("text_embedding".to_owned(), done);

    let fetched = read(serde_json::to_string(&entry).unwrap());

    entry.tenant = "ring-1".to_owned();
    entry.enhancement_status.clear();
    assert_eq!(fetched.entries, [entry]);
}

#[test]
fn bad_lines_are_rejected_with_number_and_reason_and_the_rest_goes_on() {
    let mut text = Vec::new();
    text.extend_from_slice(b"\xef\xbb\xbf{\"id\": \"a\", \"text\": \"x\", \"timestamp\": 0}\r\n");
    text.extend_from_slice(b"\n   \r\n");
    text.extend_from_slice(b"{bad json\n");
    text.extend_from_slice(b"{\"id\": \"b\", \"text\": \"\xff\"}\n");
    text.extend_from_slice(b"[1]\n");
    text.extend_from_slice(b"{\"text\": \"x\", \"timestamp\": 0}\n");
    text.extend_from_slice(b"{\"id\": \"c\", \"text\": \"x\", \"timestamp\": \"soon\"}\n");
    text.extend_from_slice(b"{\"id\": \"d\", \"text\": \"x\"}\n");
    text.extend_from_slice(b"{\"entry_id\": \"e\", \"timestamp\": 0}\n");
    text.extend_from_slice(b"{\"id\": \"z\", \"text\": \"x\", \"timestamp\": 0}");

    let fetched = read(text);

    assert_eq!(fetched.ids(), ["a", "z"]);
    assert_eq!(fetched.total, Some(9));
    let expected = [
        ("line 4", "not valid JSON: "),
        ("line 5", "not UTF-8 after byte 21"),
        ("line 6", "not a JSON object"),
        ("line 7", "no `id`"),
        ("line 8", "`timestamp` \"soon\" is not a valid timestamp"),
        (
            "line 9",
            "no `timestamp`; `gannet ingest FILE --default-timestamp TIME`",
        ),
        ("line 10", "missing field `raw_text`"),
    ];
    assert_eq!(fetched.rejected.len(), expected.len());
    for (rejected, (position, reason)) in fetched.rejected.iter().zip(expected) {
        assert_eq!(rejected.position, position);
        assert!(rejected.reason.starts_with(reason), "{}", rejected.reason);
    }
    assert_eq!(fetched.rejected[0].raw, "{bad json");
    assert_eq!(fetched.rejected[4].entry_id.as_deref(), Some("c"));
    assert_eq!(fetched.rejected[6].entry_id.as_deref(), Some("e"));
}

#[test]
fn a_line_that_is_too_long_is_rejected_by_its_beginning() {
    let long = format!("{{\"id\": \"a\", \"text\": \"{}\"}}", "x".repeat(5000));
    let text = format!("{long}\n{{\"id\": \"b\", \"text\": \"x\", \"timestamp\": 0}}");

    let fetched = fetch_text(text, settings(json!({"max_line_bytes": 2000})));

    assert_eq!(fetched.ids(), ["b"]);
    let rejected = &fetched.rejected[0];
    assert!(
        rejected
            .reason
            .starts_with(&format!("{} bytes", long.len()))
    );
    assert!(long.starts_with(&rejected.raw) && rejected.raw.len() == 1000);
}

#[test]
fn a_record_without_a_time_takes_the_default_and_a_bad_time_does_not() {
    let text = r#"{"id": "a", "text": "x"}
{"id": "b", "text": "x", "timestamp": null}
{"id": "c", "text": "x", "timestamp": ""}"#;
    let with_default = settings(json!({
        "default_timestamp": "1970-01-01T00:00:00Z", "kind": "document", "source_system": "med"
    }));

    let fetched = fetch_text(text, with_default);

    assert_eq!(fetched.ids(), ["a", "b"]);
    assert_eq!(fetched.entries[0].timestamp, Timestamp::UNIX_EPOCH);
    assert_eq!(fetched.entries[0].kind, "document");
    assert_eq!(fetched.entries[0].source_system, "med");
    assert_eq!(fetched.rejected[0].entry_id.as_deref(), Some("c"));
}

#[test]
fn a_time_under_another_usual_name_is_one_and_stays_in_the_metadata() {
    let fetched = fetch_text(
        concat!(
            r#"{"id": 1, "text": "a", "logged_at": "2024-01-05T08:30:00Z", "ts": 5}"#,
            "\n",
            r#"{"id": 2, "text": "b", "date": "soon", "ts": 1704443400}"#,
            "\n",
            r#"{"id": 3, "text": "c", "date": "soon"}"#,
        ),
        Settings::default(),
    );
    let times = fetched.entries.iter().map(|one| one.timestamp.to_string());
    assert_eq!(times.collect::<Vec<_>>(), ["2024-01-05T08:30:00Z"; 2]);
    assert_eq!(fetched.entries[1].metadata["ts"], 1_704_443_400);
    assert!(fetched.rejected[0].reason.starts_with("no `timestamp`"));
}

#[test]
fn a_default_time_that_is_no_time_is_refused_at_the_start() {
    let made = Jsonl::new(
        settings(json!({"default_timestamp": "never"})),
        &Setup::default(),
    );

    let Err(Error::Setting { name, .. }) = made else {
        panic!("expected an error of a setting");
    };
    assert_eq!(name, "default_timestamp");
}

#[test]
fn times_without_an_offset_are_those_of_the_facility() {
    let fetched = read(
        r#"{"id": "a", "text": "x", "timestamp": "1999-01-13T17:17:00"}
{"entry_id": "b", "raw_text": "x", "timestamp": "1999-07-13T17:17:00"}"#,
    );

    let times: Vec<String> = fetched
        .entries
        .iter()
        .map(|e| e.timestamp.to_string())
        .collect();
    assert_eq!(times, ["1999-01-13T22:17:00Z", "1999-07-13T21:17:00Z"]);
}

#[test]
fn since_and_until_are_excluded_and_the_limit_counts_entries() {
    let mut text = String::from("not json\n");
    for second in 1..=9 {
        text += &format!("{{\"id\": {second}, \"text\": \"x\", \"timestamp\": {second}}}\n");
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let at = |second| Some(Timestamp::from_second(second).unwrap());
    let request = FetchRequest::default()
        .with_source(file.path().display().to_string())
        .with_since(at(3))
        .with_until(at(9));

    let between = fetch(Settings::default(), request.clone()).unwrap();
    let limited = request.with_limit(2);
    let limited = fetch(Settings::default(), limited).unwrap();

    assert_eq!(between.ids(), ["4", "5", "6", "7", "8"]);
    assert_eq!(limited.ids(), ["4", "5"]);
    assert_eq!((limited.total, limited.rejected.len()), (Some(10), 1));
}

#[test]
fn a_source_that_cannot_be_read_is_an_error_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for path in [Path::new("/no/such/file"), folder.path()] {
        let Err(Error::InvalidInput { message }) = fetch_file(path, Settings::default()) else {
            panic!("{} can be read", path.display());
        };
        assert!(message.contains(&path.display().to_string()), "{message}");
    }
}

#[test]
fn the_configured_source_is_read_when_the_call_names_none() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), r#"{"id": "a", "text": "x", "timestamp": 0}"#).unwrap();
    let configured = settings(json!({"source_url": file.path()}));

    let fetched = fetch(configured, FetchRequest::default()).unwrap();

    assert_eq!(fetched.ids(), ["a"]);
}

/// Name, records, records without a time, records without a text.
const COLLECTIONS: [(&str, u64, usize, usize); 8] = [
    ("cacm", 3204, 25, 0),
    ("cranfield", 1400, 1400, 2),
    ("gitbugs-seamonkey", 1076, 0, 0),
    ("medline", 1033, 1033, 0),
    ("nrc-reactor", 11680, 0, 0),
    ("osprey-demo", 47, 0, 0),
    ("safenet", 2378, 0, 0),
    ("scifact", 5183, 5183, 0),
];

/// The collections are at hand where a folder `shared/data` lies beside the
/// repository; without it the test says so and passes.
#[test]
fn every_record_with_a_text_comes_in_and_one_without_a_time_by_setting_only() {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    let with_default = Settings {
        default_timestamp: Some("1970-01-01T00:00:00Z".to_owned()),
        ..Settings::default()
    };
    for (name, records, without_time, without_text) in COLLECTIONS {
        let path = data.join(name).join("corpus.jsonl");
        if !path.exists() {
            println!("skipped: no collection at {}", path.display());
            continue;
        }
        let strict = fetch_file(&path, Settings::default()).unwrap();
        let lenient = fetch_file(&path, with_default.clone()).unwrap();

        assert_eq!(strict.total, Some(records), "{name}");
        assert_eq!(
            strict.rejected.len(),
            without_time.max(without_text),
            "{name}"
        );
        assert_eq!(lenient.rejected.len(), without_text, "{name}");
        let all = lenient.entries.len() + lenient.rejected.len();
        assert_eq!(all as u64, records, "{name}");
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
