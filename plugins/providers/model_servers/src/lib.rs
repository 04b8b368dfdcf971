//! Models behind HTTP: chat models, embedders and rerankers.
//!
//! | provider | kinds | servers |
//! |---|---|---|
//! | `openai` | chat model, embedder | every OpenAI-compatible one: OpenAI, cborg, vLLM, llama-server, LM Studio |
//! | `ollama` | chat model, embedder | Ollama |
//! | `rerank_server` | reranker | llama-server, Cohere, Jina, vLLM; text-embeddings-inference |
//!
//! ```yaml
//! providers:
//!   openai:
//!     settings: { preset: cborg, model: lbl/cborg-chat }
//!   ollama:
//!     settings: { model: "qwen3:8b", embedding: { model: nomic-embed-text } }
//! pipelines:
//!   rag: { provider: openai }
//! ```
//!
//! Making a provider opens no connection and reads no key. A key stands in an
//! environment variable or a file, and no error, log or debug text shows it.
//!
//! ```
//! use futures::TryStreamExt;
//! use gannet_model_servers::{OpenAi, OpenAiSettings};
//! use gannet_plugin::{ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole, Setup};
//! # use gannet_test_model_server::{ModelServer, Reply};
//!
//! # let runtime = tokio::runtime::Runtime::new()?;
//! # runtime.block_on(async {
//! # let server = ModelServer::start([Reply::text("A klystron tripped.")]);
//! # let base_url = format!("{}/v1", server.url());
//! let settings = OpenAiSettings {
//!     base_url: Some(base_url), // http://127.0.0.1:8000/v1
//!     ..OpenAiSettings::default()
//! };
//! let model = <OpenAi as ChatModel>::new(settings, &Setup::default())?;
//! let mut request = ChatRequest::default();
//! request.messages.push(ChatMessage {
//!     role: ChatRole::User,
//!     content: "Why was the beam lost?".to_owned(),
//!     tool_calls: Vec::new(),
//!     tool_call_id: None,
//! });
//! let chunks: Vec<ChatChunk> = model.chat(request).await?.try_collect().await?;
//! assert_eq!(chunks.first(), Some(&ChatChunk::Token("A".to_owned())));
//! assert_eq!(chunks.last(), Some(&ChatChunk::End("stop".to_owned())));
//! # Ok::<(), gannet_plugin::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is asked of a server
//!
//! Little: unknown fields are ignored, a missing id of a tool call is made up,
//! any reason ends an answer, and one JSON body is understood where a stream
//! was asked for. What cannot be understood is an error with what the server
//! wrote, up to 500 characters of it.
//!
//! A turn of a chat model has at most 4 MiB of text and calls of tools, and so
//! has each line of it; more is an error.
//!
//! A server that is busy (429, 500, 502, 503, 504) or cannot be reached is
//! asked again, later each time and at a random moment, or when its
//! `Retry-After` says. What would take longer than the time-out or 20 s is not
//! waited for: the error says when to come back. Once an answer has begun it is never asked for again.
//! Redirects are not followed.

mod answer;
mod attempt;
mod calls;
mod embedding;
mod endpoint;
mod lines;
mod ollama;
mod openai;
mod rerank;
mod retry;
mod secrets;
mod server;
mod settings;
mod turn;

pub use ollama::Ollama;
pub use openai::OpenAi;
pub use rerank::RerankServer;
pub use settings::{
    EmbeddingSettings, OllamaSettings, OpenAiSettings, Preset, RerankForm, RerankSettings,
};

gannet_plugin::export_plugin! {
    runtime: tokio,
    embedders: [OpenAi, Ollama],
    rerankers: [RerankServer],
    chat_models: [OpenAi, Ollama],
}
