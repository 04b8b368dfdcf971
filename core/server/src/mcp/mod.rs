//! The host as a server of the Model Context Protocol (MCP).
//!
//! Every enabled search module and pipeline is a tool, made from its
//! descriptor by [`gannet_core::api::Tool`], which the pipeline `agent` uses
//! too; a module of a facility's own is a tool without further code.

mod about;
mod arguments;
mod browse;
mod count;
mod create;
mod entries;
mod entry_view;
mod failure;
mod filter_options;
mod http;
mod publish;
mod saved;
mod search;
mod server;
mod sessions;
mod stdio;
mod toolset;

pub use http::{McpHttp, McpHttpOptions, McpResponse};
pub use server::McpServer;
pub use stdio::{StdioError, serve_stdio, serve_streams};
