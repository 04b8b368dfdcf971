//! What survives what.
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::{entry, fresh, ids, request, search, timeless, with_texts};
use gannet_api::Entry;
use gannet_store::{ListRequest, RebuildScope, Store, StoreError, StoreOptions, UpsertReport};
use tempfile::TempDir;

async fn open(folder: &Path) -> Store {
    let store = Store::open(StoreOptions::at(folder)).await.unwrap();
    store.flush().await.unwrap();
    store
}

#[tokio::test]
async fn upserting_the_same_entry_again_writes_nothing() {
    let (_folder, store) = fresh().await;
    let mut first = entry(0, "beam");
    first.metadata.insert("a".to_owned(), 1.into());
    first.metadata.insert("b".to_owned(), 2.into());
    let mut shuffled = entry(0, "beam");
    shuffled.metadata.insert("b".to_owned(), 2.into());
    shuffled.metadata.insert("a".to_owned(), 1.into());
    let report = store.upsert(vec![first.clone()]).await.unwrap();
    assert_eq!(
        report,
        UpsertReport {
            added: 1,
            ..UpsertReport::default()
        }
    );
    let sequence = store.stats().await.unwrap().sequence;
    let report = store.upsert(vec![first, shuffled]).await.unwrap();
    assert_eq!(
        report,
        UpsertReport {
            unchanged: 1,
            ..UpsertReport::default()
        }
    );
    assert_eq!(store.stats().await.unwrap().sequence, sequence);
    let report = store.upsert(vec![entry(0, "beam lost")]).await.unwrap();
    assert_eq!(
        report,
        UpsertReport {
            updated: 1,
            ..UpsertReport::default()
        }
    );
}

#[tokio::test]
async fn an_entry_comes_back_as_it_was_stored() {
    let (_folder, store) = fresh().await;
    let mut full: Entry = serde_json::from_value(serde_json::json!({
        "entry_id": "ä/1 \"x\"", "tenant": "t", "kind": "document", "source_system": "s",
        "timestamp": "1969-12-31T23:59:59.999999Z", "author": "A", "raw_text": "text\u{0}\n",
        "attachments": [{"url": "file:x", "type": "image/png"}],
        "metadata": {"z": [1, 2.5, null], "a": {"b": "c"}}, "summary": "s", "keywords": ["k"],
    }))
    .unwrap();
    store.upsert(vec![full.clone()]).await.unwrap();
    let id = full.entry_id.clone();
    let read = store.entries("t", std::slice::from_ref(&id)).await.unwrap();
    assert_eq!(
        read.iter().map(timeless).collect::<Vec<_>>(),
        [full.clone()]
    );
    assert!(
        store
            .entries("default", std::slice::from_ref(&id))
            .await
            .unwrap()
            .is_empty()
    );
    full.raw_text = "other".to_owned();
    full.summary = None;
    store.upsert(vec![full.clone()]).await.unwrap();
    let read = store.entries("t", &[id]).await.unwrap();
    assert_eq!(read.iter().map(timeless).collect::<Vec<_>>(), [full]);
}

#[tokio::test]
async fn entries_without_an_id_are_refused_and_nothing_of_the_batch_is_stored() {
    let (_folder, store) = fresh().await;
    let mut nameless = entry(1, "x");
    nameless.entry_id.clear();
    let refused = store.upsert(vec![entry(0, "beam"), nameless]).await;
    assert!(matches!(refused, Err(StoreError::InvalidEntry { .. })));
    assert_eq!(store.count("default").await.unwrap(), 0);
}

#[tokio::test]
async fn a_store_that_was_dropped_without_flush_catches_up_when_it_opens() {
    let (folder, store) = fresh().await;
    store
        .upsert((0..50).map(|index| entry(index, "beam")).collect())
        .await
        .unwrap();
    store.delete("default", &["e7".to_owned()]).await.unwrap();
    drop(store);
    let store = open(folder.path()).await;
    let mut request = request("beam");
    request.limit = 100;
    assert_eq!(
        store
            .text_search("default", request)
            .await
            .unwrap()
            .hits
            .len(),
        49
    );
}

#[tokio::test]
async fn a_text_index_that_is_gone_or_damaged_is_made_anew() {
    let (folder, store) = with_texts(&["beam lost", "beam back", "pump"]).await;
    store.close().await.unwrap();
    let text = folder.path().join("text");
    std::fs::remove_dir_all(&text).unwrap();
    let store = open(folder.path()).await;
    assert_eq!(search(&store, "beam").await.hits.len(), 2);
    store.close().await.unwrap();
    for file in std::fs::read_dir(&text).unwrap() {
        let path = file.unwrap().path();
        let is_segment = path
            .extension()
            .is_some_and(|kind| kind == "idx" || kind == "term");
        if is_segment {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        }
    }
    let store = open(folder.path()).await;
    assert_eq!(search(&store, "beam").await.hits.len(), 2);
    store.close().await.unwrap();
    std::fs::write(text.join("meta.json"), "{").unwrap();
    let store = open(folder.path()).await;
    assert_eq!(search(&store, "beam").await.hits.len(), 2);
}

