//! Verifying the records of a folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;

use common::{entry, fresh};
use gannet_store::{Finding, Health, Store, StoreOptions};
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

async fn verify(folder: &Path, deep: bool) -> Vec<Finding> {
    let mut findings = Store::verify(&StoreOptions::at(folder), deep).await;
    findings.retain(|finding| finding.check == "records");
    findings
}

#[tokio::test]
async fn a_text_that_changed_in_the_database_is_found_by_a_deep_look() {
    let (folder, store) = fresh().await;
    let entries = (0..3).map(|index| entry(index, "The pump was exchanged."));
    store.upsert(entries.collect()).await.unwrap();
    store.close().await.unwrap();
    let sound = verify(folder.path(), true).await;
    assert_eq!(sound[0].health, Health::Ok, "{sound:?}");

    let options = SqliteConnectOptions::new().filename(folder.path().join("store.db"));
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query("UPDATE entries SET raw_text = 'The pumq was exchanged.' WHERE entry_id = 'e1'")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();

    let found = verify(folder.path(), true).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].health, Health::Fail);
    let expected = "the text of 1 entry is not the one that was stored, among them `e1`";
    assert_eq!(found[0].message, expected);
    let advice = found[0].advice.as_deref().unwrap();
    assert!(advice.contains("gannet entry delete"), "{advice}");
}
