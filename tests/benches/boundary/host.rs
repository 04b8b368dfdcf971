//! A host that has a vector and nothing else.

use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt, ready};
use gannet_api::{
    Call, ChatRequest, ChatStream, Descriptor, EmbedRequest, EmbeddingModel, Embeddings, Entry,
    Error, Found, Host, RerankRequest, RerankScore, Result, SearchRequest, TextSearch,
    VectorSearch,
};
use gannet_test_inline::{AskedVectors, GivenVectors};

/// Gives the same vector to everybody at once.
pub struct VectorHost(Embeddings);

impl VectorHost {
    /// With a vector of so many numbers.
    pub fn new(dimension: usize) -> Self {
        let vector = (0..dimension).map(|at| (at as f32 * 0.37).sin()).collect();
        Self(Embeddings::new(
            vec![vector],
            EmbeddingModel::new("bench", dimension, 256),
        ))
    }
}

impl Host for VectorHost {
    fn embed<'a>(&'a self, _: &'a Call, _: EmbedRequest) -> BoxFuture<'a, Result<Embeddings>> {
        ready(Ok(self.0.clone())).boxed()
    }

    /// The same as text.
    fn call<'a>(
        &'a self,
        _: &'a Call,
        _: &'a str,
        payload: Vec<u8>,
    ) -> BoxFuture<'a, Result<Vec<u8>>> {
        let asked: AskedVectors = serde_json::from_slice(&payload).unwrap();
        assert_eq!(asked.texts.len(), 1);
        let given = GivenVectors {
            vectors: self.0.vectors.clone(),
            model: self.0.model.clone(),
        };
        ready(Ok(serde_json::to_vec(&given).unwrap())).boxed()
    }

    fn text_search<'a>(&'a self, _: &'a Call, _: TextSearch) -> BoxFuture<'a, Result<Found>> {
        unused()
    }

    fn vector_search<'a>(&'a self, _: &'a Call, _: VectorSearch) -> BoxFuture<'a, Result<Found>> {
        unused()
    }

    fn search_module<'a>(
        &'a self,
        _: &'a Call,
        _: &'a str,
        _: SearchRequest,
    ) -> BoxFuture<'a, Result<Found>> {
        unused()
    }

    fn entries<'a>(&'a self, _: &'a Call, _: Vec<String>) -> BoxFuture<'a, Result<Vec<Entry>>> {
        unused()
    }

    fn rerank<'a>(
        &'a self,
        _: &'a Call,
        _: RerankRequest,
    ) -> BoxFuture<'a, Result<Vec<RerankScore>>> {
        unused()
    }

    fn chat<'a>(&'a self, _: &'a Call, _: ChatRequest) -> BoxFuture<'a, Result<ChatStream>> {
        unused()
    }

    fn descriptors(&self) -> Arc<[Descriptor]> {
        Arc::default()
    }
}

fn unused<T: Send + 'static>() -> BoxFuture<'static, Result<T>> {
    ready(Err(Error::internal("not asked in this bench"))).boxed()
}
