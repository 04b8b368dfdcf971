//! An index that is not built in: linked into the program, and named in the
//! options.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::common::ids;
use crate::common::vectors::{on_circle, search_vectors, with_vectors_of};
use gannet_index::{
    Access, AllowedRows, FilterKey, IndexError, PassageHit, Registration, VectorChanges,
    VectorEngine, VectorIndex, VectorSpec,
};
use gannet_store::{EmbeddedOptions, Store, StoreError, StoreOptions};

gannet_api::inventory::submit! { Registration::Vectors(&PlainEngine) }

/// Keeps everything in memory, and follows the records from their beginning
/// whenever it is opened.
struct PlainEngine;

impl VectorEngine for PlainEngine {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn open(
        &self,
        folder: &Path,
        spec: &VectorSpec,
        _: Access,
    ) -> Result<Arc<dyn VectorIndex>, IndexError> {
        self.create(folder, spec)
    }

    fn create(&self, _: &Path, _: &VectorSpec) -> Result<Arc<dyn VectorIndex>, IndexError> {
        Ok(Arc::new(PlainIndex::default()))
    }
}

#[derive(Default)]
struct PlainIndex(Mutex<State>);

#[derive(Default)]
struct State {
    applied: i64,
    committed: i64,
    mark: Option<i64>,
    passages: BTreeMap<(i64, i64), Vec<f32>>,
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

impl VectorIndex for PlainIndex {
    fn applied(&self) -> i64 {
        self.0.lock().unwrap().applied
    }

    fn mark(&self) -> Option<i64> {
        self.0.lock().unwrap().mark
    }

    fn committed(&self) -> i64 {
        self.0.lock().unwrap().committed
    }

    fn is_stale(&self) -> bool {
        false
    }

    fn uncommitted(&self) -> usize {
        0
    }

    fn commit_after(&self) -> usize {
        1_000
    }

    fn apply(&self, changes: &VectorChanges) -> Result<(), IndexError> {
        let mut state = self.0.lock().unwrap();
        state
            .passages
            .retain(|(doc, _), _| !changes.docs.contains(doc));
        for (doc, ordinal, vector) in &changes.vectors {
            state.passages.insert((*doc, *ordinal), vector.clone());
        }
        state.applied = changes.reached;
        state.mark = changes.mark;
        Ok(())
    }

    fn commit(&self) -> Result<(), IndexError> {
        let mut state = self.0.lock().unwrap();
        state.committed = state.applied;
        Ok(())
    }

    fn compact(&self) -> Result<bool, IndexError> {
        Ok(false)
    }

    fn search(
        &self,
        vector: &[f32],
        limit: usize,
        _: &FilterKey,
        rows: AllowedRows<'_>,
    ) -> Result<Vec<PassageHit>, IndexError> {
        let allowed = rows()?;
        let is_allowed = |doc: i64| {
            let row = usize::try_from(doc).unwrap();
            allowed.as_ref().is_none_or(|rows| rows.get(row))
        };
        let state = self.0.lock().unwrap();
        let passages = state.passages.iter();
        let mut hits: Vec<PassageHit> = passages
            .filter(|((doc, _), _)| is_allowed(*doc))
            .map(|((doc, ordinal), own)| PassageHit {
                doc: *doc,
                ordinal: *ordinal,
                cosine: cosine(vector, own),
            })
            .collect();
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        hits.truncate(limit);
        Ok(hits)
    }

    fn vectors(&self) -> usize {
        self.0.lock().unwrap().passages.len()
    }

    fn entries(&self) -> u64 {
        let state = self.0.lock().unwrap();
        let docs: HashSet<i64> = state.passages.keys().map(|(doc, _)| *doc).collect();
        docs.len() as u64
    }

    fn passages_per_entry(&self) -> f64 {
        1.0
    }

    fn damage(&self) -> Vec<IndexError> {
        Vec::new()
    }

    fn vectors_except(&self, _: &HashSet<i64>) -> u64 {
        self.vectors() as u64
    }

    fn differing(&self, _: &[(i64, i64, Vec<f32>)]) -> u64 {
        0
    }
}

fn options(folder: &Path, vector_engine: &str) -> StoreOptions {
    StoreOptions::Embedded(EmbeddedOptions {
        vector_engine: vector_engine.to_owned(),
        ..EmbeddedOptions::at(folder)
    })
}

#[tokio::test]
async fn a_store_follows_the_records_into_an_index_that_is_not_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(options(folder.path(), "plain")).await.unwrap();
    with_vectors_of(&store, 0..6).await;
    for index in 0..6 {
        let found = search_vectors(&store, "tiny", &on_circle(index), 1).await;
        assert_eq!(ids(&found), [format!("e{index}")]);
    }
    store.delete("default", &["e2".to_owned()]).await.unwrap();
    store.flush().await.unwrap();
    let found = search_vectors(&store, "tiny", &on_circle(2), 6).await;
    assert!(!ids(&found).contains(&"e2"));
    store.close().await.unwrap();
    assert!(
        !folder.path().join("vectors").exists(),
        "it is all in memory"
    );
    // What the index does not have is replayed; another engine begins anew.
    for engine in ["plain", "flat"] {
        let store = Store::open(options(folder.path(), engine)).await.unwrap();
        store.flush().await.unwrap();
        let found = search_vectors(&store, "tiny", &on_circle(4), 6).await;
        assert_eq!((ids(&found)[0], found.hits.len()), ("e4", 5));
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn an_index_that_is_not_there_is_an_error_that_names_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Store::open(options(folder.path(), "graph")).await.err();
    let Some(StoreError::Index(error)) = refused else {
        panic!("{refused:?}");
    };
    let message = error.to_string();
    assert!(
        message.contains("no vector index named `graph`"),
        "{message}"
    );
    assert!(message.contains("flat, plain"), "{message}");
}
