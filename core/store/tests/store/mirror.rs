//! A database with a replica in a folder that answers searches.
use crate::common::postgres::Database;
use crate::common::{entry, eventually, ids, is_behind, search, sorted_ids};
use gannet_api::{
    EmbeddingModel, Enhanced, EnhancementStatus, Entry, Filter, Found, PassageEmbedding,
    PassageEmbeddings, Patch,
};
use gannet_store::{
    EmbeddedOptions, ListRequest, RebuildScope, Store, StoreError, StoreOptions, VectorRequest,
    WorkedOn,
};

fn model() -> EmbeddingModel {
    EmbeddingModel::new("tiny", 2, 10).with_variant("f32")
}

fn embedded(index: usize, vector: [f32; 2]) -> (WorkedOn, Enhanced) {
    let passage = PassageEmbedding::new(0..2, vector.to_vec());
    let patch = Patch::default().with_embeddings(PassageEmbeddings::new("tiny", vec![passage]));
    let enhanced = Enhanced::new(format!("e{index}"), Ok(patch));
    ("default".into(), enhanced)
}

async fn nearest(store: &Store) -> Result<Found, StoreError> {
    let request = VectorRequest {
        model: "tiny".to_owned(),
        vector: vec![1.0, 0.0],
        filter: Filter::none(),
        limit: 9,
        min_similarity: None,
    };
    store.vector_search("default", request).await
}

#[tokio::test]
async fn a_copy_catches_up_after_a_restart() {
    let Some(database) = Database::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = database.mirrored(folder.path()).await;
    store.register_model(&model()).await.unwrap();
    store
        .upsert((0..5).map(|index| entry(index, "beam lost")).collect())
        .await
        .unwrap();
    store
        .save_enhanced("v", vec![embedded(0, [1.0, 0.0]), embedded(1, [0.0, 1.0])])
        .await
        .unwrap();
    store.flush().await.unwrap();
    assert_eq!(search(&store, "beam").await.hits.len(), 5);
    assert_eq!(ids(&nearest(&store).await.unwrap()), ["e0", "e1"]);
    store.close().await.unwrap();
    // Meanwhile somebody writes without a copy.
    let other = database.store().await;
    other
        .upsert(vec![entry(1, "pump"), entry(9, "beam back")])
        .await
        .unwrap();
    other.delete("default", &["e2".to_owned()]).await.unwrap();
    other
        .save_enhanced("v", vec![embedded(9, [0.6, 0.8])])
        .await
        .unwrap();
    other.close().await.unwrap();
    let store = database.mirrored(folder.path()).await;
    store.flush().await.unwrap();
    let found = search(&store, "beam").await;
    assert_eq!(sorted_ids(&found), ["e0", "e3", "e4", "e9"]);
    assert!(!is_behind(&found));
    assert_eq!(ids(&nearest(&store).await.unwrap()), ["e0", "e9"]);
    let stats = store.stats().await.unwrap();
    assert_eq!(stats.text_sequence, stats.sequence);
    assert_eq!((stats.entries, stats.vectors["tiny"]), (5, 2));
    database.drop_if_there().await;
}

#[tokio::test]
async fn stores_with_and_without_a_folder_in_common_see_each_others_writes() {
    let Some(database) = Database::create().await else {
        return;
    };
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let copying = database.mirrored(here.path()).await;
    let reading = database.mirrored(here.path()).await;
    let elsewhere = database.mirrored(there.path()).await;
    let stores = [&copying, &reading, &elsewhere];
    for (index, store) in stores.into_iter().enumerate() {
        store.upsert(vec![entry(index, "beam")]).await.unwrap();
        // What a process wrote it reads at once.
        assert_eq!(store.count("default").await.unwrap(), index as u64 + 1);
        assert_eq!(
            store
                .list("default", ListRequest::newest(9))
                .await
                .unwrap()
                .entries
                .len(),
            index + 1
        );
    }
    for store in stores {
        eventually(store, "beam", &["e0", "e1", "e2"]).await;
    }
    reading.delete("default", &["e0".to_owned()]).await.unwrap();
    reading.flush().await.unwrap();
    assert_eq!(sorted_ids(&search(&reading, "beam").await), ["e1", "e2"]);
    // The one that copied ends: the other goes on.
    copying.close().await.unwrap();
    reading.upsert(vec![entry(5, "beam")]).await.unwrap();
    eventually(&reading, "beam", &["e1", "e2", "e5"]).await;
    eventually(&elsewhere, "beam", &["e1", "e2", "e5"]).await;
    database.drop_if_there().await;
}

#[tokio::test]
async fn how_far_enhancement_got_is_read_from_the_copy_too() {
    let Some(database) = Database::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = database.mirrored(folder.path()).await;
    store
        .upsert(vec![entry(0, "a"), entry(1, "b")])
        .await
        .unwrap();
    store.flush().await.unwrap();
    let failed = Enhanced::new("e0", Err("away".to_owned()));
    let another = database.store().await;
    another
        .save_enhanced("m", vec![("default".into(), failed)])
        .await
        .unwrap();
    store.flush().await.unwrap();
    let known = [store.clone(), another.clone()];
    let mut states = Vec::new();
    for store in known {
        let read = store.entries("default", &["e0".to_owned()]).await.unwrap();
        states.push(read[0].enhancement_status.clone());
    }
    assert!(matches!(
        states[0]["m"],
        EnhancementStatus::Failed { attempts: 1, .. }
    ));
    assert_eq!(states[0], states[1]);
    another.reset_enhancement("m").await.unwrap();
    store.flush().await.unwrap();
    let read = store.entries("default", &["e0".to_owned()]).await.unwrap();
    assert_eq!(read[0].enhancement_status["m"], EnhancementStatus::Pending);
    database.drop_if_there().await;
}

