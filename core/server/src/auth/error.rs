//! Why a request is refused.

use std::time::Duration;

use super::key_file::KeyFileError;

/// Why a request is not authenticated. No text holds what was sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// A key or token is required, and there is none.
    #[error("an API key or token is required: send `Authorization: Bearer KEY`")]
    Missing,
    /// A key or token was sent and is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Too many failures from this address.
    #[error("too many failed logins; try again in {} s", retry_after.as_secs().max(1))]
    TooMany {
        /// How long the address has to wait.
        retry_after: Duration,
    },
    /// The keys of the identity provider cannot be had.
    #[error("tokens cannot be checked now: {reason}")]
    NoTokenKeys {
        /// Why.
        reason: String,
    },
    /// The file with the API keys cannot be read.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// The settings do not fit together.
    #[error("setting `{key}`: {message}")]
    Configuration {
        /// The setting.
        key: &'static str,
        /// What is wrong and what to do.
        message: String,
    },
}

/// Why a key or token is refused. Clients get [`Refusal::public`]; the reason
/// is for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The header is neither `Bearer TOKEN` nor an API key.
    #[error("the credentials are not of a known form")]
    Malformed,
    /// The request has two of them: what is in front of the server may have
    /// looked at the other one.
    #[error("the request has several credentials")]
    Several,
    /// No key is this one.
    #[error("the API key is unknown")]
    UnknownKey,
    /// The key has expired or was revoked.
    #[error("the API key `{id}` has expired or was revoked")]
    EndedKey {
        /// The id of the key.
        id: String,
    },
    /// Tokens are not configured.
    #[error("tokens are not accepted: `server.auth.jwt` is not configured")]
    NoTokens,
    /// The token is not valid.
    #[error("the token is refused: {0}")]
    Token(String),
}

impl Refusal {
    /// What a client is told: for what it can see itself, else nothing that
    /// helps to guess.
    pub fn public(&self) -> &'static str {
        match self {
            Self::Malformed => "send `Authorization: Bearer KEY` or `X-API-Key: KEY`",
            Self::Several => "send one key or token: `Authorization` or `X-API-Key`, and it once",
            _ => "the API key or token is not valid",
        }
    }
}

impl AuthError {
    /// The HTTP status: 401, 429 or 503.
    pub fn status(&self) -> u16 {
        match self {
            Self::Missing | Self::Refused(_) => 401,
            Self::TooMany { .. } => 429,
            _ => 503,
        }
    }

    /// What a client may be told: no path and no reason that helps to guess.
    pub fn public(&self) -> String {
        match self {
            Self::Missing | Self::TooMany { .. } => self.to_string(),
            Self::Refused(refusal) => refusal.public().to_owned(),
            _ => "logins are not possible now".to_owned(),
        }
    }
}
