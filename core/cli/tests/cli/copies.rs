//! The command line on a replica of a database, and of ARIEL's.

use crate::facility::{Facility, code, stderr, stdout};
use gannet_test_databases::{ARIEL, Database};
use serde_json::json;

fn ids(found: &serde_json::Value) -> Vec<&str> {
    let entries = found["entries"].as_array().unwrap().iter();
    entries
        .map(|hit| hit["entry"]["entry_id"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_answers_searches() {
    let Some(database) = Database::create().await else {
        return;
    };
    let facility = Facility::new();
    let uri = database.url();
    let config = format!("store: {{kind: postgres, uri: '{uri}', cache: true, path: copy}}\n");
    facility.write("config.yml", &config);
    let before = facility.done(&["doctor"]);
    assert!(before.contains("copy"), "{before}");
    assert!(!facility.folder.path().join("copy").exists());
    let line = json!({"id": "A-1", "text": "pump tripped", "timestamp": "2025-03-14T09:30:00Z"});
    facility.write("log.jsonl", &line.to_string());
    facility.done(&["ingest", "log.jsonl"]);
    let found = facility.json(&["search", "--mode", "keyword", "pump"]);
    assert_eq!(ids(&found), ["A-1"]);
    assert!(facility.folder.path().join("copy/store.db").exists());
    let status = facility.done(&["status"]);
    assert!(status.contains("with a replica in"), "{status}");
    let after = facility.done(&["doctor"]);
    assert!(after.contains("current"), "{after}");
    let planned = facility.done(&["migrate", "--dry-run"]);
    assert!(planned.contains("current"), "{planned}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ariel_s_database_is_searched_as_it_is() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let facility = Facility::new();
    let uri = database.url();
    facility.write(
        "config.yml",
        &format!("ariel:\n  database: {{uri: '{uri}'}}\n  search_modules: {{keyword: {{enabled: true}}}}\n"),
    );
    let doctor = facility.done(&["doctor"]);
    assert!(
        doctor.contains("a database of ARIEL, read-only"),
        "{doctor}"
    );
    assert!(
        doctor.contains("USING gin (raw_text gin_trgm_ops)"),
        "{doctor}"
    );
    assert!(
        doctor.contains("USING hnsw (embedding vector_cosine_ops)"),
        "{doctor}"
    );
    let found = facility.json(&["search", "--mode", "keyword", "vacuum"]);
    assert_eq!(ids(&found), ["11"]);
    let line = json!({"id": "A-1", "text": "pump tripped", "timestamp": "2025-03-14T09:30:00Z"});
    facility.write("log.jsonl", &line.to_string());
    for command in [&["ingest", "log.jsonl", "--no-enhance"][..], &["migrate"]] {
        let refused = facility.gannet(command);
        assert_ne!(code(&refused), 0, "{}", stdout(&refused));
        assert!(
            stderr(&refused).contains("read-only"),
            "{}",
            stderr(&refused)
        );
    }
    let ours = database
        .count("SELECT count(*) FROM pg_class WHERE relname LIKE 'gannet%'")
        .await;
    assert_eq!(ours, 0);
}
