//! Records that were put back to an earlier state, by a restored file or a
//! power cut, beside indexes that are ahead of them: what is found is what the
//! records hold now.
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::vectors::{nearest, on_circle, search_vectors, store_vectors, with_vectors_of};
use crate::common::{ids, search};
use gannet_store::{EmbeddedOptions, Health, RebuildScope, Store, StoreOptions};

async fn open(folder: &Path) -> Store {
    let store = Store::open(StoreOptions::at(folder)).await.unwrap();
    store.flush().await.unwrap();
    store
}

/// The store as a process has it that does not write the indexes.
async fn without_indexes(folder: &Path) -> Store {
    let mut options = EmbeddedOptions::at(folder);
    options.read_only_projections = true;
    Store::open(StoreOptions::Embedded(options)).await.unwrap()
}

/// Closes a store, and brings everything from SQLite's log into the database
/// file, which can be copied then. The connections of the store end in threads
/// of their own, and keep the log while they are there.
async fn close(store: Store, folder: &Path) {
    use sqlx::Connection;
    store.close().await.unwrap();
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.join("store.db"));
    let log = folder.join("store.db-wal");
    let patience = Instant::now() + Duration::from_secs(20);
    while std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        assert!(Instant::now() < patience, "the database is still open");
        let mut connection = sqlx::SqliteConnection::connect_with(&options)
            .await
            .unwrap();
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
    }
}

fn put_back(from: &Path, to: &Path) {
    for name in ["store.db-wal", "store.db-shm"] {
        let _ = std::fs::remove_file(to.join(name));
    }
    std::fs::copy(from.join("store.db"), to.join("store.db")).unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => std::fs::copy(entry.path(), target).map(|_| ()).unwrap(),
        }
    }
}

/// Each entry is found under its own text and its own vector, and nothing is
/// found of what was written and lost.
async fn assert_only_these(store: &Store, present: &[usize], lost: &[usize]) {
    for &index in present {
        let id = format!("e{index}");
        let found = search(store, &format!("unique{index}")).await;
        assert_eq!(ids(&found), [id.as_str()], "the text of {id}");
        let found = search_vectors(store, "tiny", &on_circle(index), 1).await;
        assert_eq!(ids(&found), [id.as_str()], "the vector of {id}");
        assert!(found.hits[0].score > 0.999_9, "{id}: {:?}", found.hits[0]);
    }
    for &index in lost {
        let found = search(store, &format!("unique{index}")).await;
        assert!(ids(&found).is_empty(), "the text of e{index}");
        let mut request = nearest("tiny", &on_circle(index), 10);
        request.min_similarity = Some(0.999_9);
        let found = store.vector_search("default", request).await.unwrap();
        assert!(ids(&found).is_empty(), "the vector of e{index}");
    }
}

#[tokio::test]
async fn an_older_database_beside_newer_indexes_gives_no_entry_anothers_text_or_vector() {
    for written_afterwards in [0, 4, 6, 20] {
        let (folder, store) = crate::common::fresh().await;
        let backup = tempfile::tempdir().unwrap();
        with_vectors_of(&store, 0..3).await;
        close(store, folder.path()).await;
        std::fs::copy(
            folder.path().join("store.db"),
            backup.path().join("store.db"),
        )
        .unwrap();
        let store = open(folder.path()).await;
        with_vectors_of(&store, 3..9).await;
        close(store, folder.path()).await;

        put_back(backup.path(), folder.path());
        if written_afterwards > 0 {
            // Written without a look at the indexes, as by a process that
            // does not hold the lock, so that the numbers catch up first.
            let store = without_indexes(folder.path()).await;
            store_vectors(&store, "tiny", 20..20 + written_afterwards, on_circle).await;
        }
        let store = open(folder.path()).await;
        let mut present: Vec<usize> = (0..3).collect();
        present.extend(20..20 + written_afterwards);
        assert_only_these(&store, &present, &[3, 4, 5, 6, 7, 8]).await;
        store.close().await.unwrap();
        let findings = Store::verify(&StoreOptions::at(folder.path()), true).await;
        let is_ok = findings.iter().all(|finding| finding.health == Health::Ok);
        assert!(is_ok, "{findings:?}");
    }
}

