//! Entries that are written into a file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_jsonl::{Jsonl, Settings};
use gannet_plugin::prelude::{Adapter, Entry, Error, FetchRequest, Result, Setup};
use gannet_plugin::publish::{PublishRequest, Published};
use gannet_plugin::testing::{self, Fetched};
use serde_json::{Value, json};

fn adapter(settings: Value) -> Result<Jsonl> {
    let settings: Settings = testing::settings(settings)?;
    Jsonl::new(settings, &Setup::default())
}

fn publish(adapter: &Jsonl) -> Result<Published> {
    let time = "2024-01-05T08:30:00Z".parse().unwrap();
    let mut entry = Entry::new("L", "Gannet", time, "RF trip\n\nReset.\nBeam back.");
    let metadata = json!({"title": "RF trip", "logbook": "Operations", "shift": "Day"});
    entry.metadata = metadata.as_object().unwrap().clone();
    let context = testing::context();
    pollster::block_on(adapter.publish(PublishRequest::new(entry), &context))
}

#[test]
fn an_entry_is_read_with_the_file_under_the_id_that_it_was_written_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    // Its last line has no end.
    let old = r#"{"id": "A", "timestamp": 0, "text": "x"}"#;
    std::fs::write(&path, old).unwrap();
    let adapter = adapter(json!({ "write": { "path": path } })).unwrap();
    let id = publish(&adapter).unwrap().entry_id;
    assert!(id.starts_with("local-"), "{id}");

    let request = FetchRequest::default().with_source(path.display().to_string());
    let context = testing::context();
    let fetched = pollster::block_on(async {
        Fetched::collect(adapter.fetch(request, &context).await?).await
    })
    .unwrap();
    assert_eq!(fetched.rejected, []);
    assert_eq!(fetched.ids(), ["A", id.as_str()]);
    let entry = &fetched.entries[1];
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T08:30:00Z");
    assert_eq!(entry.raw_text, "RF trip\n\nReset.\nBeam back.");
    assert_eq!(
        json!(entry.metadata),
        json!({"title": "RF trip", "books": ["Operations"], "shift": "Day"})
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&format!("{old}\n{{")), "{text}");
}

#[test]
fn it_writes_only_into_a_file_that_its_settings_name() {
    assert_eq!(Jsonl::describe(&Settings::default()).writing, None);
    let refused = publish(&adapter(json!({})).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");
    let settings: Settings = testing::settings(json!({"write": {"path": "log.jsonl"}})).unwrap();
    let writing = Jsonl::describe(&settings).writing.unwrap();
    assert_eq!(writing.source_system, "jsonl");
    let refused = adapter(json!({"write": {"path": ""}})).err();
    assert!(
        matches!(&refused, Some(Error::Setting { name, .. }) if name == "write.path"),
        "{refused:?}"
    );
}

#[test]
fn a_line_that_could_not_be_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let adapter = adapter(json!({"write": {"path": path}, "max_line_bytes": 50})).unwrap();
    let refused = publish(&adapter).unwrap_err();
    assert!(matches!(refused, Error::InvalidInput { .. }), "{refused}");
    assert!(!path.exists());
}
