//! One store copied to another, cut off on the way and gone on with.
use crate::backup::{Answers, answers, fill, kind};
use crate::common::ariel::Ariel;
use crate::common::entry;
use crate::common::postgres::Database;
use crate::common::vectors::{on_circle, search_vectors, store_vectors};
use gannet_store::{RebuildScope, RecordCounts, Store, StoreError, StoreOptions};

/// Further entries: with those of `fill` three batches.
const MORE: std::ops::Range<usize> = 1_000..2_100;
const ALL: u64 = 45 + 1_100;

async fn filled(options: &StoreOptions) {
    let store = Store::open(options.clone()).await.unwrap();
    fill(&store).await;
    store_vectors(&store, "circle", MORE, on_circle).await;
    store.close().await.unwrap();
}

async fn copy(from: &StoreOptions, to: &StoreOptions) -> Result<RecordCounts, StoreError> {
    Store::copy(from, to.clone(), &mut |_, _, _| ()).await
}

async fn refusal(from: &StoreOptions, to: &StoreOptions) -> String {
    copy(from, to).await.unwrap_err().to_string()
}

/// Ends a copy in the middle of its second batch, as a kill would.
async fn cut_off(from: &StoreOptions, to: &StoreOptions) {
    let (reached, mut second) = tokio::sync::mpsc::unbounded_channel();
    let mut progress = |step: &str, done: u64, total: u64| {
        assert_eq!((step, total), ("copy", ALL));
        if done > 0 {
            reached.send(done).unwrap();
        }
    };
    tokio::select! {
        biased;
        done = second.recv() => assert_eq!(done, Some(500)),
        ended = Store::copy(from, to.clone(), &mut progress) => panic!("{ended:?}"),
    }
}

/// What a store answers; of other kinds statistics of words differ.
async fn found(options: &StoreOptions, exact: bool) -> (Answers, Vec<String>) {
    let store = Store::open(options.clone()).await.unwrap();
    let mut found = answers(&store).await;
    if !exact {
        found.forget_text_scores();
    }
    let mut nearest = Vec::new();
    for index in [1_000, 1_500, 2_099] {
        let hits = search_vectors(&store, "circle", &on_circle(index), 1).await;
        nearest.push(hits.hits[0].entry_id.clone());
    }
    store.close().await.unwrap();
    (found, nearest)
}

async fn goes_on(from: &StoreOptions, to: &StoreOptions) {
    filled(from).await;
    cut_off(from, to).await;
    let other = tempfile::tempdir().unwrap();
    let other = StoreOptions::at(other.path());
    Store::open(other.clone())
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    let told = refusal(&other, to).await;
    assert!(told.contains("holds a part of"), "{told}");
    // New entries do no harm.
    let store = Store::open(from.clone()).await.unwrap();
    store.upsert(vec![entry(5_000, "new")]).await.unwrap();
    if matches!(from, StoreOptions::Embedded(_)) {
        // It counts words of entries that were replaced until it is rebuilt. In
        // a database a rebuild changes the rows.
        store.rebuild(RebuildScope::Text).await.unwrap();
    }
    store.close().await.unwrap();

    let copied = copy(from, to).await.unwrap();
    assert_eq!(copied.entries, ALL + 1);
    assert_eq!((copied.vectors["m"], copied.vectors["circle"]), (39, 1_100));
    let exact = kind(from) == kind(to);
    assert_eq!(found(to, exact).await, found(from, exact).await);
    let told = refusal(from, to).await;
    assert!(told.contains("has a store already"), "{told}");
}

#[tokio::test]
async fn a_copy_to_a_folder_goes_on_where_it_was_cut_off() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, to) = (StoreOptions::at(from.path()), StoreOptions::at(to.path()));
    goes_on(&from, &to).await;
    let told = refusal(&from, &from).await;
    assert!(told.contains("cannot be copied to itself"), "{told}");
}

#[tokio::test]
async fn a_copy_to_and_from_a_database_goes_on_where_it_was_cut_off() {
    let (Some(one), Some(two)) = (Database::create().await, Database::create().await) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder_options = StoreOptions::at(folder.path());
    let in_one = StoreOptions::Postgres(one.options());
    goes_on(&folder_options, &in_one).await;
    one.drop_if_there().await;
    let folder = tempfile::tempdir().unwrap();
    let in_two = StoreOptions::Postgres(two.options());
    goes_on(&in_two, &StoreOptions::at(folder.path())).await;
    two.drop_if_there().await;
}

#[tokio::test]
async fn a_source_that_changed_meanwhile_is_not_gone_on_with() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, to) = (StoreOptions::at(from.path()), StoreOptions::at(to.path()));
    filled(&from).await;
    cut_off(&from, &to).await;
    let store = Store::open(from.clone()).await.unwrap();
    store.upsert(vec![entry(3, "another text")]).await.unwrap();
    store.close().await.unwrap();
    let told = refusal(&from, &to).await;
    assert!(told.contains("changed since this copy was begun"), "{told}");
}

#[tokio::test]
async fn ariels_database_is_copied_and_no_target() {
    let Some(ariel) = Ariel::create().await else {
        return;
    };
    let (replica, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let from = ariel.options(replica.path());
    let to = StoreOptions::at(to.path());
    let copied = copy(&from, &to).await.unwrap();
    assert_eq!((copied.entries, copied.vectors["tiny"]), (3, 1));
    let store = Store::open(to.clone()).await.unwrap();
    let hits = search_vectors(&store, "tiny", &[1.0, 0.0], 1).await;
    assert_eq!(hits.hits[0].entry_id, "10");
    assert_eq!(store.runs(9).await.unwrap()[0].outcome.added, 3);
    store
        .upsert(vec![entry(1, "it can be written")])
        .await
        .unwrap();
    store.close().await.unwrap();
    let told = refusal(&to, &from).await;
    assert!(told.contains("belongs to ARIEL"), "{told}");
    ariel.drop().await;
}
