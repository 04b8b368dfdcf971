//! Records in a folder, with the vectors on the server.

use std::path::Path;

use gannet_api::{
    Condition, EmbeddingModel, Enhanced, Entry, Filter, FilterField, PassageEmbedding,
    PassageEmbeddings, Patch,
};
use gannet_index_tantivy as _;
use gannet_store::{
    EmbeddedOptions, Health, RebuildScope, Store, StoreError, StoreOptions, VectorRequest,
};

use crate::fake_qdrant::FakeQdrant;
use crate::settings_for;

const MODEL: &str = "tiny";

fn options(server: &FakeQdrant, folder: &Path) -> StoreOptions {
    StoreOptions::Embedded(EmbeddedOptions {
        vector_engine: "qdrant".to_owned(),
        vector_settings: settings_for(server),
        ..EmbeddedOptions::at(folder)
    })
}

/// Directions of which no two are near each other.
fn direction(index: usize) -> Vec<f32> {
    let (sine, cosine) = (index as f32 * 2.399_963).sin_cos();
    vec![cosine, sine]
}

async fn write(store: &Store, entries: std::ops::Range<usize>) {
    let model = EmbeddingModel::new(MODEL, 2, 10).with_variant("f32");
    store.register_model(&model).await.unwrap();
    let entry = |index: usize| {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let mut entry = Entry::new(format!("e{index}"), "test", at, format!("pump {index}"));
        entry.author = ["Ann", "Bob"][index % 2].to_owned();
        entry
    };
    store
        .upsert(entries.clone().map(entry).collect())
        .await
        .unwrap();
    let outcomes = entries.map(|index| {
        let passage = PassageEmbedding::new(0..4, direction(index));
        let embeddings = PassageEmbeddings::new(MODEL, vec![passage]);
        let patch = Patch::default().with_embeddings(embeddings);
        (
            "default".into(),
            Enhanced::new(format!("e{index}"), Ok(patch)),
        )
    });
    let outcomes = outcomes.collect();
    store
        .save_enhanced("text_embedding", outcomes)
        .await
        .unwrap();
}

async fn nearest(store: &Store, index: usize, filter: Filter) -> Result<Vec<String>, StoreError> {
    let request = VectorRequest {
        model: MODEL.to_owned(),
        vector: direction(index),
        filter,
        limit: 5,
        min_similarity: None,
    };
    let found = store.vector_search("default", request).await?;
    Ok(found.hits.into_iter().map(|hit| hit.entry_id).collect())
}

async fn first(store: &Store, index: usize) -> String {
    nearest(store, index, Filter::none())
        .await
        .unwrap()
        .remove(0)
}

#[tokio::test]
async fn a_store_follows_searches_filters_verifies_and_rebuilds() {
    let server = FakeQdrant::start();
    let folder = tempfile::tempdir().unwrap();
    let options = options(&server, folder.path());
    let store = Store::open(options.clone()).await.unwrap();
    write(&store, 0..8).await;
    store.flush().await.unwrap();
    assert!(server.collections().is_empty(), "nothing is committed yet");
    assert_eq!(first(&store, 3).await, "e3");
    store.close().await.unwrap();
    assert_eq!(server.collections().len(), 1);

    let store = Store::open(options.clone()).await.unwrap();
    store.delete("default", &["e3".to_owned()]).await.unwrap();
    write(&store, 8..10).await;
    store.flush().await.unwrap();
    for index in [2, 9] {
        assert_eq!(first(&store, index).await, format!("e{index}"));
    }
    let by_bob = Filter::none().and(FilterField::Author, Condition::Equals("Bob".to_owned()));
    let mut bobs = nearest(&store, 3, by_bob).await.unwrap();
    bobs.sort_unstable();
    assert_eq!(bobs, ["e1", "e5", "e7", "e9"]);
    store.rebuild(RebuildScope::Vectors).await.unwrap();
    assert_eq!(server.collections().len(), 1, "none is left behind");
    assert_eq!(first(&store, 9).await, "e9");
    store.close().await.unwrap();

    let findings = Store::verify(&options, true).await;
    let vectors = findings
        .iter()
        .find(|finding| finding.check.contains(MODEL));
    let vectors = vectors.unwrap();
    assert_eq!(vectors.health, Health::Ok, "{}", vectors.message);
    assert!(
        vectors.message.starts_with("9 vectors"),
        "{}",
        vectors.message
    );
    // One that the server lost is brought back when the store is opened.
    server.change(|collection| {
        let last = *collection.points.keys().rev().nth(1).unwrap();
        collection.points.remove(&last).unwrap();
    });
    let findings = Store::verify(&options, true).await;
    assert!(
        findings
            .iter()
            .any(|finding| finding.health == Health::Fail)
    );
    let store = Store::open(options).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(first(&store, 9).await, "e9");
    store.close().await.unwrap();
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}

#[tokio::test]
async fn a_server_that_is_away_leaves_records_and_texts_alone() {
    let server = FakeQdrant::start();
    let folder = tempfile::tempdir().unwrap();
    let options = options(&server, folder.path());
    let store = Store::open(options.clone()).await.unwrap();
    write(&store, 0..4).await;
    store.flush().await.unwrap();
    store.close().await.unwrap();
    server.be_gone();
    let store = Store::open(options).await.unwrap();
    write(&store, 4..6).await;
    store.flush().await.unwrap();
    assert_eq!(store.count("default").await.unwrap(), 6);
    let refused = nearest(&store, 1, Filter::none()).await.unwrap_err();
    assert!(refused.to_string().contains("Qdrant server"), "{refused}");
    server.recover();
    store.flush().await.unwrap();
    for index in [1, 5] {
        assert_eq!(first(&store, index).await, format!("e{index}"));
    }
    store.close().await.unwrap();
}
