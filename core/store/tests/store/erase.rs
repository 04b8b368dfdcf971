//! What deleted entries leave in the files, and that nothing is left once it
//! is erased.
use std::path::{Path, PathBuf};

use crate::common::postgres::Database;
use crate::common::vectors::{model, nearest};
use crate::common::{entry, request};
use gannet_api::{Enhanced, PassageEmbedding, PassageEmbeddings, Patch};
use gannet_store::{Store, StoreOptions};

const MODEL: &str = "m";
/// In no other text; stems of it are searched for too.
const SECRET: &str = "zorkulent";

/// A vector whose bytes are in no other one.
fn secret_vector() -> Vec<f32> {
    vec![0.123_456_79, 0.987_654_3, -0.314_159_27, 0.271_828_18]
}

/// Entries with vectors, one of which is to go.
async fn fill(store: &Store) {
    let mut entries: Vec<_> = (0..50)
        .map(|index| entry(index, &format!("The pump of sector {index} tripped.")))
        .collect();
    entries[7].raw_text = format!("The {SECRET} pump of sector 7.");
    store.upsert(entries).await.unwrap();
    store.register_model(&model(MODEL, 4)).await.unwrap();
    let outcomes = (0..50).map(|index| {
        let vector = match index {
            7 => secret_vector(),
            _ => vec![1.0, index as f32, 0.0, 1.0],
        };
        let patch = Patch::default()
            .with_keywords((index == 7).then(|| vec![format!("{SECRET}-keyword")]))
            .with_summary((index == 7).then(|| format!("{SECRET} summary")))
            .with_embeddings(PassageEmbeddings::new(
                MODEL.to_owned(),
                vec![PassageEmbedding::new(0..10, vector)],
            ));
        let entry_id = format!("e{index}");
        let outcome = Ok(patch);
        ("default".into(), Enhanced::new(entry_id, outcome))
    });
    store
        .save_enhanced("text_embedding", outcomes.collect())
        .await
        .unwrap();
    store.flush().await.unwrap();
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files_below(&path, files),
            false => files.push(path),
        }
    }
}

/// The files that hold these bytes, in any case.
fn holding(folder: &Path, wanted: &[u8]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    files_below(folder, &mut files);
    files.retain(|file| {
        let bytes = std::fs::read(file).unwrap();
        let mut windows = bytes.windows(wanted.len());
        windows.any(|window| window.eq_ignore_ascii_case(wanted))
    });
    files
}

/// The beginning of the word, which a dictionary of terms keeps whole, and the
/// bytes of the vector's first two numbers.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let mut found = holding(folder, &SECRET.as_bytes()[..5]);
    let vector: Vec<u8> = secret_vector()[..2]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    found.extend(holding(folder, &vector));
    found
}

async fn found(store: &Store, word: &str) -> usize {
    let found = store.text_search("default", request(word)).await.unwrap();
    found.hits.len()
}

#[tokio::test]
async fn nothing_of_a_deleted_entry_is_left_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    fill(&store).await;
    assert!(!traces(folder.path()).is_empty());
    let deleted = store.delete("default", &["e7".to_owned()]).await.unwrap();
    assert_eq!(deleted, 1);
    store.flush().await.unwrap();
    assert!(!traces(folder.path()).is_empty(), "nothing to erase");

    store.erase().await.unwrap();
    assert_eq!(traces(folder.path()), Vec::<PathBuf>::new());
    assert_eq!(found(&store, SECRET).await, 0);
    assert_eq!(store.count("default").await.unwrap(), 49);
    let hits = store
        .vector_search("default", nearest(MODEL, &[1.0, 3.0, 0.0, 1.0], 3))
        .await
        .unwrap();
    assert_eq!(hits.hits[0].entry_id, "e3");
    store.close().await.unwrap();
    assert_eq!(traces(folder.path()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn nothing_of_a_replaced_text_is_left_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    fill(&store).await;
    let other = entry(7, "The pump of sector 7 was exchanged.");
    store.upsert(vec![other]).await.unwrap();
    store.erase().await.unwrap();
    assert_eq!(traces(folder.path()), Vec::<PathBuf>::new());
    assert_eq!(store.count("default").await.unwrap(), 50);
    store.close().await.unwrap();
}

#[tokio::test]
async fn what_another_process_asks_for_is_done_by_the_one_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    fill(&writer).await;
    let other = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    assert!(!other.stats().await.unwrap().writer);
    other.delete("default", &["e7".to_owned()]).await.unwrap();
    other.erase().await.unwrap();
    assert_eq!(traces(folder.path()), Vec::<PathBuf>::new());
    assert_eq!(found(&other, "pump").await, found(&writer, "pump").await);
    other.close().await.unwrap();
    writer.close().await.unwrap();
}

#[tokio::test]
async fn what_was_asked_for_before_a_crash_is_done_when_the_store_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    fill(&store).await;
    store.delete("default", &["e7".to_owned()]).await.unwrap();
    store.close().await.unwrap();
    std::fs::write(folder.path().join("erase.requested"), []).unwrap();
    assert!(!traces(folder.path()).is_empty());

    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    store.flush().await.unwrap();
    assert!(!folder.path().join("erase.requested").exists());
    assert_eq!(traces(folder.path()), Vec::<PathBuf>::new());
    store.close().await.unwrap();
}

#[tokio::test]
async fn nothing_of_a_deleted_entry_is_left_in_the_tables_of_a_database() {
    let Some(database) = Database::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = database.mirrored(folder.path()).await;
    fill(&store).await;
    assert!(rows(&database).await > 0);
    store.delete("default", &["e7".to_owned()]).await.unwrap();
    store.erase().await.unwrap();
    assert_eq!(rows(&database).await, 0);
    assert_eq!(traces(folder.path()), Vec::<PathBuf>::new());
    store.close().await.unwrap();

    // Other words stay, and new ones are taken, as misspellings show.
    let store = database.store().await;
    assert!(found(&store, "trippde").await > 0);
    assert_eq!(found(&store, "zorkulant").await, 0);
    let again = entry(7, &format!("The {SECRET} pump again."));
    store.upsert(vec![again]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(found(&store, "zorkulant").await, 1);
    store.close().await.unwrap();
    database.drop_if_there().await;
}

/// Rows of any table that hold the word.
async fn rows(database: &Database) -> i64 {
    const ROWS: &str = "SELECT (SELECT count(*) FROM enhanced_entries t WHERE t::text ILIKE '%zorku%') \
        + (SELECT count(*) FROM gannet_words t WHERE t::text ILIKE '%zorku%') \
        + (SELECT count(*) FROM gannet_terms t WHERE t::text ILIKE '%zorku%')";
    database.count(ROWS).await
}
