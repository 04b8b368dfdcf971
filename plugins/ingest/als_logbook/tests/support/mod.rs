//! Runs the adapter as the host does.

use std::path::PathBuf;

use gannet_als_logbook::{AlsLogbook, Settings};
use gannet_plugin::testing::{self, FakeHost, Fetched};
use gannet_plugin::{Adapter, FetchRequest, Result, Setup};
use serde_json::Value;

pub fn fetch_text(
    text: impl AsRef<[u8]>,
    settings: Value,
    request: FetchRequest,
) -> Result<Fetched> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let source = Some(file.path().display().to_string());
    fetch(
        &FakeHost::default(),
        settings,
        FetchRequest { source, ..request },
    )
}

pub fn fetch(host: &FakeHost, settings: Value, request: FetchRequest) -> Result<Fetched> {
    let settings: Settings = testing::settings(settings)?;
    let adapter = AlsLogbook::new(settings, &Setup::default())?;
    let context = host.context();
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}

/// The folder of the recorded cases.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases")
}

/// The cases of an area that are about this adapter; none, with a note, where
/// the file of cases is not at hand.
pub fn cases(area: &str, adapter: &str) -> Vec<Value> {
    let file = folder().join("ariel.jsonl");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: no cases at {}", file.display());
        return Vec::new();
    };
    let cases = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let cases: Vec<Value> = cases
        .filter(|case: &Value| {
            let name = &case["input"]["adapter"];
            case["area"] == area && (name.is_null() || name == adapter)
        })
        .collect();
    assert!(!cases.is_empty(), "the file has cases of {area}");
    cases
}

/// Compares an entry with a recorded one. The times of the cases that are not
/// those of the record (1970, the time of the test) are a rejection here.
pub fn assert_converted(fetched: &Fetched, case: &Value) {
    let expected = &case["expected"];
    let time = expected["timestamp"].as_str().unwrap();
    if expected["entry_id"] == "" || time.starts_with("1970") || time.starts_with('<') {
        assert_eq!(
            (fetched.entries.len(), fetched.rejected.len()),
            (0, 1),
            "{case}"
        );
        return;
    }
    assert_eq!(fetched.rejected, [], "{case}");
    let mut entry = fetched.entries[0].clone();
    assert_eq!(entry.entry_id, expected["entry_id"], "{case}");
    assert_eq!(entry.source_system, expected["source_system"], "{case}");
    assert_eq!(entry.timestamp, instant(&expected["timestamp"]), "{case}");
    assert_eq!(entry.author, expected["author"], "{case}");
    assert_eq!(entry.raw_text, expected["raw_text"], "{case}");
    let mut metadata = expected["metadata"].clone();
    if let Some(time) = metadata.get_mut("event_time") {
        *time = instant(time).to_string().into();
    }
    if metadata.get("title").is_none() {
        // Beside ARIEL's `subject`.
        entry.metadata.remove("title");
    }
    assert_eq!(Value::from(entry.metadata), metadata, "{case}");
    assert_attachments(&entry.attachments, &expected["attachments"]);
}

/// An empty address is none here.
pub fn assert_attachments(attachments: &[gannet_plugin::Attachment], expected: &Value) {
    let mut expected: Vec<gannet_plugin::Attachment> =
        serde_json::from_value(expected.clone()).unwrap();
    for attachment in &mut expected {
        attachment.url = attachment.url.take().filter(|url| !url.is_empty());
    }
    assert_eq!(attachments, expected);
}

pub fn instant(value: &Value) -> jiff::Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// What a recorded call asks for.
pub fn request(arguments: &Value) -> FetchRequest {
    FetchRequest {
        since: arguments["since"]
            .as_str()
            .map(|text| text.parse().unwrap()),
        limit: arguments["limit"].as_u64().map(|limit| limit as usize),
        ..FetchRequest::default()
    }
}
