//! The records of a store in a file, and back in an empty store of any kind.
use std::path::Path;

use crate::common::postgres::Database;
use crate::common::vectors::{model, nearest};
use crate::common::{entry, request};
use gannet_api::{
    Enhanced, EnhancementStatus, Entry, PassageEmbedding, PassageEmbeddings, Patch, push_signs,
};
use gannet_store::{
    RebuildScope, RecordCounts, RunOutcome, RunStatus, StateKey, Store, StoreError, StoreOptions,
};
use serde_json::json;

const MODEL: &str = "m";
const WORDS: [&str; 4] = ["pump", "klystron", "magnet", "chiller"];

fn text(index: usize) -> String {
    format!("The {} of sector {index} tripped.", WORDS[index % 4])
}

fn direction(index: usize) -> Vec<f32> {
    let angle = index as f32 * 0.37;
    vec![angle.cos(), angle.sin(), 0.0, 0.0]
}

fn given(index: usize) -> Entry {
    let mut given = entry(index, &text(index));
    given.author = format!("author {}", index % 3);
    given.metadata.insert("shift".to_owned(), json!("Owl"));
    given
}

/// Entries of two tenants with vectors, keywords and failures.
pub async fn fill(store: &Store) {
    let of_other = |index: usize| given(index + 100).with_tenant("other");
    let entries = (0..40).map(given).chain((0..5).map(of_other));
    store.upsert(entries.collect()).await.unwrap();
    store.register_model(&model(MODEL, 4)).await.unwrap();
    let outcomes = (0..40).map(|index| {
        let entry_id = format!("e{index}");
        let mut signs = Vec::new();
        push_signs(&direction(index), &mut signs);
        let mut passage = PassageEmbedding::new(0..text(index).len(), direction(index));
        passage.token_signs = (index % 2 == 0).then_some(signs);
        let patch = Patch::default()
            .with_keywords(vec![WORDS[index % 4].to_owned()])
            .with_metadata(
                json!({"device": format!("D{index}")})
                    .as_object()
                    .unwrap()
                    .clone(),
            )
            .with_embeddings(PassageEmbeddings::new(MODEL.to_owned(), vec![passage]));
        let outcome = match index {
            7 => Err("the model is away".to_owned()),
            _ => Ok(patch),
        };
        ("default".into(), Enhanced::new(entry_id, outcome))
    });
    store
        .save_enhanced("text_embedding", outcomes.collect())
        .await
        .unwrap();
    let run = store.begin_run("test").await.unwrap();
    let outcome = RunOutcome {
        status: RunStatus::Stopped,
        added: 45,
        updated: 0,
        unchanged: 0,
        rejected: 1,
        deleted: 0,
        error: Some("stopped".to_owned()),
        latest_timestamp: Some(given(39).timestamp),
    };
    store.finish_run(run, outcome).await.unwrap();
    let cursor = Some("page 7");
    store.set_plugin_state(&cursor_key(), cursor).await.unwrap();
    store.flush().await.unwrap();
}

fn cursor_key() -> StateKey {
    StateKey {
        owner: "adapter a".to_owned(),
        tenant: "default".to_owned(),
        key: "cursor".to_owned(),
    }
}

/// What a store answers: every entry, and hits with their scores.
#[derive(Debug, PartialEq)]
pub struct Answers {
    entries: Vec<Entry>,
    texts: Vec<Vec<(String, i64)>>,
    vectors: Vec<Vec<(String, i64)>>,
    runs: Vec<(String, RunStatus, u64, Option<String>)>,
    pending: Vec<String>,
    cursor: Option<String>,
}

impl Answers {
    pub fn forget_text_scores(&mut self) {
        for hits in &mut self.texts {
            hits.iter_mut().for_each(|(_, score)| *score = 0);
            hits.sort();
        }
    }
}

pub fn kind(options: &StoreOptions) -> bool {
    matches!(options, StoreOptions::Embedded(_))
}

