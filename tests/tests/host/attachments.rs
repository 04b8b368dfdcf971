//! Entries are found by the text of their attachments.

use gannet_core::SearchResult;
use gannet_core::api::{ATTACHMENT_TEXT, DEFAULT_TENANT};
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, ids, over_both_stores};
use serde_json::{Value, json};

over_both_stores![
    an_entry_is_found_by_the_text_of_its_files,
    files_of_another_tenant_and_of_other_servers_are_not_read,
];

const PDF: &str = "%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R 5 0 R]>> endobj
3 0 obj <</Type/Page/Contents 4 0 R/Resources<</Font<</F 7 0 R>>>>>> endobj
4 0 obj <<>> stream
BT /F 9 Tf (Contents) Tj ET
endstream endobj
5 0 obj <</Type/Page/Contents 6 0 R/Resources<</Font<</F 7 0 R>>>>>> endobj
6 0 obj <<>> stream
BT /F 9 Tf (The crowbar fired at 08:30.) Tj ET
endstream endobj
7 0 obj <</Type/Font/Subtype/Type1>> endobj
trailer <</Root 1 0 R>>";

/// A host that reads attachments, on this store.
async fn host(kind: StoreKind) -> Option<Host> {
    let linked = gannet_api::Registration::linked().copied();
    let registry = Registry::of(linked).unwrap();
    let settings = [("enhancement_modules.attachment_text.enabled", "true")];
    Host::on_with_plugins(kind, &settings, &registry).await
}

/// Stores a file as the service does.
fn upload(host: &Host, id: &str, tenant: &str, text: &str) {
    let folder = host.gannet.config().store.attachments();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(id), text).unwrap();
    let label = json!({"tenant": tenant, "filename": "x", "mime_type": "text/plain"});
    std::fs::write(folder.join(format!("{id}.json")), label.to_string()).unwrap();
}

fn entry(id: &str, attachments: &Value) -> Value {
    json!({
        "id": id, "text": "Klystron 2 tripped.", "timestamp": "2025-03-01T08:00Z",
        "attachments": attachments,
    })
}

/// The marked words of a hit's highlights, each with where it stands.
fn marked(result: &SearchResult) -> Vec<(String, Option<String>)> {
    let highlights = result.entries.iter().flat_map(|hit| &hit.highlights);
    highlights
        .flat_map(|of| {
            let words = of.ranges.iter().map(|&(start, end)| &of.text[start..end]);
            words.map(|word| (word.to_owned(), of.source.clone()))
        })
        .collect()
}

async fn an_entry_is_found_by_the_text_of_its_files(kind: StoreKind) {
    let Some(host) = host(kind).await else {
        return;
    };
    upload(&host, "0a", DEFAULT_TENANT, PDF);
    upload(&host, "0b", DEFAULT_TENANT, "time,vacuum\r\n08:31,bursting");
    upload(&host, "0c", DEFAULT_TENANT, "PK\u{3}\u{4} bursting");
    let files = json!([
        {"url": "/api/attachments/0a", "filename": "report.pdf"},
        {"url": "/api/attachments/0b", "filename": "trace.csv"},
        {"url": "/api/attachments/0c", "filename": "all.zip"},
        {"url": "/api/attachments/0d", "filename": "gone.txt"},
    ]);
    let other = entry("E2", &json!([]));
    host.ingest_lines(&[entry("E1", &files), other]).await;
    assert!(ids(&host.search("keyword", "crowbar").await).is_empty());
    host.enhance().await;

    let found = host.search("keyword", "crowbar").await;
    assert_eq!(ids(&found), ["E1"]);
    let place = Some("report.pdf, page 2".to_owned());
    assert_eq!(marked(&found), [("crowbar".to_owned(), place)]);
    let metadata = &found.entries[0].entry.metadata;
    assert!(!metadata.contains_key(ATTACHMENT_TEXT), "{metadata:?}");

    let found = host.search("keyword", "burst").await;
    assert_eq!(ids(&found), ["E1"]);
    let place = Some("trace.csv".to_owned());
    assert_eq!(marked(&found), [("bursting".to_owned(), place)]);
    // Where the entry's own text matches, it is what is shown.
    let found = host.search("keyword", "klystron crowbar").await;
    assert!(marked(&found).contains(&("Klystron".to_owned(), None)));
}

async fn files_of_another_tenant_and_of_other_servers_are_not_read(kind: StoreKind) {
    let Some(host) = host(kind).await else {
        return;
    };
    upload(&host, "0a", "linac", "The crowbar fired.");
    let files = json!([
        {"url": "/api/attachments/0a", "filename": "own.txt"},
        {"url": "/api/attachments/../0a", "filename": "above.txt"},
        {"url": "http://127.0.0.1:9/notes.txt", "filename": "notes.txt"},
        {"url": "file:///etc/passwd", "filename": "passwd.txt"},
    ]);
    host.ingest_lines(&[entry("E1", &files)])
        .await
        .enhance()
        .await;
    assert!(ids(&host.search("keyword", "crowbar").await).is_empty());
    let stored = host.gannet.entry(DEFAULT_TENANT, "E1").await.unwrap();
    let metadata = stored.unwrap().metadata;
    assert!(!metadata.contains_key(ATTACHMENT_TEXT), "{metadata:?}");
}
