//! How programs reach the host over a wire: the interfaces of ARIEL and of the
//! Retriever, streams of answers, an OpenAI-compatible interface, OpenAPI,
//! probes and metrics; the Model Context Protocol for agents; and who may use
//! them.
//!
//! [`Server::bind`] takes an open host and [`Server::run`] answers requests
//! until it is asked to stop. Handlers turn a request into a call of
//! [`gannet_core::Gannet`] and its result into JSON; nothing is searched here.

mod admission;
mod ariel;
mod attachments;
pub mod auth;
mod background;
mod compression;
mod drafts;
mod error;
mod exposure;
mod extract;
mod filters;
mod guard;
mod login;
pub mod mcp;
mod metrics;
mod network;
mod openai;
mod openapi;
mod probes;
mod problem;
mod random;
mod rate_limit;
mod request_id;
mod retriever;
mod router;
mod routes;
mod serve;
mod state;
mod stream;
mod work;

pub use error::ServerError;
pub use serve::{BindOptions, Server};
