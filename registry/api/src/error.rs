//! The one error that crosses between host and plugins.

use std::time::Duration;

use futures::future::BoxFuture;

/// What a module, a pipeline or a host service can fail with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller's input cannot be used; the message says what to change.
    #[error("{message}")]
    InvalidInput {
        /// What is wrong and what to do.
        message: String,
    },
    /// A setting cannot be used.
    #[error("setting `{key}`: {message}")]
    Configuration {
        /// The setting, dotted.
        key: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// A setting of a plugin's own cannot be used. The host adds the place of
    /// the instance in the configuration.
    #[error("setting `{name}`: {message}")]
    Setting {
        /// The setting, below `settings` of the instance; dotted where it lies
        /// deeper.
        name: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// Something named does not exist, or is not switched on.
    #[error("no {what} named `{name}`{hint}")]
    NotFound {
        /// What sort of thing.
        what: String,
        /// Its name.
        name: String,
        /// More for the reader, starting with `: ` or `; `, or empty.
        hint: String,
    },
    /// The deadline passed.
    #[error("{operation} took longer than {} ms", limit.as_millis())]
    Timeout {
        /// What took too long.
        operation: String,
        /// How long it was given.
        limit: Duration,
    },
    /// A store failed.
    #[error("store: {message}")]
    Store {
        /// What happened.
        message: String,
        /// Whether the same call may succeed later.
        retryable: bool,
    },
    /// A model server or another outside service failed.
    #[error("{provider}: {message}")]
    Provider {
        /// Which one.
        provider: String,
        /// What happened.
        message: String,
        /// Whether the same call may succeed later.
        retryable: bool,
    },
    /// Plugin code panicked; the panic was contained.
    #[error("panicked: {plugin}{}{message}", if plugin.is_empty() { "" } else { ": " })]
    Panicked {
        /// The plugin, as the host names it; empty until the host has seen it.
        plugin: String,
        /// The panic's text and place.
        message: String,
    },
    /// Something that is there cannot be used now; the message says why and
    /// what brings it back.
    #[error("{message}")]
    Unavailable {
        /// What cannot be used and why.
        message: String,
    },
    /// Credentials of the caller are missing, or another service refused
    /// them; the message says which.
    #[error("{message}")]
    Credentials {
        /// What is missing or was refused.
        message: String,
    },
    /// A plugin gave something that is not a result: scores that are not
    /// finite, too few or too many of them.
    #[error("{plugin} gave an invalid result: {message}")]
    InvalidResult {
        /// The plugin, as the host names it.
        plugin: String,
        /// What is wrong with the result.
        message: String,
    },
    /// None of the above.
    #[error("{message}")]
    Internal {
        /// What happened.
        message: String,
    },
}

/// What [`Error::missing_service`] lacks.
const HOST_SERVICE: &str = "host service";

/// A result with the contract's error.
pub type Result<T> = std::result::Result<T, Error>;

/// A result that comes later, of a method behind a pointer.
pub type ResultFuture<'a, T> = BoxFuture<'a, Result<T>>;

impl Error {
    /// [`Error::InvalidInput`] with this message.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::InvalidInput {
            message: message.into(),
        }
    }

    /// [`Error::Configuration`] for this setting.
    pub fn configuration(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Configuration {
            key: key.into(),
            message: message.into(),
        }
    }

    /// [`Error::Setting`]: what a plugin's constructor says of one of its
    /// settings.
    pub fn setting(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Setting {
            name: name.into(),
            message: message.into(),
        }
    }

    /// [`Error::NotFound`] without a hint.
    pub fn not_found(what: impl Into<String>, name: impl Into<String>) -> Self {
        Self::NotFound {
            what: what.into(),
            name: name.into(),
            hint: String::new(),
        }
    }

    /// What a host answers that does not have a service, see
    /// [`Host::call`](crate::Host::call).
    pub fn missing_service(name: &str) -> Self {
        Self::not_found(HOST_SERVICE, name)
    }

    /// Whether it is [`Error::missing_service`].
    pub fn is_missing_service(&self) -> bool {
        matches!(self, Self::NotFound { what, .. } if what == HOST_SERVICE)
    }

    /// [`Error::Panicked`] of a plugin that is not named yet.
    pub fn panicked(message: impl Into<String>) -> Self {
        Self::Panicked {
            plugin: String::new(),
            message: message.into(),
        }
    }

    /// [`Error::Internal`] with this message.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal {
            message: message.into(),
        }
    }

    /// The error's code where it crosses a binary boundary. Codes are an open
    /// set: an unknown one reads as [`Error::Internal`].
    pub fn code(&self) -> u32 {
        match self {
            Self::Internal { .. } => 1,
            Self::InvalidInput { .. } => 2,
            Self::Configuration { .. } => 3,
            Self::NotFound { .. } => 4,
            Self::Timeout { .. } => 5,
            Self::Store { .. } => 6,
            Self::Provider { .. } => 7,
            Self::Panicked { .. } => 8,
            Self::Unavailable { .. } => 9,
            Self::InvalidResult { .. } => 10,
            Self::Setting { .. } => 11,
            Self::Credentials { .. } => 12,
        }
    }

    /// What sort of failure it was, as diagnostics name it.
    pub fn category(&self) -> &'static str {
        match self {
            Self::InvalidInput { .. } => "invalid_input",
            Self::Configuration { .. } | Self::Setting { .. } => "configuration",
            Self::NotFound { .. } => "not_found",
            Self::Timeout { .. } => "timeout",
            Self::Store { .. } => "store",
            Self::Provider { .. } => "provider",
            Self::Panicked { .. } => "panic",
            Self::Unavailable { .. } => "unavailable",
            Self::Credentials { .. } => "credentials",
            Self::InvalidResult { .. } => "invalid_result",
            Self::Internal { .. } => "internal",
        }
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Timeout { .. } => true,
            Self::Store { retryable, .. } | Self::Provider { retryable, .. } => *retryable,
            _ => false,
        }
    }
}
