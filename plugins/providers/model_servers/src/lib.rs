//! Models on HTTP servers: chat models, embedders, rerankers and readers.
//!
//! | provider | kinds | servers |
//! |---|---|---|
//! | `openai` | chat model, embedder | every OpenAI-compatible one: OpenAI, cborg, vLLM, llama-server, LM Studio |
//! | `ollama` | chat model, embedder | Ollama |
//! | `rerank_server` | reranker | llama-server, Cohere, Jina, vLLM; text-embeddings-inference |
//! | `hf_qa` | reader | those with the question-answering interface of Hugging Face |
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
//! Creating a provider opens no connection and reads no key. Keys are in
//! environment variables or files; errors, logs and debug output redact them.
//!
//! ```
//! use futures::TryStreamExt;
//! use gannet_model_servers::{OpenAi, OpenAiSettings};
//! use gannet_plugin::prelude::Setup;
//! use gannet_plugin::provider::{ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole};
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
//! request.messages.push(ChatMessage::new(ChatRole::User, "Why was the beam lost?"));
//! let chunks: Vec<ChatChunk> = model.chat(request, &gannet_plugin::testing::context()).await?.try_collect().await?;
//! assert_eq!(chunks.first(), Some(&ChatChunk::Token("A".to_owned())));
//! assert_eq!(chunks.last(), Some(&ChatChunk::End("stop".to_owned())));
//! # Ok::<(), gannet_plugin::prelude::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Compatibility with servers
//!
//! Unknown fields are ignored, a missing id of a tool call is generated, any
//! finish reason ends a response, and a single JSON body is accepted instead of a
//! stream. A response that cannot be parsed is an error with up to 500 characters
//! of it.
//!
//! A turn of a chat model, and each line of it, is limited to 4 MiB of text and
//! tool calls.
//!
//! A request to a server that is busy (429, 500, 502, 503, 504) or unreachable is
//! retried with a randomized exponential backoff, or after the time in
//! `Retry-After`. If that time is longer than the timeout or 20 s, the request
//! fails and the error says when to retry. A request is not retried once the
//! response has begun. Redirects are not followed.

mod attempt;
mod embedding;
mod endpoint;
mod lines;
mod ollama;
mod openai;
mod qa;
mod rerank;
mod response;
mod retry;
mod secrets;
mod server;
mod settings;
mod tool_calls;
mod turn;

pub use ollama::Ollama;
pub use openai::OpenAi;
pub use qa::QaServer;
pub use rerank::RerankServer;
pub use settings::{
    EmbeddingSettings, OllamaSettings, OpenAiSettings, Preset, QaForm, QaSettings, RerankForm,
    RerankSettings,
};

gannet_plugin::export_plugin! {
    runtime: tokio,
    embedders: [OpenAi, Ollama],
    rerankers: [RerankServer],
    readers: [QaServer],
    chat_models: [OpenAi, Ollama],
}
