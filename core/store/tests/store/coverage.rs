//! Which entries have vectors of a model, and what is embedded anew.
use crate::common::entry;
use crate::common::vectors::{embedded, model, on_circle, with_vectors_of};
use gannet_api::{Enhanced, Patch};
use gannet_store::{Store, VectorCoverage};

over_every_store![
    entries_without_vectors_of_a_model_are_counted_and_blank_ones_are_not,
    entries_that_another_model_embedded_are_opened_anew,
    a_failed_entry_waits_until_it_is_retried,
];

const MODULE: &str = "text_embedding";

async fn coverage(store: &Store, model: &str) -> VectorCoverage {
    store.vector_coverage("default", model).await.unwrap()
}

/// An entry without words, which needs no vector.
async fn with_a_blank_entry(store: &Store) {
    let blank = entry(50, " \u{a0}\n\u{3000}");
    store.upsert(vec![blank]).await.unwrap();
    let done = Enhanced::new("e50", Ok(Patch::default()));
    let outcomes = vec![("default".into(), done)];
    store.save_enhanced(MODULE, outcomes).await.unwrap();
    store.flush().await.unwrap();
}

async fn entries_without_vectors_of_a_model_are_counted_and_blank_ones_are_not(store: Store) {
    let counted = |entries, missing| VectorCoverage { entries, missing };
    assert_eq!(coverage(&store, "tiny").await, counted(0, 0));
    with_vectors_of(&store, 0..3).await;
    assert_eq!(coverage(&store, "tiny").await, counted(3, 0));
    assert_eq!(coverage(&store, "unknown").await, counted(3, 3));
    store.upsert(vec![entry(7, "new")]).await.unwrap();
    store.flush().await.unwrap();
    with_a_blank_entry(&store).await;
    assert_eq!(coverage(&store, "tiny").await, counted(5, 1));
}

async fn entries_that_another_model_embedded_are_opened_anew(store: Store) {
    with_vectors_of(&store, 0..4).await;
    with_a_blank_entry(&store).await;
    store.register_model(&model("new", 2)).await.unwrap();
    let outcomes = vec![embedded(1, "new", &[on_circle(1)])];
    store.save_enhanced(MODULE, outcomes).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(store.pending_count(MODULE).await.unwrap(), 0);
    assert_eq!(store.reopen_unembedded(MODULE, "new").await.unwrap(), 3);
    let pending = store.pending(MODULE, 10).await.unwrap();
    let mut ids: Vec<String> = pending.into_iter().map(|entry| entry.entry_id).collect();
    ids.sort();
    assert_eq!(ids, ["e0", "e2", "e3"]);
    assert_eq!(store.reopen_unembedded(MODULE, "new").await.unwrap(), 0);
}

async fn a_failed_entry_waits_until_it_is_retried(store: Store) {
    store.upsert(vec![entry(0, "text")]).await.unwrap();
    let failed = Enhanced::new("e0", Err("no server".to_owned()));
    let outcomes = vec![("default".into(), failed)];
    store.save_enhanced(MODULE, outcomes).await.unwrap();
    assert!(store.pending(MODULE, 10).await.unwrap().is_empty());
    assert_eq!(store.retry_failed(MODULE).await.unwrap(), 1);
    assert_eq!(store.pending(MODULE, 10).await.unwrap().len(), 1);
}