pub async fn answers(store: &Store) -> Answers {
    store.flush().await.unwrap();
    let ids: Vec<String> = (0..40).map(|index| format!("e{index}")).collect();
    let rounded = |hits: Vec<gannet_api::Hit>| -> Vec<(String, i64)> {
        let mut hits: Vec<(String, i64)> = hits
            .into_iter()
            .map(|hit| (hit.entry_id, (hit.score * 1000.0).round() as i64))
            .collect();
        hits.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        hits
    };
    let mut texts = Vec::new();
    let mut vectors = Vec::new();
    for (index, word) in WORDS.iter().enumerate() {
        for tenant in ["default", "other"] {
            let mut request = request(word);
            request.limit = 50;
            let found = store.text_search(tenant, request).await.unwrap();
            texts.push(rounded(found.hits));
        }
        let request = nearest(MODEL, &direction(index), 10);
        let found = store.vector_search("default", request).await.unwrap();
        vectors.push(rounded(found.hits));
    }
    let pending = store.pending("text_embedding", 100).await.unwrap();
    let mut pending: Vec<String> = pending.into_iter().map(|entry| entry.entry_id).collect();
    pending.sort();
    let runs = store.runs(10).await.unwrap();
    Answers {
        entries: store.entries("default", &ids).await.unwrap(),
        texts,
        vectors,
        runs: runs
            .into_iter()
            .map(|run| {
                let outcome = run.outcome;
                (
                    run.source_system,
                    outcome.status,
                    outcome.added,
                    outcome.error,
                )
            })
            .collect(),
        pending,
        cursor: store.plugin_state(&cursor_key()).await.unwrap(),
    }
}

async fn copied(options: &StoreOptions, file: &Path) -> RecordCounts {
    let counts = Store::copy_records(options, file).await.unwrap();
    assert_eq!(Store::check_records(file).await.unwrap(), counts);
    assert_eq!((counts.entries, counts.vectors[MODEL]), (45, 39));
    counts
}

