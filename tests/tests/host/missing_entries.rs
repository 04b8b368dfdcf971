//! Entries that a source does not give, and that stay all the same: the source
//! was read before it had them.

use std::path::Path;

use gannet_core::api::{DEFAULT_TENANT, Entry, FetchRequest, Registration};
use gannet_core::{HostError, IngestRequest, Stop};
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, over_both_stores};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

async fn host(kind: StoreKind, settings: &[(&str, &str)]) -> Option<Host> {
    let linked = Registration::linked().copied();
    Host::on_with_plugins(kind, settings, &Registry::of(linked).unwrap()).await
}

fn records(ids: &[&str]) -> String {
    let record = |id: &&str| json!({"id": id, "text": "pump", "timestamp": "2025-03-01T08:00:00Z"});
    let records: Vec<Value> = ids.iter().map(record).collect();
    json!({ "entries": records }).to_string()
}

fn entry(id: &str, source_system: &str) -> Entry {
    let time = "2025-03-01T09:00:00Z".parse().unwrap();
    Entry::new(id, source_system, time, "valve closed")
}

/// Reads the source as a whole; returns how many entries were deleted.
async fn poll(host: &Host, source: Option<String>) -> Result<u64, HostError> {
    let request = IngestRequest {
        adapter: Some("generic_json".to_owned()),
        fetch: FetchRequest::default().with_source(source),
        delete_missing: true,
        ..IngestRequest::default()
    };
    let report = host
        .gannet
        .ingest(request, &Stop::default(), |_| {})
        .await?;
    Ok(report.counts.deleted)
}

async fn is_there(host: &Host, id: &str) -> bool {
    let entry = host.gannet.entry(DEFAULT_TENANT, id).await;
    entry.unwrap().is_some()
}

over_both_stores![
    an_entry_that_is_written_while_the_source_is_read_is_not_missing,
    a_published_entry_is_missing_only_after_the_source_has_given_it,
];

async fn an_entry_that_is_written_while_the_source_is_read_is_not_missing(kind: StoreKind) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/entries", listener.local_addr().unwrap());
    let key = "ingestion.adapters.generic_json.settings.source_url";
    let Some(host) = host(kind, &[(key, &address)]).await else {
        return;
    };
    // One request, during which an entry is written or not.
    let answer = async |ids: &[&str], written: Option<Entry>| {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let _ = stream.read(&mut request).await;
        if let Some(entry) = written {
            host.gannet.store().upsert(vec![entry]).await.unwrap();
        }
        let body = records(ids);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        Ok::<(), HostError>(())
    };
    let read = async |ids: &[&str], written: Option<Entry>| {
        let (deleted, ()) = tokio::try_join!(poll(&host, None), answer(ids, written)).unwrap();
        deleted
    };
    assert_eq!(read(&["A", "B"], None).await, 0);
    let new = entry("N", "Generic JSON");
    assert_eq!(read(&["A"], Some(new)).await, 1);
    assert!(!is_there(&host, "B").await);
    assert!(is_there(&host, "N").await);
    // It is old now.
    assert_eq!(read(&["A"], None).await, 1);
    assert!(!is_there(&host, "N").await);
}

async fn a_published_entry_is_missing_only_after_the_source_has_given_it(kind: StoreKind) {
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("written.json");
    let followed = folder.path().join("followed.json");
    let holds = |file: &Path, ids: &[&str]| std::fs::write(file, records(ids)).unwrap();
    holds(&written, &["A"]);
    let settings = [
        ("ingestion.publish_to", "generic_json"),
        (
            "ingestion.adapters.generic_json.settings.write.path",
            written.to_str().unwrap(),
        ),
    ];
    let Some(host) = host(kind, &settings).await else {
        return;
    };
    let local = entry("gannet-1", "Gannet");
    host.gannet.store().upsert(vec![local]).await.unwrap();
    let published = host
        .gannet
        .publish_stored(DEFAULT_TENANT, "gannet-1", None)
        .await;
    let id = published.unwrap().entry_id;

    let source = || Some(followed.display().to_string());
    holds(&followed, &["A"]);
    for _ in 0..2 {
        assert_eq!(poll(&host, source()).await.unwrap(), 0);
        assert!(is_there(&host, &id).await);
    }
    holds(&followed, &["A", id.as_str()]);
    assert_eq!(poll(&host, source()).await.unwrap(), 0);
    holds(&followed, &["A"]);
    assert_eq!(poll(&host, source()).await.unwrap(), 1);
    assert!(!is_there(&host, &id).await);
}
