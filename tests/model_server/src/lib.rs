//! A scripted model server: it answers what a test tells it to, and keeps what
//! it was asked.
//!
//! ```
//! use gannet_test_model_server::{ModelServer, Reply};
//! use serde_json::json;
//!
//! let server = ModelServer::start([
//!     Reply::tool_call("keyword_search", json!({"query": "klystron"})),
//!     Reply::text("It tripped [#A]."),
//! ]);
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! // Whatever is tested asks `{url}/v1/chat/completions` here.
//! assert!(server.requests().is_empty());
//! ```
//!
//! The path of a request says which form its answer has:
//!
//! | path ends with | form |
//! |---|---|
//! | `/chat/completions` | OpenAI's, as events when the request says `stream: true` |
//! | `/api/chat` | Ollama's, one JSON a line |
//! | `/embeddings` | OpenAI's |
//! | `/api/embed` | Ollama's |
//! | `/v1/rerank`, `/v2/rerank` | Cohere's |
//! | `/rerank` | that of text-embeddings-inference |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should stop where it stands"
)]

mod form;
mod ollama;
mod openai;
mod pieces;
mod reply;
mod server;

pub use reply::Reply;
pub use server::{Asked, ModelServer};
