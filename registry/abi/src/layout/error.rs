//! Errors: a code, the text, and the parts.

use std::time::Duration;

use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RString};
use gannet_api::Error;
use serde::{Deserialize, Serialize};

use super::{from_slot, to_slot};

/// An [`Error`]. Codes are an open set (see [`Error::code`]); an unknown one
/// reads as [`Error::Internal`] with the text.
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiError {
    /// Which error.
    pub code: u32,
    /// Its text, for whoever does not know the code.
    pub message: RString,
    /// Its parts.
    pub parts_json: RString,
}

/// A result that crosses the boundary.
pub type AbiResult<T> = RResult<T, AbiError>;

/// The parts of all errors; each uses some.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Parts {
    #[serde(skip_serializing_if = "String::is_empty")]
    subject: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    hint: String,
    limit_ms: u64,
    retryable: bool,
}

impl From<Error> for AbiError {
    fn from(error: Error) -> Self {
        let (code, message) = (error.code(), error.to_string().into());
        let mut parts = Parts {
            retryable: error.is_retryable(),
            ..Parts::default()
        };
        match error {
            Error::Configuration { key, message } => {
                (parts.subject, parts.message) = (key, message);
            }
            Error::Setting { name, message } => (parts.subject, parts.message) = (name, message),
            Error::NotFound { what, name, hint } => {
                (parts.subject, parts.message, parts.hint) = (what, name, hint);
            }
            Error::Timeout { operation, limit } => {
                parts.subject = operation;
                parts.limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            }
            Error::Provider {
                provider, message, ..
            } => (parts.subject, parts.message) = (provider, message),
            Error::Panicked { plugin, message } | Error::InvalidResult { plugin, message } => {
                (parts.subject, parts.message) = (plugin, message);
            }
            Error::InvalidInput { message }
            | Error::Store { message, .. }
            | Error::Unavailable { message }
            | Error::Credentials { message }
            | Error::Internal { message } => parts.message = message,
            // An error that is younger than this code: its text is enough.
            _ => {}
        }
        Self {
            code,
            message,
            parts_json: to_slot(&parts),
        }
    }
}

impl From<AbiError> for Error {
    fn from(error: AbiError) -> Self {
        let parts: Parts = from_slot(&error.parts_json);
        let (message, retryable) = (parts.message, parts.retryable);
        match error.code {
            2 => Self::InvalidInput { message },
            3 => Self::Configuration {
                key: parts.subject,
                message,
            },
            4 => Self::NotFound {
                what: parts.subject,
                name: message,
                hint: parts.hint,
            },
            5 => Self::Timeout {
                operation: parts.subject,
                limit: Duration::from_millis(parts.limit_ms),
            },
            6 => Self::Store { message, retryable },
            7 => Self::Provider {
                provider: parts.subject,
                message,
                retryable,
            },
            8 => Self::Panicked {
                plugin: parts.subject,
                message,
            },
            9 => Self::Unavailable { message },
            10 => Self::InvalidResult {
                plugin: parts.subject,
                message,
            },
            11 => Self::Setting {
                name: parts.subject,
                message,
            },
            12 => Self::Credentials { message },
            _ => Self::internal(error.message),
        }
    }
}
