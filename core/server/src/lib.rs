//! How programs reach the host over a wire: the Model Context Protocol for
//! agents, and who may use it.

pub mod auth;
pub mod mcp;
mod random;
