//! Who may work on what waits for a module: the same over every kind of store.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::common::entry;
use crate::common::postgres::Database;
use gannet_api::{
    EmbeddingModel, Enhanced, Entry, Filter, PassageEmbedding, PassageEmbeddings, Patch,
};
use gannet_store::{ListRequest, Store, StoreOptions, VectorRequest, WorkClaim, WorkedOn};

const MODULE: &str = "text_embedding";

/// Waits until the claim can be had: a server needs a moment to notice that a
/// connection is gone.
async fn claim(store: &Store) -> WorkClaim {
    loop {
        if let Some(claim) = store.claim_enhancement(MODULE).await.unwrap() {
            return claim;
        }
        tokio::task::yield_now().await;
    }
}

async fn one_store_has_a_claim_until_it_is_released(first: Store, second: Store) {
    let mut held = first.claim_enhancement(MODULE).await.unwrap().unwrap();
    assert!(held.is_held().await);
    assert!(second.claim_enhancement(MODULE).await.unwrap().is_none());
    assert!(first.claim_enhancement(MODULE).await.unwrap().is_none());
    let source = second.claim_source(MODULE).await.unwrap();
    assert!(source.is_some(), "a source is not a module");
    assert!(first.claim_source(MODULE).await.unwrap().is_none());
    let other = second.claim_enhancement("entities").await.unwrap();
    assert!(other.is_some());
    held.release().await.unwrap();
    let held = second.claim_enhancement(MODULE).await.unwrap().unwrap();
    drop(held);
    claim(&first).await.release().await.unwrap();
}

/// How often a text was embedded.
type Calls = Arc<Mutex<BTreeMap<String, usize>>>;

/// Works as the host does, until nothing waits.
async fn enhance(store: &Store, calls: &Calls) {
    let claim = claim(store).await;
    loop {
        let batch = store.pending(MODULE, 7).await.unwrap();
        if batch.is_empty() {
            break;
        }
        let outcomes = batch.iter().map(|entry| embed(entry, calls)).collect();
        store.save_enhanced(MODULE, outcomes).await.unwrap();
    }
    claim.release().await.unwrap();
}

fn embed(entry: &Entry, calls: &Calls) -> (WorkedOn, Enhanced) {
    *calls
        .lock()
        .unwrap()
        .entry(entry.entry_id.clone())
        .or_default() += 1;
    let passage = PassageEmbedding::new(0..entry.raw_text.len(), vec![1.0, 0.5]);
    let patch = Patch::default().with_embeddings(PassageEmbeddings::new("tiny", vec![passage]));
    let enhanced = Enhanced::new(entry.entry_id.clone(), Ok(patch));
    (WorkedOn::entry(entry), enhanced)
}

async fn two_stores_embed_each_entry_once(first: Store, second: Store) {
    let model = EmbeddingModel::new("tiny", 2, 10).with_variant("f32");
    first.register_model(&model).await.unwrap();
    let calls = Calls::default();
    let ingest = async {
        for part in 0..10 {
            let entries = (0..10).map(|index| entry(10 * part + index, "beam lost"));
            first.upsert(entries.collect()).await.unwrap();
        }
    };
    let search = async {
        for _ in 0..20 {
            let listed = second
                .list("default", ListRequest::newest(100))
                .await
                .unwrap();
            let request = VectorRequest {
                model: "tiny".to_owned(),
                vector: vec![1.0, 0.5],
                filter: Filter::none(),
                limit: 5,
                min_similarity: None,
            };
            match second.vector_search("default", request).await {
                // What is embedded was listed before, or came since.
                Ok(found) => assert!(found.hits.len() <= listed.entries.len().max(5)),
                Err(error) => assert!(error.is_retryable(), "{error}"),
            }
        }
    };
    tokio::join!(
        ingest,
        search,
        enhance(&first, &calls),
        enhance(&second, &calls)
    );
    // What came in after both were done.
    tokio::join!(enhance(&first, &calls), enhance(&second, &calls));
    let calls = calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 100);
    assert!(calls.values().all(|&times| times == 1), "{calls:?}");
    assert_eq!(second.pending_count(MODULE).await.unwrap(), 0);
    assert_eq!(first.stats().await.unwrap().vectors["tiny"], 100);
}

macro_rules! over_two_stores {
    ($($test:ident),* $(,)?) => {
        mod embedded {
            use super::*;

            $(#[tokio::test]
            async fn $test() {
                let folder = tempfile::tempdir().unwrap();
                let open = || Store::open(StoreOptions::at(folder.path()));
                super::$test(open().await.unwrap(), open().await.unwrap()).await;
            })*
        }

        mod postgres {
            use super::*;

            $(#[tokio::test]
            async fn $test() {
                let Some(database) = Database::create().await else {
                    return;
                };
                super::$test(database.store().await, database.store().await).await;
                database.drop_if_there().await;
            })*
        }
    };
}

over_two_stores![
    one_store_has_a_claim_until_it_is_released,
    two_stores_embed_each_entry_once,
];

#[tokio::test]
async fn a_claim_ends_with_its_connection() {
    let Some(database) = Database::create().await else {
        return;
    };
    let (first, second) = (database.store().await, database.store().await);
    let mut held = claim(&first).await;
    database
        .run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE application_name = 'gannet' AND datname = current_database()",
        )
        .await;
    assert!(!held.is_held().await);
    let mut taken_over = claim(&second).await;
    assert!(taken_over.is_held().await);
    assert!(first.claim_enhancement(MODULE).await.unwrap().is_none());
    held.release().await.unwrap();
    assert!(taken_over.is_held().await);
    database.drop_if_there().await;
}

/// What a holder must not do: keep the server from cleaning up.
#[tokio::test]
async fn a_claim_holds_no_snapshot() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = database.store().await;
    let _held = claim(&store).await;
    let mut connection = database.connect().await;
    let holders: Vec<Option<String>> = sqlx::query_scalar(
        "SELECT coalesce(backend_xmin, backend_xid)::text FROM pg_stat_activity \
         WHERE state = 'idle in transaction' AND datname = current_database()",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert_eq!(holders, [None]);
    database.drop_if_there().await;
}
