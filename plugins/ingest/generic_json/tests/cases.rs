//! The adapter against recorded cases, where they are at hand: a folder
//! `shared/cases` beside the repository. Without it the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::PathBuf;

use gannet_generic_json::when::read_when;
use gannet_generic_json::{GenericJson, Settings};
use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::read_timestamp;
use gannet_plugin::prelude::{Adapter, FetchRequest};
use gannet_plugin::testing;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::{Value, json};
use support::{fetch_file, fetch_text};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases")
}

/// The cases of an area that are about this adapter.
fn cases(area: &str) -> Vec<Value> {
    let file = folder().join("ariel.jsonl");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: no cases at {}", file.display());
        return Vec::new();
    };
    let cases: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|case: &Value| case["area"] == area && is_ours(&case["input"]["adapter"]))
        .collect();
    assert!(!cases.is_empty(), "the file has cases of {area}");
    cases
}

/// Cases that name no adapter are of a function that only this one has.
fn is_ours(adapter: &Value) -> bool {
    adapter.is_null() || adapter == "Generic JSON" || adapter == "generic_json"
}

#[test]
fn entries_are_converted_as_recorded() {
    for case in cases("adapter_convert") {
        let text = json!([case["input"]["entry"]]).to_string();
        let fetched = fetch_text(text, FetchRequest::default()).unwrap();
        let expected = &case["expected"];
        if expected.get("error").is_some() {
            let named = expected["message"].as_str().unwrap().split('\'').nth(1);
            assert!(
                fetched.rejected[0].reason.contains(named.unwrap()),
                "{case}"
            );
            continue;
        }
        let entry = &fetched.entries[0];
        assert_eq!(entry.entry_id, expected["entry_id"], "{case}");
        assert_eq!(entry.source_system, expected["source_system"], "{case}");
        assert_eq!(entry.timestamp, instant(&expected["timestamp"]), "{case}");
        assert_eq!(entry.author, expected["author"], "{case}");
        assert_eq!(entry.raw_text, expected["raw_text"], "{case}");
        assert_eq!(json!(entry.metadata), expected["metadata"], "{case}");
        let attachments: Vec<Attachment> =
            serde_json::from_value(expected["attachments"].clone()).unwrap();
        assert_eq!(entry.attachments, attachments, "{case}");
    }
}

#[test]
fn files_are_fetched_as_recorded() {
    for case in cases("adapter_fetch") {
        let fixture = case["input"]["fixture"].as_str().unwrap();
        let arguments = &case["input"]["args"];
        let request = FetchRequest::default()
            .with_since(
                arguments["since"]
                    .as_str()
                    .map(|text| text.parse().unwrap()),
            )
            .with_limit(arguments["limit"].as_u64().map(|limit| limit as usize));
        let path = folder().join("ariel-data/fixtures").join(fixture);
        let fetched = fetch_file(&path, request).unwrap();
        assert_eq!(json!(fetched.ids()), case["expected"], "{case}");
    }
}

#[test]
fn it_says_that_it_writes_as_recorded() {
    for case in cases("adapter_caps") {
        let settings = json!({"source_url": case["input"]["source_url"]});
        let settings: Settings = testing::settings(settings).unwrap();
        let writing = GenericJson::describe(&settings).writing;
        let expected = &case["expected"]["supports_write"];
        assert_eq!(json!(writing.is_some()), *expected, "{case}");
    }
}

#[test]
fn timestamps_are_read_as_recorded() {
    for case in cases("parse_timestamp") {
        let read = read_timestamp("timestamp", &case["input"]["value"], &TimeZone::UTC);
        match case["expected"].get("error") {
            Some(_) => assert!(read.is_err(), "{case}"),
            None => assert_eq!(read.unwrap(), instant(&case["expected"]), "{case}"),
        }
    }
}

#[test]
fn relative_timestamps_are_read_as_recorded() {
    for case in cases("relative_timestamp") {
        let zone = TimeZone::get(case["input"]["zone"].as_str().unwrap()).unwrap();
        let now: Zoned = instant(&case["input"]["now"]).to_zoned(zone);
        let read = read_when(&case["input"], &now);
        assert_eq!(read.unwrap(), instant(&case["expected"]), "{case}");
    }
}

#[test]
fn the_demonstration_logbook_is_read_whole() {
    let path = folder().join("ariel-data/demo_logbook.json");
    if !path.exists() {
        println!("skipped: no file at {}", path.display());
        return;
    }
    let fetched = fetch_file(&path, FetchRequest::default()).unwrap();
    assert_eq!(fetched.rejected, []);
    assert_eq!(fetched.total, Some(fetched.entries.len() as u64));
}

fn instant(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}
