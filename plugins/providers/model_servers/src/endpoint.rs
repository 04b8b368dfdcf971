//! The endpoint of a request, and errors that name it.

use std::fmt;
use std::time::Duration;

use gannet_plugin::prelude::Error;

/// Maximum characters of a response in an error.
const EXCERPT: usize = 500;

/// A path of a server. Its texts never contain a key.
#[derive(Clone)]
pub(crate) struct Endpoint {
    /// The name of the provider in the configuration.
    pub(crate) instance: String,
    /// Host, port if given, and path.
    pub(crate) place: String,
    /// Timeout of each wait.
    pub(crate) timeout: Duration,
    /// Secrets to redact, because a server may repeat them.
    pub(crate) secrets: Vec<String>,
}

impl Endpoint {
    /// The server failed.
    pub(crate) fn failed(&self, what: impl fmt::Display, retryable: bool) -> Error {
        Error::Provider {
            provider: self.instance.clone(),
            message: format!("{} {}", self.place, self.hidden(&what.to_string())),
            retryable,
        }
    }

    /// The response cannot be parsed.
    pub(crate) fn unreadable(&self, why: impl fmt::Display, raw: &str) -> Error {
        let excerpt = self.excerpt(raw);
        self.failed(format!("returned a response that {why}: {excerpt}"), false)
    }

    /// The response is too large.
    pub(crate) fn too_long(&self, max_bytes: usize) -> Error {
        let mebibytes = max_bytes / 1024 / 1024;
        self.failed(
            format!("returned a response of more than {mebibytes} MiB"),
            false,
        )
    }

    /// The server timed out.
    pub(crate) fn timed_out(&self) -> Error {
        Error::Timeout {
            operation: format!("{}: {}", self.instance, self.place),
            limit: self.timeout,
        }
    }

    /// The beginning of a response, with secrets redacted.
    pub(crate) fn excerpt(&self, raw: &str) -> String {
        // Redacted before truncation, so that no part of a key remains.
        let hidden = self.hidden(raw.trim());
        match hidden.char_indices().nth(EXCERPT) {
            Some((end, _)) => format!("{}...", &hidden[..end]),
            None if hidden.is_empty() => "(nothing)".to_owned(),
            None => hidden,
        }
    }

    /// A text with secrets redacted.
    pub(crate) fn hidden(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, "***");
        }
        text
    }
}

/// An error with its causes, without the address, which may contain a password.
pub(crate) fn with_causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
