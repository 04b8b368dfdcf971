//! Rerankers: a question and texts in, scores out.

use std::future::Future;

use serde::{Deserialize, Serialize};

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::setters::setters;
use crate::{Context, Result, ResultFuture};

/// A provider of relevance scores, as its author writes it.
pub trait Reranker: Send + Sync + Sized + 'static {
    of_every_kind!();

    /// One score for each document, in any order.
    fn rerank(
        &self,
        query: String,
        documents: Vec<String>,
        context: &Context,
    ) -> impl Future<Output = Result<Vec<RerankScore>>> + Send;
}

/// [`Reranker`] behind a pointer; implemented for every reranker.
pub trait DynReranker: Send + Sync {
    dyn_lifecycle!();

    /// See [`Reranker::rerank`].
    fn rerank<'a>(
        &'a self,
        query: String,
        documents: Vec<String>,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<RerankScore>>;
}

behind_pointer!(Reranker as DynReranker {
    rerank(query: String, documents: Vec<String>) -> Vec<RerankScore>;
});

/// A wish for relevance scores.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RerankRequest {
    /// The question.
    pub query: String,
    /// The texts to be scored.
    pub documents: Vec<String>,
    /// Which provider; the configured default when missing.
    pub provider: Option<String>,
}

impl RerankRequest {
    /// A request to the default reranker.
    pub fn new(query: impl Into<String>, documents: Vec<String>) -> Self {
        Self {
            query: query.into(),
            documents,
            provider: None,
        }
    }
}

setters!(RerankRequest {
    with_provider(provider: impl Into<Option<String>>),
});

/// The score of one document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RerankScore {
    /// Which document, from 0.
    pub index: usize,
    /// Its relevance, on the model's own scale; higher is better.
    pub score: f64,
}

impl RerankScore {
    /// The score of the document at this place, from 0.
    pub fn new(index: usize, score: f64) -> Self {
        Self { index, score }
    }
}
