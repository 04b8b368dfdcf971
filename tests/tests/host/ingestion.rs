//! Entries come in once, and what cannot become one is kept aside.

use std::path::Path;

use gannet_core::api::Registration;
use gannet_core::registry::Registry;
use gannet_core::store::ListRequest;
use gannet_core::{IngestRequest, Stop};
use gannet_tests::{Host, StoreKind, over_both_stores};
use serde_json::{Value, json};

over_both_stores!(
    ingesting_the_same_source_again_changes_nothing,
    a_record_that_cannot_be_used_is_kept_aside_with_its_reason,
    a_dry_run_stores_nothing,
    a_record_that_is_too_large_is_rejected_with_its_reason,
    large_records_are_written_in_small_batches,
    a_source_that_is_not_there_is_an_error_that_names_it,
);

async fn ingesting_the_same_source_again_changes_nothing(kind: StoreKind) {
    let Some(host) = Host::on(kind).await else {
        return;
    };
    let lines = [
        record("A-1", "pump tripped"),
        record("A-2", "pump restarted"),
    ];
    let first = ingest_counts(&host, &lines).await;
    assert_eq!((first.added, first.updated, first.unchanged), (2, 0, 0));
    let again = ingest_counts(&host, &lines).await;
    assert_eq!((again.added, again.updated, again.unchanged), (0, 0, 2));
    let edited = ingest_counts(&host, &[record("A-1", "pump tripped twice")]).await;
    assert_eq!((edited.added, edited.updated, edited.unchanged), (0, 1, 0));
}

async fn a_record_that_cannot_be_used_is_kept_aside_with_its_reason(kind: StoreKind) {
    let Some(host) = Host::on(kind).await else {
        return;
    };
    let mut broken = record("A-2", "no such day");
    broken["timestamp"] = json!("2025-02-31T00:00:00Z");
    let mut nameless = record("", "no id");
    nameless["id"] = Value::Null;
    let counts = ingest_counts(&host, &[record("A-1", "fine"), broken, nameless]).await;
    assert_eq!((counts.added, counts.rejected), (1, 2));
    let kept = host.gannet.store_path().join("rejected.jsonl");
    let kept: Vec<Value> = std::fs::read_to_string(kept)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(kept[0]["position"], "line 2");
    assert!(
        kept[0]["reason"].as_str().unwrap().contains("2025-02-31"),
        "{}",
        kept[0]
    );
    assert!(
        kept[1]["reason"].as_str().unwrap().contains("id"),
        "{}",
        kept[1]
    );
    assert!(kept[1]["raw"].as_str().unwrap().contains("no id"));
}

async fn a_dry_run_stores_nothing(kind: StoreKind) {
    let Some(host) = Host::on(kind).await else {
        return;
    };
    let file = host.folder.path().join("dry.jsonl");
    std::fs::write(&file, record("A-1", "fine").to_string()).unwrap();
    let mut request = request(&file);
    request.dry_run = true;
    let report = host
        .gannet
        .ingest(request, &Stop::default(), |_| {})
        .await
        .unwrap();
    assert_eq!(report.counts.read, 1);
    let listed = host
        .gannet
        .store()
        .list("default", ListRequest::newest(10))
        .await
        .unwrap();
    assert!(listed.entries.is_empty());
}

async fn a_record_that_is_too_large_is_rejected_with_its_reason(kind: StoreKind) {
    let registry = Registry::of(Registration::linked().copied()).unwrap();
    let settings = [("ingestion.max_record_bytes", "2000")];
    let Some(host) = Host::on_with_plugins(kind, &settings, &registry).await else {
        return;
    };
    let large = record("A-2", &"pump ".repeat(1000));
    let counts = ingest_counts(&host, &[record("A-1", "fine"), large]).await;
    assert_eq!((counts.added, counts.rejected), (1, 1));
    let kept = host.gannet.store_path().join("rejected.jsonl");
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(kept).unwrap()).unwrap();
    assert_eq!(kept["entry_id"], "A-2");
    let reason = kept["reason"].as_str().unwrap();
    assert!(
        reason.contains("`ingestion.max_record_bytes` (2000)"),
        "{reason}"
    );
}

async fn large_records_are_written_in_small_batches(kind: StoreKind) {
    let Some(host) = Host::on(kind).await else {
        return;
    };
    let text = "x".repeat(3 << 20);
    let lines: Vec<Value> = (0..8)
        .map(|number| record(&format!("A-{number}"), &text))
        .collect();
    let file = host.folder.path().join("large.jsonl");
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let mut written = Vec::new();
    host.gannet
        .ingest(request(&file), &Stop::default(), |step| {
            written.push(step.added)
        })
        .await
        .unwrap();
    // 18 MiB and the rest, of one batch of 500 records.
    assert_eq!(written, [6, 8]);
}

async fn a_source_that_is_not_there_is_an_error_that_names_it(kind: StoreKind) {
    let Some(host) = Host::on(kind).await else {
        return;
    };
    let missing = host.folder.path().join("missing.jsonl");
    let error = host
        .gannet
        .ingest(request(&missing), &Stop::default(), |_| {})
        .await;
    let text = error.err().unwrap().to_string();
    assert!(text.contains("missing.jsonl"), "{text}");
}

/// ARIEL's cases of an entry that comes again. What differs stands in
/// docs/compatibility.md.
#[tokio::test]
async fn an_entry_that_comes_again_is_replaced_as_ariels() {
    for case in gannet_tests::cases("ariel.jsonl", "upsert") {
        let host = Host::new().await;
        let mut first = record("A-1", "pump tripped");
        first["attachments"] = json!([{"url": "a"}]);
        host.ingest_lines(&[first]).await.enhance().await;
        let mut again = record("A-1", "pump tripped");
        again["attachments"] = json!([{"url": "b"}]);
        again["author"] = json!("J. Ngata");
        again["timestamp"] = json!("2025-03-02T08:00:00Z");
        again["metadata"] = json!({"shift": "Owl"});
        host.ingest_lines(&[again]).await;
        let entry = host.gannet.entry("default", "A-1").await.unwrap().unwrap();
        let expected = &case["expected"];
        if expected["attachments"] == "replaced" {
            assert_eq!(entry.attachments.len(), 1);
            assert_eq!(entry.attachments[0].url.as_deref(), Some("b"));
        }
        if expected["enhancement_status"].is_string() {
            let status = &entry.enhancement_status["text_embedding"];
            assert_eq!(json!(status)["status"], "complete");
        }
        if expected["overwritten"].is_array() {
            assert_eq!(entry.author, "J. Ngata");
            assert_eq!(entry.timestamp.to_string(), "2025-03-02T08:00:00Z");
            assert_eq!(entry.metadata["shift"], "Owl");
        }
    }
}

fn record(id: &str, text: &str) -> Value {
    json!({"id": id, "text": text, "author": "K. Lund", "timestamp": "2025-03-01T08:00:00Z"})
}

fn request(file: &Path) -> IngestRequest {
    IngestRequest {
        adapter: Some("jsonl".to_owned()),
        fetch: gannet_core::api::FetchRequest::default().with_source(file.display().to_string()),
        tenant: "default".to_owned(),
        ..IngestRequest::default()
    }
}

async fn ingest_counts(host: &Host, lines: &[Value]) -> gannet_core::IngestProgress {
    let file = host.folder.path().join("records.jsonl");
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let report = host
        .gannet
        .ingest(request(&file), &Stop::default(), |_| {})
        .await;
    report.unwrap().counts
}
