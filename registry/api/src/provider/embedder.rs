//! Embedders: texts in, vectors out.

use std::future::Future;

use serde::{Deserialize, Serialize};

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::setters::setters;
use crate::{Context, Error, Result, ResultFuture, TokenEmbeddings, TokenVectors};

/// A provider of vectors, as its author writes it.
pub trait Embedder: Send + Sync + Sized + 'static {
    of_every_kind!();

    /// What its vectors are.
    fn model(&self) -> EmbeddingModel;

    /// One vector a text, in order, each of length 1. Work that takes long is
    /// the provider's to keep off the caller's thread.
    fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &Context,
    ) -> impl Future<Output = Result<Vec<Vec<f32>>>> + Send;

    /// Whether [`embed_with_tokens`](Self::embed_with_tokens) works. Without
    /// it everything works but late interaction.
    fn has_token_vectors(&self) -> bool {
        false
    }

    /// The vectors of [`embed`](Self::embed), with the vectors of the words
    /// of each text: floats for a question, signs for documents. Only asked of
    /// a provider that [has them](Self::has_token_vectors).
    fn embed_with_tokens(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &Context,
    ) -> impl Future<Output = Result<TokenEmbeddings>> + Send {
        let _ = (texts, purpose, context);
        async { Err(Error::internal("the embedder makes no token vectors")) }
    }
}

/// [`Embedder`] behind a pointer; implemented for every embedder.
pub trait DynEmbedder: Send + Sync {
    dyn_lifecycle!();

    /// See [`Embedder::model`].
    fn model(&self) -> EmbeddingModel;

    /// See [`Embedder::embed`].
    fn embed<'a>(
        &'a self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<Vec<f32>>>;

    /// See [`Embedder::has_token_vectors`].
    fn has_token_vectors(&self) -> bool;

    /// See [`Embedder::embed_with_tokens`].
    fn embed_with_tokens<'a>(
        &'a self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &'a Context,
    ) -> ResultFuture<'a, TokenEmbeddings>;
}

behind_pointer!(Embedder as DynEmbedder {
    embed(texts: Vec<String>, purpose: EmbedPurpose) -> Vec<Vec<f32>>;
    embed_with_tokens(texts: Vec<String>, purpose: EmbedPurpose) -> TokenEmbeddings;
} and {
    fn model(&self) -> EmbeddingModel {
        Embedder::model(self)
    }

    fn has_token_vectors(&self) -> bool {
        Embedder::has_token_vectors(self)
    }
});

/// What an embedder's vectors are. Vectors of two models, or of two variants
/// whose results differ, do not belong in one index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmbeddingModel {
    /// The model's name.
    pub name: String,
    /// How the numbers are made, where that changes them (`int8`).
    pub variant: String,
    /// Numbers a vector.
    pub dimension: usize,
    /// Tokens a text at most; what is over is not seen.
    pub max_tokens: usize,
}

impl EmbeddingModel {
    /// A model of this name, of vectors of so many numbers, which reads so many
    /// tokens of a text.
    pub fn new(name: impl Into<String>, dimension: usize, max_tokens: usize) -> Self {
        Self {
            name: name.into(),
            variant: String::new(),
            dimension,
            max_tokens,
        }
    }
}

setters!(EmbeddingModel {
    with_variant(variant: impl Into<String>),
});

/// What a text is embedded for: some models want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedPurpose {
    /// A question.
    Query,
    /// A text to be found.
    Document,
}

/// A wish for vectors.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EmbedRequest {
    /// The texts.
    pub texts: Vec<String>,
    /// What they are embedded for.
    pub purpose: EmbedPurpose,
    /// Which provider; the configured default when missing.
    pub provider: Option<String>,
    /// Whether the vectors of the words are wanted too.
    pub tokens: bool,
}

impl EmbedRequest {
    /// A request to the default embedder, without token vectors.
    pub fn new(texts: Vec<String>, purpose: EmbedPurpose) -> Self {
        Self {
            texts,
            purpose,
            provider: None,
            tokens: false,
        }
    }
}

setters!(EmbedRequest {
    with_provider(provider: impl Into<Option<String>>),
    with_tokens(tokens: bool),
});

/// Vectors, and what they are.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Embeddings {
    /// One a text, in order.
    pub vectors: Vec<Vec<f32>>,
    /// What they are.
    pub model: EmbeddingModel,
    /// The vectors of the words of each text, in order. Empty when they were
    /// not asked for, when the provider makes none, and when the store keeps
    /// none.
    pub tokens: Vec<TokenVectors>,
}

impl Embeddings {
    /// Vectors without those of the words.
    pub fn new(vectors: Vec<Vec<f32>>, model: EmbeddingModel) -> Self {
        Self {
            vectors,
            model,
            tokens: Vec::new(),
        }
    }
}

setters!(Embeddings {
    with_tokens(tokens: Vec<TokenVectors>),
});
