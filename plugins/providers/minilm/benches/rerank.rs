//! How long a cross-encoder takes. Its weights are random, in the size of
//! ms-marco-MiniLM-L-6-v2: time does not depend on them.

#![allow(clippy::unwrap_used)]

#[path = "../tests/tiny/mod.rs"]
mod tiny;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use gannet_minilm::{CrossEncoder, Tokenizer};
use tiny::{Size, TinyModel, WORDS};

/// The published numbers, but for the vocabulary.
const SIZE: Size = Size {
    hidden: 384,
    layers: 6,
    heads: 12,
    intermediate: 1536,
    vocabulary: 10,
    positions: 512,
};

const QUERY: &str = "beam lost valve open pumps lost beam";

fn main() {
    divan::main();
}

/// A document that makes a pair of `tokens` tokens.
fn document(tokens: usize) -> String {
    let tokenizer = Tokenizer::new(WORDS, true).unwrap();
    let words = ["valve", "open", "beam", "lost", "pump"];
    // The query's own `[CLS]` and `[SEP]` are counted, and the last `[SEP]`.
    let missing = tokens - tokenizer.count(QUERY) - 1;
    let words: Vec<&str> = words.into_iter().cycle().take(missing).collect();
    words.join(" ")
}

#[divan::bench(args = [1, 0], sample_count = 20, sample_size = 1)]
fn fifty_pairs_of_120_tokens_on_threads(bencher: Bencher<'_, '_>, threads: usize) {
    let model: CrossEncoder = TinyModel::cross_encoder_of(SIZE, WORDS)
        .import_reranker()
        .unwrap();
    let document = document(120);
    let documents = [document.as_str(); 50];
    bencher
        .counter(ItemsCount::new(documents.len()))
        .bench(|| model.score(black_box(QUERY), black_box(&documents), threads));
}
