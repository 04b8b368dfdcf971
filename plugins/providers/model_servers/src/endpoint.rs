//! What is asked, and the errors that name it.

use std::fmt;
use std::time::Duration;

use gannet_plugin::Error;

/// Characters of a server's words in an error at most.
const EXCERPT: usize = 500;

/// One path of one server. Its texts never hold a key.
#[derive(Clone)]
pub(crate) struct Endpoint {
    /// The name of the provider in the configuration.
    pub(crate) instance: String,
    /// Host, port where one is written, and path.
    pub(crate) place: String,
    /// How long each wait may take.
    pub(crate) timeout: Duration,
    /// What must not be shown, though a server may repeat it.
    pub(crate) secrets: Vec<String>,
}

impl Endpoint {
    /// The server said or did something that cannot be used.
    pub(crate) fn failed(&self, what: impl fmt::Display, retryable: bool) -> Error {
        Error::Provider {
            provider: self.instance.clone(),
            message: format!("{} {}", self.place, self.hidden(&what.to_string())),
            retryable,
        }
    }

    /// The server gave something that cannot be read.
    pub(crate) fn unreadable(&self, why: impl fmt::Display, raw: &str) -> Error {
        let excerpt = self.excerpt(raw);
        self.failed(format!("gave an answer that {why}: {excerpt}"), false)
    }

    /// The server gave more bytes than it may.
    pub(crate) fn too_long(&self, max_bytes: usize) -> Error {
        let mebibytes = max_bytes / 1024 / 1024;
        self.failed(
            format!("gave an answer of more than {mebibytes} MiB"),
            false,
        )
    }

    /// The server took too long.
    pub(crate) fn timed_out(&self) -> Error {
        Error::Timeout {
            operation: format!("{}: {}", self.instance, self.place),
            limit: self.timeout,
        }
    }

    /// The beginning of what a server wrote, without secrets.
    pub(crate) fn excerpt(&self, raw: &str) -> String {
        // Hidden before it is cut, so that no half of a key is left.
        let hidden = self.hidden(raw.trim());
        match hidden.char_indices().nth(EXCERPT) {
            Some((end, _)) => format!("{}...", &hidden[..end]),
            None if hidden.is_empty() => "(nothing)".to_owned(),
            None => hidden,
        }
    }

    /// A text without secrets.
    pub(crate) fn hidden(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, "***");
        }
        text
    }
}

/// An error with its causes, without the address, which may hold a password.
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
