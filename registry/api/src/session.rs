//! What an instance remembers of a conversation, for as long as it lasts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Context, Result};

/// A request to the host's service [`SessionRequest::SERVICE`]; [`Session`]
/// makes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionRequest {
    /// Answered with the value, or null.
    Read {
        /// The session.
        id: String,
    },
    /// Answered with null.
    Write {
        /// The session.
        id: String,
        /// The value; without one the session is forgotten.
        value: Option<Value>,
    },
}

impl SessionRequest {
    /// The host service that answers it; see [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "session";
}

/// One conversation, as this instance knows it: [`Context::session`].
///
/// The host keeps one JSON value for each instance, tenant and session, in
/// memory: it forgets a session that nobody read or wrote for
/// [`limits::SESSION_IDLE`](crate::limits::SESSION_IDLE), all of them when it
/// ends, and the one that was used longest ago when there are too many.
pub struct Session<'c> {
    pub(crate) context: &'c Context,
    pub(crate) id: String,
}

impl Session<'_> {
    /// What was kept last, if the host still has it.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) from a host that is older
    /// than sessions.
    pub async fn get(&self) -> Result<Option<Value>> {
        let id = self.id.clone();
        self.ask(SessionRequest::Read { id }).await
    }

    /// Keeps a value in the place of the last one, or forgets the session. Of
    /// two calls that write at once, the later counts.
    ///
    /// # Errors
    /// [`Error::InvalidInput`](crate::Error::InvalidInput) for a value of more
    /// than [`limits::SESSION_VALUE_BYTES`](crate::limits::SESSION_VALUE_BYTES)
    /// as JSON, or an id that is empty or too long.
    pub async fn set(&self, value: impl Into<Option<Value>>) -> Result<()> {
        let (id, value) = (self.id.clone(), value.into());
        self.ask(SessionRequest::Write { id, value })
            .await
            .map(drop)
    }

    async fn ask(&self, request: SessionRequest) -> Result<Option<Value>> {
        self.context.ask(SessionRequest::SERVICE, &request).await
    }
}
