//! What a text index that fails costs: time, and no entry.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Entry, Filter, QuerySyntax};
use tempfile::TempDir;

use crate::embedded::{EmbeddedStore, verify};
use crate::error::StoreError;
use crate::finding::Health;
use crate::options::EmbeddedOptions;
use crate::request::INCOMPLETE_INDEX;
use gannet_index::TextRequest;
use gannet_index_tantivy::faults::{Failure, Operation, break_folder, mend_folder};

const EIO: i32 = 5;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;

fn options(folder: &Path) -> EmbeddedOptions {
    EmbeddedOptions {
        commit_every: Duration::from_millis(5),
        ..EmbeddedOptions::at(folder)
    }
}

fn entries(first: usize, count: usize) -> Vec<Entry> {
    let instant = jiff::Timestamp::UNIX_EPOCH;
    let entry = |index: usize| Entry::new(format!("e{index}"), "test", instant, "beam lost");
    (first..first + count).map(entry).collect()
}

/// A store with 20 entries that can be found, and the folder of its text
/// index.
async fn filled() -> (TempDir, EmbeddedStore, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(options(folder.path())).await.unwrap();
    store.upsert(entries(0, 20)).await.unwrap();
    store.flush().await.unwrap();
    let text = folder.path().join("text");
    (folder, store, text)
}

fn request() -> TextRequest {
    TextRequest {
        query: parse("beam", QuerySyntax::Operators, &QueryOptions::default()),
        filter: Filter::none(),
        limit: 1_000,
        fuzzy: false,
    }
}

async fn found(store: &EmbeddedStore) -> usize {
    let found = store.text_search("default", request()).await.unwrap();
    found.hits.len()
}

async fn assert_sound(folder: &Path) {
    for finding in verify(&options(folder), true).await {
        assert_eq!(finding.health, Health::Ok, "{finding:?}");
    }
}

#[tokio::test]
async fn whichever_write_fails_every_entry_is_found_afterwards() {
    // Each write is met by one of the failures; all of them by each take a minute.
    let failures = [Failure::Once(ENOSPC), Failure::Once(EIO), Failure::Panic];
    for (first, failure) in failures.into_iter().enumerate() {
        for spared in (first..).step_by(failures.len()) {
            let (folder, store, text) = filled().await;
            break_folder(&text, Operation::Write, failure, spared);
            store.upsert(entries(20, 10)).await.unwrap();
            // It may fail, or meet the failure in the background only.
            let _ = store.flush().await;
            store.upsert(entries(30, 10)).await.unwrap();
            let _ = store.flush().await;
            let is_past = mend_folder(&text);
            store.flush().await.unwrap();
            assert_eq!(found(&store).await, 40, "{failure:?} after {spared}");
            assert_sound(folder.path()).await;
            store.close().await.unwrap();
            if is_past {
                break;
            }
        }
    }
}

#[tokio::test]
async fn while_the_disk_is_full_searches_and_the_state_say_that_entries_are_missing() {
    let (_folder, store, text) = filled().await;
    break_folder(&text, Operation::Write, Failure::Lasting(ENOSPC), 0);
    store.upsert(entries(20, 10)).await.unwrap();
    let refused = store.flush().await;
    assert!(matches!(refused, Err(StoreError::DiskFull { .. })));
    let answer = store.text_search("default", request()).await.unwrap();
    assert_eq!(answer.hits.len(), 20);
    let note = &answer.diagnostics[0];
    assert_eq!(note.category.as_deref(), Some(INCOMPLETE_INDEX));
    assert!(note.message.contains("no space left"), "{}", note.message);
    let stats = store.stats().await.unwrap();
    assert!(stats.text_trouble.unwrap().contains("no space left"));
    assert!(stats.text_sequence < stats.sequence);
    mend_folder(&text);
    store.flush().await.unwrap();
    let answer = store.text_search("default", request()).await.unwrap();
    assert_eq!(answer.hits.len(), 30);
    assert!(answer.diagnostics.is_empty());
    assert_eq!(store.stats().await.unwrap().text_trouble, None);
}

#[tokio::test]
async fn an_index_that_cannot_be_read_now_is_not_deleted() {
    for code in [EIO, EMFILE, EACCES, ENOMEM] {
        for spared in 0.. {
            let (folder, store, text) = filled().await;
            store.close().await.unwrap();
            let before = segments(&text);
            break_folder(&text, Operation::Read, Failure::Lasting(code), spared);
            let store = EmbeddedStore::open(options(folder.path())).await.unwrap();
            let answer = store.text_search("default", request()).await;
            let is_past = match answer {
                Err(StoreError::TextUnreadable { reason }) => {
                    let cause = std::io::Error::from_raw_os_error(code);
                    assert!(
                        reason.contains(&format!("code: {code}")),
                        "{cause}: {reason}"
                    );
                    false
                }
                answer => {
                    assert_eq!(answer.unwrap().hits.len(), 20);
                    true
                }
            };
            // Everything else goes on.
            assert_eq!(store.count("default").await.unwrap(), 20);
            store.upsert(entries(20, 1)).await.unwrap();
            mend_folder(&text);
            store.flush().await.unwrap();
            assert_eq!(found(&store).await, 21, "{code} after {spared}");
            let after = segments(&text);
            assert!(before.iter().all(|name| after.contains(name)), "{code}");
            if is_past {
                break;
            }
        }
    }
}

/// Names of the files with postings.
fn segments(text: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(text).unwrap();
    let names = files.map(|file| PathBuf::from(file.unwrap().file_name()));
    names
        .filter(|name| name.extension().is_some_and(|kind| kind == "idx"))
        .collect()
}