#[tokio::test]
async fn an_index_of_another_database_is_not_believed() {
    let (folder, store) = with_texts(&["beam lost"]).await;
    store.close().await.unwrap();
    let (other, store) = fresh().await;
    store.close().await.unwrap();
    let database = |folder: &TempDir| folder.path().join("store.db");
    std::fs::copy(database(&other), database(&folder)).unwrap();
    let store = open(folder.path()).await;
    assert!(search(&store, "beam").await.hits.is_empty());
    store.upsert(vec![entry(5, "beam back")]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(ids(&search(&store, "beam").await), ["e5"]);
}

#[tokio::test]
async fn a_rebuild_finds_the_same() {
    let (_folder, store) = with_texts(&["beam lost", "beam back", "pump"]).await;
    let before = search(&store, "beam lost").await.hits;
    store.rebuild(RebuildScope::All).await.unwrap();
    assert_eq!(search(&store, "beam lost").await.hits, before);
}

#[tokio::test]
async fn a_database_of_a_newer_program_or_of_another_one_is_refused() {
    let (folder, store) = fresh().await;
    store.close().await.unwrap();
    let path = folder.path().join("store.db");
    let set = |statement: &'static str| {
        let path = path.clone();
        async move {
            use sqlx::Connection;
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
            let mut connection = sqlx::SqliteConnection::connect_with(&options)
                .await
                .unwrap();
            sqlx::query(statement)
                .execute(&mut connection)
                .await
                .unwrap();
            connection.close().await.unwrap();
        }
    };
    set("PRAGMA user_version = 99").await;
    let refused = Store::open(StoreOptions::at(folder.path())).await;
    assert!(matches!(
        refused,
        Err(StoreError::NewerFormat { found: 99, .. })
    ));
    set("PRAGMA application_id = 7").await;
    let refused = Store::open(StoreOptions::at(folder.path())).await;
    assert!(matches!(refused, Err(StoreError::NotAStore { .. })));
}

#[tokio::test]
async fn the_second_one_to_open_a_store_reads_and_writes_and_takes_over_later() {
    let (folder, first) = with_texts(&["beam"]).await;
    let second = open(folder.path()).await;
    assert!(first.stats().await.unwrap().writer);
    assert!(!second.stats().await.unwrap().writer);
    assert_eq!(ids(&search(&second, "beam").await), ["e0"]);
    assert!(matches!(
        second.rebuild(RebuildScope::All).await,
        Err(StoreError::NotTheWriter { .. })
    ));
    second.upsert(vec![entry(1, "beam too")]).await.unwrap();
    second.flush().await.unwrap();
    assert_eq!(search(&second, "beam").await.hits.len(), 2);
    first.flush().await.unwrap();
    assert_eq!(search(&first, "beam").await.hits.len(), 2);
    first.close().await.unwrap();
    second.upsert(vec![entry(2, "beam three")]).await.unwrap();
    second.flush().await.unwrap();
    assert_eq!(search(&second, "beam").await.hits.len(), 3);
    assert!(second.stats().await.unwrap().writer);
}

#[tokio::test]
async fn the_pages_of_a_list_are_complete_while_entries_are_added() {
    let (_folder, store) = fresh().await;
    // Three entries share each timestamp.
    let old = |index: usize| {
        let mut old = entry(index / 3, "old");
        old.entry_id = format!("old{index}");
        old
    };
    store.upsert((0..50).map(old).collect()).await.unwrap();
    for newest_first in [true, false] {
        let mut seen = Vec::new();
        let mut after = None;
        for round in 0.. {
            let list = ListRequest {
                after,
                newest_first,
                ..ListRequest::newest(7)
            };
            let page = store.list("default", list).await.unwrap();
            seen.extend(page.entries.into_iter().map(|entry| entry.entry_id));
            let mut new = entry(round % 20, "new");
            new.entry_id = format!("new{newest_first}{round}");
            store.upsert(vec![new]).await.unwrap();
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        let mut distinct = seen.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), seen.len());
        assert_eq!(seen.iter().filter(|id| id.starts_with("old")).count(), 50);
    }
}

/// Not a test by itself: the child that is killed below.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Ok(folder) = std::env::var("GANNET_TEST_KILLED_STORE") else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = Store::open(StoreOptions::at(folder)).await.unwrap();
        let begin = usize::try_from(store.count("default").await.unwrap()).unwrap();
        for batch in 0.. {
            let first = begin + batch * 20;
            let entries = (first..first + 20).map(|index| entry(index, "beam in the machine"));
            store.upsert(entries.collect()).await.unwrap();
            println!("acknowledged {}", first + 20);
        }
    });
}

fn start_child(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "durability::child_that_writes_until_it_is_killed",
            "--exact",
            "--nocapture",
        ])
        .env("GANNET_TEST_KILLED_STORE", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills the child after so many acknowledgements; returns what it had
/// acknowledged by then.
fn kill_after(mut child: Child, acknowledgements: usize) -> u64 {
    let mut acknowledged = 0;
    let output = BufReader::new(child.stdout.take().unwrap());
    let numbers = output.lines().filter_map(|line| {
        let line = line.unwrap();
        let (_, number) = line.split_once("acknowledged ")?;
        number.parse::<u64>().ok()
    });
    for number in numbers.take(acknowledgements) {
        acknowledged = number;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged
}

#[test]
fn what_was_acknowledged_survives_a_kill_and_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for acknowledgements in [1, 5, 30, 90] {
        let acknowledged = kill_after(start_child(folder.path()), acknowledgements);
        assert!(acknowledged > 0);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = open(folder.path()).await;
            let stored = store.count("default").await.unwrap();
            assert!(stored >= acknowledged, "{stored} of {acknowledged}");
            let mut everything = request("beam");
            everything.limit = 100_000;
            let found = store.text_search("default", everything).await.unwrap();
            assert_eq!(found.hits.len() as u64, stored);
            store.close().await.unwrap();
        });
    }
}
