//! Who calls, and what they may do: API keys, tokens of an identity provider,
//! and a log of what is refused.
//!
//! The HTTP server calls [`Authenticator::authenticate`] for each request and
//! puts the [`Caller`] into its extensions, where MCP finds it.

mod audit;
mod authenticator;
mod caller;
mod error;
mod key;
mod key_file;
mod key_ring;
mod ring_provider;
mod throttle;
mod token;
mod token_keys;

pub use audit::{AuditEvent, AuditLog};
pub use authenticator::Authenticator;
pub use caller::{Caller, Scope, UnknownScope};
pub use error::{AuthError, Refusal};
pub use key::{ApiKey, NewKey, PlainKey};
pub use key_file::{KeyFile, KeyFileError};
