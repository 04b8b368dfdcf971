//! Entries that are written into a file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use gannet_generic_json::{GenericJson, Settings};
use gannet_plugin::prelude::{Adapter, Entry, Error, FetchRequest, Result, Setup};
use gannet_plugin::publish::{PublishRequest, Published};
use gannet_plugin::testing::{self, Fetched};
use serde_json::{Value, json};

fn adapter(settings: Value) -> Result<GenericJson> {
    let settings: Settings = testing::settings(settings)?;
    GenericJson::new(settings, &Setup::default())
}

fn writing_to(path: &Path) -> GenericJson {
    adapter(json!({ "write": { "path": path } })).unwrap()
}

fn publish(adapter: &GenericJson) -> Result<Published> {
    let time = "2024-01-05T08:30:00.25Z".parse().unwrap();
    let mut entry = Entry::new("L", "Gannet", time, "RF trip\n\nReset at 08:45.");
    entry.author = "lee".to_owned();
    let metadata = json!({
        "title": "RF trip", "logbook": "Operations", "tags": ["rf"], "shift": "Day", "level": "Info",
    });
    entry.metadata = metadata.as_object().unwrap().clone();
    let context = testing::context();
    pollster::block_on(adapter.publish(PublishRequest::new(entry), &context))
}

fn read(adapter: &GenericJson, path: &Path) -> Result<Fetched> {
    let request = FetchRequest::default().with_source(path.display().to_string());
    let context = testing::context();
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}

#[test]
fn an_entry_is_read_with_the_file_under_the_id_that_it_was_written_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    let old = r#"{"made_by": "ops", "entries": [{"id": "A", "timestamp": 0, "text": "x"}]}"#;
    std::fs::write(&path, old).unwrap();
    let adapter = writing_to(&path);
    let ids = [
        publish(&adapter).unwrap().entry_id,
        publish(&adapter).unwrap().entry_id,
    ];

    let fetched = read(&adapter, &path).unwrap();
    assert_eq!(fetched.rejected, []);
    assert_eq!(fetched.ids(), ["A", ids[0].as_str(), ids[1].as_str()]);
    assert_ne!(ids[0], ids[1]);
    let entry = &fetched.entries[1];
    assert_eq!(entry.source_system, "Generic JSON");
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T08:30:00.25Z");
    assert_eq!(entry.author, "lee");
    assert_eq!(entry.raw_text, "RF trip\n\nReset at 08:45.");
    assert_eq!(
        json!(entry.metadata),
        json!({
            "title": "RF trip", "books": ["Operations"], "tags": ["rf"], "shift": "Day",
            "level": "Info",
        })
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(old.trim_end_matches("]}")), "{text}");
}

#[test]
fn a_file_that_does_not_exist_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    let adapter = writing_to(&path);
    let id = publish(&adapter).unwrap().entry_id;
    // A folder is read without the lock file.
    assert_eq!(read(&adapter, folder.path()).unwrap().ids(), [id]);
}

#[test]
fn it_writes_only_into_a_file_that_its_settings_name() {
    let settings: Settings = testing::settings(json!({"source_url": "log.json"})).unwrap();
    assert_eq!(GenericJson::describe(&settings).writing, None);
    let refused = publish(&adapter(json!({"source_url": "log.json"})).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");

    let settings: Settings = testing::settings(json!({"write": {"path": "log.json"}})).unwrap();
    let writing = GenericJson::describe(&settings).writing.unwrap();
    assert_eq!(
        (writing.source_system.as_str(), writing.needs_credentials),
        ("Generic JSON", false)
    );
}

#[test]
fn settings_that_do_not_fit_are_refused_by_their_name() {
    for settings in [
        json!({"write": {"path": "https://log.lab.example/log.json"}}),
        json!({"write": {"path": "-"}}),
        json!({"write": {"path": "log.json"}, "fields": {"id": "uid"}}),
    ] {
        let refused = adapter(settings.clone()).err();
        assert!(
            matches!(&refused, Some(Error::Setting { name, .. }) if name == "write.path"),
            "{settings}: {refused:?}"
        );
    }
}

#[test]
fn an_entry_that_could_not_be_read_and_a_broken_file_are_refused_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    for (text, settings, part) in [
        ("[]", json!({"max_entry_bytes": 50}), "more than 50"),
        ("[1, ", json!({}), "neither a JSON array"),
        ("[]", json!({"max_bytes": 60}), "`max_bytes` (60)"),
    ] {
        std::fs::write(&path, text).unwrap();
        let mut settings = settings;
        settings["write"] = json!({ "path": path });
        let refused = publish(&adapter(settings).unwrap()).unwrap_err();
        assert!(matches!(refused, Error::InvalidInput { .. }), "{refused:?}");
        assert!(refused.to_string().contains(part), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
