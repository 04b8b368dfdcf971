//! Entries with vectors.

use std::ops::Range;

use gannet_api::{
    EmbeddingModel, Enhanced, Filter, Found, PassageEmbedding, PassageEmbeddings, Patch,
};
use gannet_store::{Store, VectorRequest, WorkedOn};

use super::entry;

/// A model of this name and dimension.
pub fn model(name: &str, dimension: usize) -> EmbeddingModel {
    EmbeddingModel::new(name, dimension, 10).with_variant("f32")
}

/// Vectors on a circle, no two in one direction.
pub fn on_circle(index: usize) -> Vec<f32> {
    // The golden angle: no two of a few dozen are near each other.
    let (sine, cosine) = (index as f32 * 2.399_963).sin_cos();
    vec![cosine, sine]
}

/// What a module of embeddings makes of entry number `index`.
pub fn embedded(index: usize, model: &str, vectors: &[Vec<f32>]) -> (WorkedOn, Enhanced) {
    let passages = vectors
        .iter()
        .map(|vector| PassageEmbedding::new(0..4, vector.clone()));
    let patch = Patch::default().with_embeddings(PassageEmbeddings::new(model, passages.collect()));
    let enhanced = Enhanced::new(format!("e{index}"), Ok(patch));
    ("default".into(), enhanced)
}

/// Writes entries, and a vector of each by its number; waits until they are
/// found.
pub async fn write_vectors(
    store: &Store,
    name: &str,
    entries: Range<usize>,
    vector: impl Fn(usize) -> Vec<f32>,
) {
    store_vectors(store, name, entries, vector).await;
    store.flush().await.unwrap();
}

/// Writes entries, and a vector of each by its number.
pub async fn store_vectors(
    store: &Store,
    name: &str,
    entries: Range<usize>,
    vector: impl Fn(usize) -> Vec<f32>,
) {
    let dimension = vector(entries.start).len();
    store.register_model(&model(name, dimension)).await.unwrap();
    let written = entries
        .clone()
        .map(|index| entry(index, &format!("text of entry unique{index}")));
    store.upsert(written.collect()).await.unwrap();
    let outcomes = entries.map(|index| embedded(index, name, &[vector(index)]));
    store
        .save_enhanced("text_embedding", outcomes.collect())
        .await
        .unwrap();
}

/// Writes entries with a vector of the model `tiny` each, on a circle.
pub async fn with_vectors_of(store: &Store, entries: Range<usize>) {
    write_vectors(store, "tiny", entries, on_circle).await;
}

pub fn nearest(model: &str, vector: &[f32], limit: usize) -> VectorRequest {
    VectorRequest {
        model: model.to_owned(),
        vector: vector.to_vec(),
        filter: Filter::none(),
        limit,
        min_similarity: None,
    }
}

/// What lies nearest to a vector.
pub async fn search_vectors(store: &Store, model: &str, vector: &[f32], limit: usize) -> Found {
    let request = nearest(model, vector, limit);
    store.vector_search("default", request).await.unwrap()
}