/// Copies a filled store, restores it elsewhere and compares what both answer.
async fn moved(from: &StoreOptions, to: &StoreOptions) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy.db");
    let store = Store::open(from.clone()).await.unwrap();
    fill(&store).await;
    let counts = copied(from, &file).await;
    // An index counts words of entries that were replaced until it is rebuilt.
    store.rebuild(RebuildScope::Text).await.unwrap();
    let from_kind = kind(from);
    let mut expected = answers(&store).await;
    assert_eq!(expected.entries.len(), 40);
    assert_eq!(expected.texts[0].len(), 10);
    assert!(matches!(
        expected.entries[7].enhancement_status["text_embedding"],
        EnhancementStatus::Failed { attempts: 1, .. }
    ));
    store.close().await.unwrap();

    let restored = Store::restore_records(to.clone(), &file).await.unwrap();
    assert_eq!(restored, counts);
    let store = Store::open(to.clone()).await.unwrap();
    let mut found = answers(&store).await;
    if from_kind != kind(to) {
        // Statistics of words are kept in different ways.
        found.forget_text_scores();
        expected.forget_text_scores();
    }
    assert_eq!(found, expected);
    // A source that comes again finds its entries as they are.
    let again = store.upsert((0..40).map(given).collect()).await.unwrap();
    assert_eq!((again.unchanged, again.updated), (40, 0));
    store.close().await.unwrap();

    let refused = Store::restore_records(to.clone(), &file).await.unwrap_err();
    assert!(
        refused.to_string().contains("has a store already"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_folder_is_restored_to_a_folder() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    moved(&StoreOptions::at(from.path()), &StoreOptions::at(to.path())).await;
}

#[tokio::test]
async fn a_folder_is_restored_to_a_database() {
    let Some(database) = Database::create().await else {
        return;
    };
    let from = tempfile::tempdir().unwrap();
    let to = StoreOptions::Postgres(database.options());
    moved(&StoreOptions::at(from.path()), &to).await;
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_database_is_restored_to_a_folder_and_to_a_database() {
    let (Some(from), Some(to)) = (Database::create().await, Database::create().await) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let from_options = StoreOptions::Postgres(from.options());
    moved(&from_options, &StoreOptions::at(folder.path())).await;
    from.drop_if_there().await;

    let Some(from) = Database::create().await else {
        return;
    };
    let from_options = StoreOptions::Postgres(from.options());
    moved(&from_options, &StoreOptions::Postgres(to.options())).await;
    from.drop_if_there().await;
    to.drop_if_there().await;
}

#[tokio::test]
async fn a_copy_holds_one_moment_while_the_store_is_written() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = StoreOptions::at(from.path());
    let store = Store::open(options.clone()).await.unwrap();
    // Batches of ten: a moment has whole batches, in the order of writing.
    let writing = async {
        for batch in 0..60 {
            let entries = (0..10).map(|index| given(batch * 10 + index));
            store.upsert(entries.collect()).await.unwrap();
        }
    };
    let mut copies = Vec::new();
    let copying = async {
        for number in 0..5 {
            let file = to.path().join(format!("{number}.db"));
            let counts = Store::copy_records(&options, &file).await.unwrap();
            copies.push((file, counts));
        }
    };
    tokio::join!(writing, copying);
    for (number, (file, counts)) in copies.iter().enumerate() {
        assert_eq!(counts.entries % 10, 0, "copy {number}");
        assert_eq!(&Store::check_records(file).await.unwrap(), counts);
        let folder = to.path().join(format!("restored {number}"));
        let restored = StoreOptions::at(&folder);
        Store::restore_records(restored.clone(), file)
            .await
            .unwrap();
        let restored = Store::open(restored).await.unwrap();
        let ids: Vec<String> = (0..counts.entries)
            .map(|index| format!("e{index}"))
            .collect();
        let entries = restored.entries("default", &ids).await.unwrap();
        assert_eq!(entries.len() as u64, counts.entries, "copy {number}");
        restored.close().await.unwrap();
    }
    store.close().await.unwrap();
}

/// The ids that 200 queries find, best first.
async fn found_by_200_queries(store: &Store) -> Vec<Vec<String>> {
    store.flush().await.unwrap();
    let mut found = Vec::new();
    for index in 0..200 {
        let query = match index % 3 {
            0 => format!("{} sector {index}", WORDS[index % 4]),
            1 => format!("sector {index} tripped author:\"author {}\"", index % 3),
            _ => format!("\"{} of sector {index}\"", WORDS[index % 4]),
        };
        let hits = store.text_search("default", request(&query)).await.unwrap();
        found.push(hits.hits.into_iter().map(|hit| hit.entry_id).collect());
    }
    found
}

#[tokio::test]
async fn a_copy_made_under_load_answers_200_queries_like_a_store_of_its_moment() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = StoreOptions::at(from.path());
    let store = Store::open(options.clone()).await.unwrap();
    let first = (0..300).map(given).collect();
    store.upsert(first).await.unwrap();
    let file = to.path().join("copy.db");
    let writing = async {
        for batch in 30..90 {
            let entries = (0..10).map(|index| given(batch * 10 + index));
            store.upsert(entries.collect()).await.unwrap();
        }
    };
    let copying = async { Store::copy_records(&options, &file).await.unwrap() };
    let ((), counts) = tokio::join!(writing, copying);
    store.close().await.unwrap();

    let moment = Store::open(StoreOptions::at(to.path().join("moment")))
        .await
        .unwrap();
    let entries = (0..counts.entries as usize).map(given).collect();
    moment.upsert(entries).await.unwrap();
    let expected = found_by_200_queries(&moment).await;
    assert!(expected.iter().filter(|ids| !ids.is_empty()).count() >= 190);
    moment.close().await.unwrap();

    let folder = StoreOptions::at(to.path().join("restored"));
    Store::restore_records(folder.clone(), &file).await.unwrap();
    let restored = Store::open(folder).await.unwrap();
    assert_eq!(found_by_200_queries(&restored).await, expected);
    restored.close().await.unwrap();

    let Some(database) = Database::create().await else {
        return;
    };
    let in_database = StoreOptions::Postgres(database.options());
    Store::restore_records(in_database.clone(), &file)
        .await
        .unwrap();
    let restored = Store::open(in_database).await.unwrap();
    let found = found_by_200_queries(&restored).await;
    // Equal scores may be cut off elsewhere: the best one is the same.
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found.first(), expected.first(), "query {number}");
        assert_eq!(found.len(), expected.len(), "query {number}");
    }
    restored.close().await.unwrap();
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_damaged_copy_is_refused() {
    let from = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions::at(from.path())).await.unwrap();
    fill(&store).await;
    store.close().await.unwrap();
    let file = from.path().join("copy.db");
    copied(&StoreOptions::at(from.path()), &file).await;
    let mut bytes = std::fs::read(&file).unwrap();
    // Free space of a page may hold a row that was there.
    let places: Vec<usize> = (0..bytes.len() - 8)
        .filter(|&place| &bytes[place..place + 8] == b"sector 7")
        .collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place] = b'S';
    }
    std::fs::write(&file, bytes).unwrap();
    let refused = Store::check_records(&file).await.unwrap_err();
    assert!(refused.to_string().contains("damaged"), "{refused}");
    assert!(!matches!(refused, StoreError::OlderFormat { .. }));
}
