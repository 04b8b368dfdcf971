//! Entries of thousands of passages: the same over every kind of store.
use crate::common::vectors::{embedded, model, search_vectors};
use crate::common::{entry, ids};
use gannet_store::Store;

const PASSAGES: usize = 5_000;

over_every_store![an_entry_of_thousands_of_passages_is_found_by_the_last_of_them];

async fn an_entry_of_thousands_of_passages_is_found_by_the_last_of_them(store: Store) {
    store.register_model(&model("tiny", 2)).await.unwrap();
    let entries = (0..2).map(|index| entry(index, "text of an entry"));
    store.upsert(entries.collect()).await.unwrap();
    let mut vectors = vec![vec![1.0, 0.0]; PASSAGES];
    vectors[PASSAGES - 1] = vec![0.0, 1.0];
    let outcomes = vec![
        embedded(0, "tiny", &vectors),
        embedded(1, "tiny", &[vec![0.8, 0.6]]),
    ];
    store
        .save_enhanced("text_embedding", outcomes)
        .await
        .unwrap();
    store.flush().await.unwrap();
    let found = search_vectors(&store, "tiny", &[0.0, 1.0], 2).await;
    assert_eq!(ids(&found), ["e0", "e1"]);
    let passage = found.hits[0].passage.as_ref().unwrap();
    assert_eq!(passage.ordinal as usize, PASSAGES - 1);
    let stats = store.stats().await.unwrap();
    assert_eq!(stats.vectors["tiny"], PASSAGES as u64 + 1);
}
