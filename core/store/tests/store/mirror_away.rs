//! A copy whose database is away.
use std::path::Path;
use std::time::Duration;

use crate::common::postgres::Database;
use crate::common::{entry, eventually, ids, is_behind, search};
use gannet_store::{EmbeddedOptions, PostgresOptions, Store, StoreOptions};

/// A store whose database gives up quickly.
async fn impatient(database: &Database, folder: &Path) -> Store {
    let postgres = PostgresOptions {
        connect_timeout: Duration::from_secs(1),
        ..database.options()
    };
    let folder = EmbeddedOptions::at(folder);
    Store::open(StoreOptions::Mirrored { postgres, folder })
        .await
        .unwrap()
}

#[tokio::test]
async fn searches_go_on_while_the_database_is_away() {
    let Some(database) = Database::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = impatient(&database, folder.path()).await;
    store.upsert(vec![entry(0, "beam lost")]).await.unwrap();
    store.flush().await.unwrap();
    database.block().await;
    assert_eq!(ids(&search(&store, "beam").await), ["e0"]);
    assert_eq!(store.count("default").await.unwrap(), 1);
    let refused = store.upsert(vec![entry(1, "beam")]).await.unwrap_err();
    assert!(
        refused.to_string().contains("not currently accepting"),
        "{refused}"
    );
    // The last look was long ago.
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(60);
    let lock = std::fs::File::options()
        .write(true)
        .open(folder.path().join("copy.lock"))
        .unwrap();
    lock.set_modified(long_ago).unwrap();
    let found = search(&store, "beam").await;
    assert!(is_behind(&found), "{found:?}");
    assert_eq!(ids(&found), ["e0"]);
    assert!(store.flush().await.is_err());
    // A process that starts now has the copy.
    store.close().await.unwrap();
    let store = impatient(&database, folder.path()).await;
    assert_eq!(ids(&search(&store, "beam").await), ["e0"]);
    let read = store.entries("default", &["e0".to_owned()]).await.unwrap();
    assert_eq!(read[0].raw_text, "beam lost");
    // The database comes back by itself.
    database.unblock().await;
    let another = database.store().await;
    another.upsert(vec![entry(2, "beam back")]).await.unwrap();
    eventually(&store, "beam", &["e0", "e2"]).await;
    assert!(!is_behind(&search(&store, "beam").await));
    database.drop_if_there().await;
}

#[tokio::test]
async fn without_a_copy_a_database_that_is_away_is_an_error_and_no_folder_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy");
    let mut postgres = PostgresOptions::at("postgres://nobody@127.0.0.1:1/none");
    postgres.connect_timeout = Duration::from_millis(200);
    let options = StoreOptions::Mirrored {
        postgres: postgres.clone(),
        folder: EmbeddedOptions::at(&path),
    };
    let refused = Store::open(options).await.err().unwrap();
    assert!(refused.is_unreachable(), "{refused}");
    let options = StoreOptions::Ariel {
        postgres,
        folder: EmbeddedOptions::at(&path),
    };
    let refused = Store::open(options).await.err().unwrap();
    assert!(refused.is_unreachable(), "{refused}");
    assert!(!path.exists());
}
