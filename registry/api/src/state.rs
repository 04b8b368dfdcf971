//! What an instance keeps from one call to the next, also over a restart.

use serde::{Deserialize, Serialize};

/// A request to the host's service [`StateRequest::SERVICE`];
/// [`Context::state`](crate::Context::state) and
/// [`Context::set_state`](crate::Context::set_state) make it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StateRequest {
    /// Answered with the value, or null.
    Read {
        /// The key.
        key: String,
    },
    /// Answered with null.
    Write {
        /// The key.
        key: String,
        /// The value; without one the key is forgotten.
        value: Option<String>,
    },
}

impl StateRequest {
    /// The host service that answers it; see [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "state";
}