#[tokio::test]
async fn the_copy_of_another_database_is_made_anew() {
    let Some(first) = Database::create().await else {
        return;
    };
    let Some(second) = Database::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = first.mirrored(folder.path()).await;
    store.register_model(&model()).await.unwrap();
    store
        .upsert(vec![entry(0, "beam"), entry(1, "beam")])
        .await
        .unwrap();
    store
        .save_enhanced("v", vec![embedded(0, [1.0, 0.0])])
        .await
        .unwrap();
    store.flush().await.unwrap();
    store.close().await.unwrap();
    let other = second.store().await;
    other.register_model(&model()).await.unwrap();
    other
        .upsert(vec![entry(7, "beam"), entry(8, "beam")])
        .await
        .unwrap();
    other.delete("default", &["e8".to_owned()]).await.unwrap();
    other
        .save_enhanced("v", vec![embedded(7, [0.0, 1.0])])
        .await
        .unwrap();
    let store = second.mirrored(folder.path()).await;
    store.flush().await.unwrap();
    assert_eq!(ids(&search(&store, "beam").await), ["e7"]);
    assert_eq!(ids(&nearest(&store).await.unwrap()), ["e7"]);
    // A database that was put back to an earlier state is another one too.
    store.close().await.unwrap();
    second
        .run(
            "UPDATE gannet_sequence SET last = 2; \
             UPDATE enhanced_entries SET seq = 2, raw_text = 'pump'",
        )
        .await;
    let store = second.mirrored(folder.path()).await;
    store.flush().await.unwrap();
    assert_eq!(search(&store, "beam").await.hits.len(), 0);
    assert_eq!(ids(&search(&store, "pump").await), ["e7"]);
    first.drop_if_there().await;
    second.drop_if_there().await;
}

#[tokio::test]
async fn forgotten_models_and_deleted_entries_vanish() {
    let Some(database) = Database::create().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = database.mirrored(folder.path()).await;
    store.register_model(&model()).await.unwrap();
    assert!(nearest(&store).await.unwrap().hits.is_empty());
    store
        .upsert((0..3).map(|index| entry(index, "beam")).collect())
        .await
        .unwrap();
    let vectors = (0..3).map(|index| embedded(index, [1.0, index as f32]));
    store.save_enhanced("v", vectors.collect()).await.unwrap();
    store.flush().await.unwrap();
    store.delete("default", &["e1".to_owned()]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(ids(&nearest(&store).await.unwrap()), ["e0", "e2"]);
    assert_eq!(sorted_ids(&search(&store, "beam").await), ["e0", "e2"]);
    store.forget_model("tiny").await.unwrap();
    store.flush().await.unwrap();
    let forgotten = nearest(&store).await;
    assert!(matches!(forgotten, Err(StoreError::UnknownModel { .. })));
    // Another model takes the name: nothing of the old one is found.
    store.register_model(&model()).await.unwrap();
    store
        .save_enhanced("v", vec![embedded(2, [1.0, 0.0])])
        .await
        .unwrap();
    store.flush().await.unwrap();
    assert_eq!(ids(&nearest(&store).await.unwrap()), ["e2"]);
    // TRUNCATE leaves no trace in the feed of changes.
    store.close().await.unwrap();
    database.run("TRUNCATE enhanced_entries CASCADE").await;
    let store = database.mirrored(folder.path()).await;
    store.flush().await.unwrap();
    assert_eq!(search(&store, "beam").await.hits.len(), 0);
    assert_eq!(store.count("default").await.unwrap(), 0);
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_copy_and_a_store_are_not_taken_for_each_other() {
    let Some(database) = Database::create().await else {
        return;
    };
    let (copy, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    database.mirrored(copy.path()).await.close().await.unwrap();
    let refused = Store::open(StoreOptions::at(copy.path())).await.err();
    assert!(
        refused
            .unwrap()
            .to_string()
            .contains("replica of a database")
    );
    let store = Store::open(StoreOptions::at(own.path())).await.unwrap();
    store.upsert(vec![entry(0, "text")]).await.unwrap();
    store.close().await.unwrap();
    let options = StoreOptions::Mirrored {
        postgres: database.options(),
        folder: EmbeddedOptions::at(own.path()),
    };
    let refused = Store::open(options).await.err().unwrap();
    assert!(
        refused.to_string().contains("a store of its own"),
        "{refused}"
    );
    database.drop_if_there().await;
}

#[tokio::test]
async fn many_entries_are_copied_in_batches_and_a_rebuild_finds_them_again() {
    let Some(database) = Database::create().await else {
        return;
    };
    let writer = database.store().await;
    let entries: Vec<Entry> = (0..5_000)
        .map(|index| entry(index, &format!("beam number{index}")))
        .collect();
    writer.upsert(entries).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = database.mirrored(folder.path()).await;
    store.flush().await.unwrap();
    assert_eq!(store.count("default").await.unwrap(), 5_000);
    assert_eq!(ids(&search(&store, "number4321").await), ["e4321"]);
    store.rebuild(RebuildScope::All).await.unwrap();
    assert_eq!(ids(&search(&store, "number4321").await), ["e4321"]);
    assert_eq!(store.count("default").await.unwrap(), 5_000);
    database.drop_if_there().await;
}
