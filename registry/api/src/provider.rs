//! Providers: embedders, rerankers and chat models. They are registered like
//! plugins, compiled in only.

use std::future::Future;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Descriptor, Error, Result, Settings, Setup, TokenEmbeddings, TokenVectors};

/// A provider of vectors, as its author writes it.
pub trait Embedder: Send + Sync + Sized + 'static {
    /// What the configuration can set, with defaults.
    type Settings: Settings;

    /// What the provider is, for people and programs.
    fn descriptor() -> Descriptor;

    /// Makes an instance. Runs once, at start.
    fn new(settings: Self::Settings, setup: &Setup) -> Result<Self>;

    /// What its vectors are.
    fn model(&self) -> EmbeddingModel;

    /// One vector a text, in order, each of length 1. Work that takes long is
    /// the provider's to keep off the caller's thread.
    fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
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
    ) -> impl Future<Output = Result<TokenEmbeddings>> + Send {
        let _ = (texts, purpose);
        async { Err(Error::internal("the embedder makes no token vectors")) }
    }
}

/// [`Embedder`] behind a pointer; implemented for every embedder.
pub trait DynEmbedder: Send + Sync {
    /// See [`Embedder::model`].
    fn model(&self) -> EmbeddingModel;

    /// See [`Embedder::embed`].
    fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> BoxFuture<'_, Result<Vec<Vec<f32>>>>;

    /// See [`Embedder::has_token_vectors`].
    fn has_token_vectors(&self) -> bool;

    /// See [`Embedder::embed_with_tokens`].
    fn embed_with_tokens(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> BoxFuture<'_, Result<TokenEmbeddings>>;
}

impl<E: Embedder> DynEmbedder for E {
    fn model(&self) -> EmbeddingModel {
        Embedder::model(self)
    }

    fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> BoxFuture<'_, Result<Vec<Vec<f32>>>> {
        Embedder::embed(self, texts, purpose).boxed()
    }

    fn has_token_vectors(&self) -> bool {
        Embedder::has_token_vectors(self)
    }

    fn embed_with_tokens(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
    ) -> BoxFuture<'_, Result<TokenEmbeddings>> {
        Embedder::embed_with_tokens(self, texts, purpose).boxed()
    }
}

/// What an embedder's vectors are. Vectors of two models, or of two variants
/// whose results differ, do not belong in one index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Vectors, and what they are.
#[derive(Debug, Clone, PartialEq)]
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

/// A provider of relevance scores, as its author writes it.
pub trait Reranker: Send + Sync + Sized + 'static {
    /// What the configuration can set, with defaults.
    type Settings: Settings;

    /// What the provider is, for people and programs.
    fn descriptor() -> Descriptor;

    /// Makes an instance. Runs once, at start.
    fn new(settings: Self::Settings, setup: &Setup) -> Result<Self>;

    /// One score for each document, in any order.
    fn rerank(
        &self,
        query: String,
        documents: Vec<String>,
    ) -> impl Future<Output = Result<Vec<RerankScore>>> + Send;
}

/// [`Reranker`] behind a pointer; implemented for every reranker.
pub trait DynReranker: Send + Sync {
    /// See [`Reranker::rerank`].
    fn rerank(
        &self,
        query: String,
        documents: Vec<String>,
    ) -> BoxFuture<'_, Result<Vec<RerankScore>>>;
}

impl<R: Reranker> DynReranker for R {
    fn rerank(
        &self,
        query: String,
        documents: Vec<String>,
    ) -> BoxFuture<'_, Result<Vec<RerankScore>>> {
        Reranker::rerank(self, query, documents).boxed()
    }
}

/// A wish for relevance scores.
#[derive(Debug, Clone, PartialEq)]
pub struct RerankRequest {
    /// The question.
    pub query: String,
    /// The texts to be scored.
    pub documents: Vec<String>,
    /// Which provider; the configured default when missing.
    pub provider: Option<String>,
}

/// The score of one document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RerankScore {
    /// Which document, from 0.
    pub index: usize,
    /// Its relevance, on the model's own scale; higher is better.
    pub score: f64,
}

/// A provider of chat, as its author writes it.
pub trait ChatModel: Send + Sync + Sized + 'static {
    /// What the configuration can set, with defaults.
    type Settings: Settings;

    /// What the provider is, for people and programs.
    fn descriptor() -> Descriptor;

    /// Makes an instance. Runs once, at start.
    fn new(settings: Self::Settings, setup: &Setup) -> Result<Self>;

    /// Starts a completion. Dropping the stream ends it.
    fn chat(&self, request: ChatRequest) -> impl Future<Output = Result<ChatStream>> + Send;
}

/// [`ChatModel`] behind a pointer; implemented for every chat model.
pub trait DynChatModel: Send + Sync {
    /// See [`ChatModel::chat`].
    fn chat(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream>>;
}

impl<C: ChatModel> DynChatModel for C {
    fn chat(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatStream>> {
        ChatModel::chat(self, request).boxed()
    }
}

/// The pieces of a completion as they come.
pub type ChatStream = BoxStream<'static, Result<ChatChunk>>;

/// What a chat model is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// Which provider; the configured default when missing.
    pub provider: Option<String>,
    /// Which model; the provider's default when missing.
    pub model: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<ChatMessage>,
    /// 0 for the most likely words, up to 2.
    pub temperature: Option<f64>,
    /// Tokens at most.
    pub max_tokens: Option<u32>,
    /// Tools that the model may call.
    pub tools: Vec<ChatTool>,
    /// A JSON Schema that the completion must meet.
    pub response_schema: Option<Value>,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What is said.
    pub content: String,
    /// Tools that an assistant's turn calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Which call a tool's turn answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl ChatMessage {
    /// A turn that says something and calls no tool.
    pub fn new(role: ChatRole, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// Whoever set the task.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
    /// A tool, answering a call.
    Tool,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatTool {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub arguments: Value,
}

/// A call of a tool by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub arguments: Value,
}

/// A piece of a completion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatChunk {
    /// Some text.
    Token(String),
    /// A whole call of a tool.
    ToolCall(ToolCall),
    /// The end, with the reason that the server gave.
    End(String),
}
