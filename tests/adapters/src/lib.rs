//! Runs adapters as the host does, and compares what they give with recorded
//! cases.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands"
)]

use gannet_plugin::entry::Attachment;
use gannet_plugin::prelude::{Adapter, FetchRequest, Result, Setup};
use gannet_plugin::publish::{PublishRequest, Published};
use gannet_plugin::testing::{self, FakeHost, Fetched};
use jiff::Timestamp;
use serde_json::Value;

/// The records of a file with this text.
pub fn fetch_text<A: Adapter>(
    text: impl AsRef<[u8]>,
    settings: Value,
    request: FetchRequest,
) -> Result<Fetched> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let source = Some(file.path().display().to_string());
    let request = request.with_source(source);
    fetch::<A>(&FakeHost::default(), settings, request)
}

/// The records that the adapter gives with these settings.
pub fn fetch<A: Adapter>(
    host: &FakeHost,
    settings: Value,
    request: FetchRequest,
) -> Result<Fetched> {
    let settings: A::Settings = testing::settings(settings)?;
    let adapter = A::new(settings, &Setup::default())?;
    let context = host.context();
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}

/// What becomes of an entry that the adapter writes with these settings.
pub fn publish<A: Adapter>(
    host: &FakeHost,
    settings: Value,
    request: PublishRequest,
) -> Result<Published> {
    let settings: A::Settings = testing::settings(settings)?;
    let adapter = A::new(settings, &Setup::default())?;
    let context = host.context();
    pollster::block_on(adapter.publish(request, &context))
}

/// The recorded cases of an area that are about this adapter; none, with a
/// note, where the file of cases is not at hand.
pub fn cases(area: &str, adapter: &str) -> Vec<Value> {
    let mut cases = gannet_test_cases::cases("ariel.jsonl", area);
    cases.retain(|case| {
        let name = &case["input"]["adapter"];
        name.is_null() || name == adapter
    });
    cases
}

/// The text of a file that recorded cases name.
pub fn fixture(name: &str) -> String {
    let folder = gannet_test_cases::folder().join("ariel-data/fixtures");
    std::fs::read_to_string(folder.join(name)).unwrap()
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

/// Compares attachments with recorded ones; an empty address is none here.
pub fn assert_attachments(attachments: &[Attachment], expected: &Value) {
    let mut expected: Vec<Attachment> = serde_json::from_value(expected.clone()).unwrap();
    for attachment in &mut expected {
        attachment.url = attachment.url.take().filter(|url| !url.is_empty());
    }
    assert_eq!(attachments, expected);
}

/// A recorded time.
pub fn instant(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// What a recorded call asks for.
pub fn request(arguments: &Value) -> FetchRequest {
    FetchRequest::default()
        .with_since(
            arguments["since"]
                .as_str()
                .map(|text| text.parse().unwrap()),
        )
        .with_limit(arguments["limit"].as_u64().map(|limit| limit as usize))
}
