//! Verifying the records of a folder.
use std::path::Path;

use crate::common::{entry, fresh};
use gannet_store::{Finding, Health, Store, StoreError, StoreOptions};
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

async fn verify(folder: &Path, deep: bool) -> Vec<Finding> {
    let mut findings = Store::verify(&StoreOptions::at(folder), deep).await;
    findings.retain(|finding| finding.check == "records");
    findings
}

/// Changes the database behind the store's back.
async fn change(folder: &Path, statement: &'static str) {
    let options = SqliteConnectOptions::new().filename(folder.join("store.db"));
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

fn ids(indexes: std::ops::Range<usize>) -> Vec<String> {
    indexes.map(|index| format!("e{index}")).collect()
}

async fn three_entries() -> (tempfile::TempDir, Store) {
    let (folder, store) = fresh().await;
    let entries = (0..3).map(|index| entry(index, "The pump was exchanged."));
    store.upsert(entries.collect()).await.unwrap();
    (folder, store)
}

#[tokio::test]
async fn an_entry_that_changed_in_the_database_is_found_by_a_deep_look() {
    for damage in [
        "UPDATE entries SET raw_text = 'The pumq was exchanged.' WHERE entry_id = 'e1'",
        "UPDATE entries SET author = author || 'x' WHERE entry_id = 'e1'",
        "UPDATE entries SET timestamp = timestamp + 1 WHERE entry_id = 'e1'",
        "UPDATE entries SET metadata = '{\"shift\":\"Owl\"}' WHERE entry_id = 'e1'",
        "UPDATE entries SET added = '{\"shift\":\"Owl\"}' WHERE entry_id = 'e1'",
        "UPDATE entries SET keywords = '[\"Owl\"]' WHERE entry_id = 'e1'",
        "UPDATE entries SET summary = '' WHERE entry_id = 'e1'",
        "UPDATE entries SET text_hash = text_hash + 1 WHERE entry_id = 'e1'",
        "UPDATE entries SET checksum = NULL WHERE entry_id = 'e1'",
    ] {
        let (folder, store) = three_entries().await;
        store.close().await.unwrap();
        let sound = verify(folder.path(), true).await;
        assert_eq!(sound[0].health, Health::Ok, "{sound:?}");
        change(folder.path(), damage).await;

        let found = verify(folder.path(), true).await;
        assert_eq!(found.len(), 1, "{damage}: {found:?}");
        assert_eq!(found[0].health, Health::Fail, "{damage}");
        assert_eq!(found[0].message, "1 damaged entry: `e1`");
        let advice = found[0].advice.as_deref().unwrap();
        assert!(advice.contains("ingest their sources again"), "{advice}");
    }
}

#[tokio::test]
async fn a_damaged_entry_is_not_given_out_until_it_is_ingested_again() {
    let (folder, store) = three_entries().await;
    let damage = "UPDATE entries SET author = 'nobody' WHERE entry_id = 'e1'";
    change(folder.path(), damage).await;

    let error = store.entries("default", &ids(0..3)).await.unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, StoreError::Damaged { .. }), "{said}");
    assert!(said.contains("`e1`") && said.contains("ingest"), "{said}");
    let sound = store.entries("default", &ids(2..3)).await.unwrap();
    assert_eq!(sound.len(), 1);

    let again = (0..3).map(|index| entry(index, "The pump was exchanged."));
    let report = store.upsert(again.collect()).await.unwrap();
    assert_eq!((report.updated, report.unchanged), (1, 2));
    let mended = store.entries("default", &ids(0..3)).await.unwrap();
    assert_eq!(mended[1].author, entry(1, "").author);
}

#[tokio::test]
async fn entries_of_a_database_without_checksums_get_theirs_when_it_is_opened() {
    let (folder, store) = three_entries().await;
    store.close().await.unwrap();
    let older = "ALTER TABLE entries DROP COLUMN checksum; \
        DELETE FROM _sqlx_migrations WHERE version = 4; PRAGMA user_version = 3";
    change(folder.path(), older).await;

    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    let entries = store.entries("default", &ids(0..3)).await.unwrap();
    assert_eq!(entries.len(), 3);
    store.close().await.unwrap();
    let sound = verify(folder.path(), true).await;
    assert_eq!(sound[0].health, Health::Ok, "{sound:?}");
}
