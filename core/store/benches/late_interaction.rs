//! Scoring candidates word by word in an embedded store, and what the token
//! vectors take on disk.
//!
//! ```text
//! cargo bench -p gannet-store --bench late_interaction
//! GANNET_BENCH_ENTRIES=100000 GANNET_BENCH_PASSAGES=2 cargo bench -p gannet-store --bench late_interaction
//! ```
//!
//! Vectors and signs are pseudo-random. A passage has 42 words, a question has
//! 8, and the candidates of each question are other entries.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod corpus;

use std::path::Path;
use std::time::{Duration, Instant};

use corpus::vectors::{DIMENSION, Vectors};
use corpus::{Numbers, entry, sized, words_of_some_text};
use gannet_api::{
    EmbeddingModel, Enhanced, PassageEmbedding, PassageEmbeddings, Patch, sign_bytes,
};
use gannet_store::{LateInteraction, Store, StoreOptions, WorkedOn};
use gannet_vectors::kernels::kernel_names;
use tokio::runtime::Runtime;
use {gannet_index_flat as _, gannet_index_tantivy as _};

const MODEL: &str = "bench";
const WORDS_OF_PASSAGE: usize = 42;
const WORDS_OF_QUESTION: usize = 8;
const BATCH: usize = 1_000;

fn main() {
    let entries = number("GANNET_BENCH_ENTRIES", sized(100_000, 300));
    let passages = number("GANNET_BENCH_PASSAGES", 1);
    println!("kernels: {}", kernel_names().join(", "));
    println!("entries: {entries}, passages of each: {passages}");
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let plain = tempfile::tempdir().unwrap();
        fill(plain.path(), entries, passages, false).await;
        let bytes = bytes_of(plain.path());
        plain.close().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = fill(folder.path(), entries, passages, true).await;
        let with_tokens = bytes_of(folder.path());
        println!(
            "database: {} bytes a passage without token vectors, {} with them",
            bytes / (entries * passages) as u64,
            with_tokens / (entries * passages) as u64
        );
        for candidates in [20, 100] {
            report(&store, entries, candidates).await;
        }
        store.close().await.unwrap();
    });
}

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}

/// A closed database has no log beside it.
fn bytes_of(folder: &Path) -> u64 {
    std::fs::metadata(folder.join("store.db")).unwrap().len()
}

async fn fill(folder: &Path, entries: usize, passages: usize, with_tokens: bool) -> Store {
    let store = Store::open(StoreOptions::at(folder)).await.unwrap();
    let model = EmbeddingModel::new(MODEL.to_owned(), DIMENSION, 256).with_variant("f32");
    store.register_model(&model).await.unwrap();
    let mut vectors = Vectors::new(entries.max(50));
    let mut numbers = Numbers(3);
    let begun = Instant::now();
    for first in (0..entries).step_by(BATCH) {
        let range = first..entries.min(first + BATCH);
        store
            .upsert(range.clone().map(entry).collect())
            .await
            .unwrap();
        let outcomes = range.map(|index| {
            let passage = |_| {
                PassageEmbedding::new(0..8, vectors.row())
                    .with_token_signs(with_tokens.then(|| signs(&mut numbers)))
            };
            enhanced(index, (0..passages).map(passage).collect())
        });
        let outcomes = outcomes.collect();
        store.save_enhanced("bench", outcomes).await.unwrap();
    }
    println!("written in {:?}", begun.elapsed());
    store.flush().await.unwrap();
    store.close().await.unwrap();
    Store::open(StoreOptions::at(folder)).await.unwrap()
}

fn signs(numbers: &mut Numbers) -> Vec<u8> {
    let bytes = WORDS_OF_PASSAGE * sign_bytes(DIMENSION);
    (0..bytes / 8)
        .flat_map(|_| numbers.next().to_le_bytes())
        .collect()
}

fn enhanced(index: usize, passages: Vec<PassageEmbedding>) -> (WorkedOn, Enhanced) {
    let patch =
        Patch::default().with_embeddings(PassageEmbeddings::new(MODEL.to_owned(), passages));
    let enhanced = Enhanced::new(entry(index).entry_id, Ok(patch));
    ("default".into(), enhanced)
}

/// Prints the median and the 95th percentile of questions with so many
/// candidates.
async fn report(store: &Store, entries: usize, candidates: usize) {
    let mut numbers = Numbers(5);
    let mut vectors = Vectors::new(5_000);
    let mut times = Vec::new();
    for _ in 0..sized(500, 5) {
        let request = LateInteraction {
            words: words_of_some_text(&mut numbers, entries, WORDS_OF_QUESTION),
            vectors: (0..WORDS_OF_QUESTION).flat_map(|_| vectors.row()).collect(),
        };
        let candidates = (0..candidates).map(|_| entry(numbers.below(entries)).entry_id);
        let ids: Vec<String> = candidates.collect();
        let begun = Instant::now();
        let idfs = store.idfs("default", &request.words).await.unwrap();
        let records = store.token_records("default", MODEL, &ids).await.unwrap();
        let scores = request.scores(&idfs, &records).unwrap();
        times.push(begun.elapsed());
        assert!(scores.iter().all(Option::is_some));
    }
    times.sort();
    let at = |share: usize| -> Duration { times[(times.len() - 1) * share / 100] };
    println!(
        "{candidates} candidates: p50 {:?}, p95 {:?}",
        at(50),
        at(95)
    );
}