#[tokio::test]
async fn a_log_that_a_power_cut_shortened_gives_no_entry_anothers_text_or_vector() {
    let (folder, store) = crate::common::fresh().await;
    with_vectors_of(&store, 0..3).await;
    close(store, folder.path()).await;
    let store = open(folder.path()).await;
    for index in 3..9 {
        with_vectors_of(&store, index..index + 1).await;
    }
    // Everything is on disk, but for the end of the log.
    store.rebuild(RebuildScope::All).await.unwrap();
    let log = std::fs::read(folder.path().join("store.db-wal")).unwrap();
    for tenths in 0..10 {
        let cut = tempfile::tempdir().unwrap();
        copy_folder(folder.path(), cut.path());
        let _ = std::fs::remove_file(cut.path().join("store.db-shm"));
        let left = &log[..log.len() * tenths / 10];
        std::fs::write(cut.path().join("store.db-wal"), left).unwrap();
        let store = open(cut.path()).await;
        let kept = usize::try_from(store.count("default").await.unwrap()).unwrap();
        assert!((3..=9).contains(&kept), "{kept} entries");
        with_vectors_of(&store, 20..30).await;
        let mut present: Vec<usize> = (0..3).collect();
        present.extend(20..30);
        let lost: Vec<usize> = (kept..9).collect();
        assert_only_these(&store, &present, &lost).await;
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn indexes_that_are_behind_the_records_only_catch_up() {
    let (folder, store) = crate::common::fresh().await;
    with_vectors_of(&store, 0..3).await;
    store.close().await.unwrap();
    let store = without_indexes(folder.path()).await;
    store_vectors(&store, "tiny", 3..9, on_circle).await;
    drop(store);
    let segment = folder.path().join("vectors/tiny/00000000.segment");
    let before = std::fs::metadata(&segment).unwrap().modified().unwrap();
    let store = open(folder.path()).await;
    assert_only_these(&store, &[0, 1, 2, 3, 4, 5, 6, 7, 8], &[]).await;
    let after = std::fs::metadata(&segment).unwrap().modified().unwrap();
    assert_eq!(before, after, "not rebuilt");
}

/// Rows that only tell indexes what is gone.
async fn old_changes(folder: &Path) -> i64 {
    use sqlx::Connection;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.join("store.db"));
    let mut connection = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    let count = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM tombstones) \
         + (SELECT count(*) FROM entry_vectors WHERE passages = 0)",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();
    count
}

#[tokio::test]
async fn deletions_that_every_index_has_heard_of_are_dropped_and_an_older_index_is_made_anew() {
    let (folder, store) = crate::common::fresh().await;
    let backup = tempfile::tempdir().unwrap();
    with_vectors_of(&store, 0..4).await;
    store.close().await.unwrap();
    copy_folder(folder.path(), backup.path());
    let store = open(folder.path()).await;
    let gone = ["e1".to_owned(), "e2".to_owned()];
    assert_eq!(store.delete("default", &gone).await.unwrap(), 2);
    store.flush().await.unwrap();
    store.close().await.unwrap();
    assert_eq!(old_changes(folder.path()).await, 0);

    for part in ["text", "vectors"] {
        std::fs::remove_dir_all(folder.path().join(part)).unwrap();
        copy_folder(&backup.path().join(part), &folder.path().join(part));
    }
    let store = open(folder.path()).await;
    assert_only_these(&store, &[0, 3], &[1, 2]).await;
    store.close().await.unwrap();
    let findings = Store::verify(&StoreOptions::at(folder.path()), true).await;
    let is_ok = findings.iter().all(|finding| finding.health == Health::Ok);
    assert!(is_ok, "{findings:?}");
}
