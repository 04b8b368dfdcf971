//! How programs reach the host over a wire: the interfaces of ARIEL and of the
//! Retriever, streams of answers, an OpenAI-compatible interface, OpenAPI,
//! probes and metrics; the Model Context Protocol for agents; the web interface
//! for people; and who may use them.
//!
//! [`Server::bind`] takes an open host and [`Server::run`] answers requests
//! until it is asked to stop. Handlers turn a request into a call of
//! [`gannet_core::Gannet`] and its result into JSON; nothing is searched here.

mod access;
mod admission;
mod ariel;
mod attachments;
pub mod auth;
mod backend;
mod background;
mod compression;
mod connection_share;
mod current;
mod deliveries;
mod disclosure;
mod drafts;
mod error;
mod exposure;
mod extract;
mod faults;
mod feedback;
mod feeds;
mod filters;
mod guard;
mod hops;
mod log_file;
mod log_writer;
mod login;
pub mod mcp;
mod metrics;
mod network;
mod openai;
mod openapi;
mod private_answers;
mod probes;
mod problem;
mod query_log;
mod random;
mod rate_limit;
mod recent;
mod related;
mod reload;
mod request_id;
mod retention;
mod retriever;
mod router;
mod routes;
mod saved_searches;
mod schedule;
mod search_record;
mod serve;
mod site;
mod state;
mod status_details;
mod store_health;
mod stream;
mod text_range;
mod thread;
mod timeline;
mod traces;
mod unified;
mod unread_body;
mod watching;
mod web;
mod work;
mod write_timeout;

pub use error::ServerError;
pub use reload::{ReloadError, Reloader};
pub use serve::{BindOptions, Server};
