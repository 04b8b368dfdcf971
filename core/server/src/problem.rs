//! Errors as RFC 9457 has them (`application/problem+json`), with a stable
//! `code`. Nothing of the inside of the service is told: no SQL, no path, no
//! body of another server. That goes into the log, under the request id.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gannet_core::HostError;
use gannet_core::api::Error;
use gannet_core::store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::disclosure::names_a_file;
use crate::openai::ErrorBody;

/// Seconds after which a client may try again.
const RETRY_AFTER: u64 = 1;

/// An error of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Always `about:blank`: `code` says which problem it is.
    #[serde(rename = "type")]
    pub kind: ProblemType,
    /// The status in words.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong and what to do, for a person.
    pub detail: String,
    /// Which problem it is, for a program; does not change between versions.
    pub code: &'static str,
    /// The id of the request, as in the header `x-request-id` and in the log.
    pub request_id: String,
    /// Seconds after which the request may be repeated, for the header
    /// `Retry-After`.
    #[serde(skip)]
    pub retry_after: Option<u64>,
    /// The field of the request that is wrong, in OpenAI's form.
    #[serde(skip)]
    pub param: Option<Box<str>>,
    /// How the body is written.
    #[serde(skip)]
    pub form: ErrorForm,
}

/// The URI of a problem's sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) enum ProblemType {
    /// None: the code tells them apart.
    #[serde(rename = "about:blank")]
    AboutBlank,
}

/// How the body of an error is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// RFC 9457.
    #[default]
    Problem,
    /// That of OpenAI's interface, see [`crate::openai`].
    OpenAi,
}

impl Problem {
    /// A problem of this status and code.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: ProblemType::AboutBlank,
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
            code,
            request_id: String::new(),
            retry_after: None,
            param: None,
            form: ErrorForm::default(),
        }
    }

    /// A request that cannot be answered as it stands (400).
    pub fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// A value of a request that is not allowed (422, as in ARIEL).
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", detail)
    }

    /// Something that is not there (404).
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// Something that cannot be had now (503), with the header `Retry-After`.
    pub fn unavailable(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail).retry_after(RETRY_AFTER)
    }

    /// This problem with the seconds after which to try again.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// This problem with the field of the request that is wrong.
    pub fn param(mut self, name: impl Into<Box<str>>) -> Self {
        self.param = Some(name.into());
        self
    }

    /// This problem in a request of this id.
    pub fn of_request(mut self, request_id: &str) -> Self {
        request_id.clone_into(&mut self.request_id);
        self
    }

    /// No space for what is to be written (507).
    pub fn disk_full(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "the disk is full");
        let detail = "no space is left on the disk of the store";
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", detail)
    }

    /// A fault of the service itself; the log says which.
    fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        let detail = "the request failed; the log of the server says why, under the request id";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }

    /// The response, with the body.
    pub fn into_body(self) -> Response {
        let status = StatusCode::from_u16(self.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after = self.retry_after;
        let mut response = match self.form {
            ErrorForm::Problem => {
                let media = HeaderValue::from_static("application/problem+json");
                let mut response = axum::Json(self).into_response();
                response.headers_mut().insert(header::CONTENT_TYPE, media);
                response
            }
            ErrorForm::OpenAi => axum::Json(ErrorBody::from(&self)).into_response(),
        };
        *response.status_mut() = status;
        let headers = response.headers_mut();
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// The body is written where the request id is known, see
/// [`request_id`](crate::request_id).
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        if let Ok(status) = StatusCode::from_u16(self.status) {
            *response.status_mut() = status;
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        match error {
            HostError::UnknownMode { .. } => Self::bad_request("unknown_mode", error.to_string()),
            HostError::Store(error) => error.into(),
            HostError::Plugin(error) => error.into(),
            other => Self::internal(&other),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let retryable = error.is_retryable();
        match error {
            Error::InvalidInput { message } => Self::bad_request("invalid_parameter", message),
            Error::NotFound { .. } => Self::bad_request("unknown_name", error.to_string()),
            Error::Timeout { limit, .. } => {
                // What took too long may name a server.
                tracing::warn!(%error, "a request took too long");
                let detail = format!(
                    "a part of the request took longer than its limit of {:.1} seconds: \
                     `request_timeout_seconds`, or a shorter limit of that part; the log says \
                     which part",
                    limit.as_secs_f64()
                );
                Self::new(StatusCode::GATEWAY_TIMEOUT, "timeout", detail)
            }
            Error::Store { .. } if retryable => {
                tracing::warn!(%error, "the store is not available");
                store_unavailable()
            }
            Error::Provider { ref provider, .. } => {
                tracing::warn!(%error, "a provider failed");
                let detail = format!("the provider `{provider}` failed");
                let status = StatusCode::SERVICE_UNAVAILABLE;
                let problem = Self::new(status, "provider_failed", detail);
                match retryable {
                    true => problem.retry_after(RETRY_AFTER),
                    false => problem,
                }
            }
            Error::Unavailable { ref message } if names_a_file(message) => {
                tracing::warn!(%error, "a part of the service cannot be used");
                let detail = "a part of the service cannot be used; the log has the reason";
                Self::unavailable("unavailable", detail)
            }
            Error::Unavailable { message } => Self::unavailable("unavailable", message),
            other => Self::internal(&other),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        if error.is_retryable() || error.is_unreachable() {
            tracing::warn!(%error, "the store is not available");
            return store_unavailable();
        }
        match error {
            StoreError::InvalidRequest { .. } | StoreError::InvalidEntry { .. } => {
                Self::bad_request("invalid_parameter", error.to_string())
            }
            StoreError::ReadOnlyFolder { .. } | StoreError::OnlyRead { .. } => {
                tracing::warn!(%error, "the store is read-only");
                let detail = "the store is read-only, so nothing can be written";
                Self::new(StatusCode::CONFLICT, "read_only", detail)
            }
            StoreError::ModelChanged { .. } | StoreError::NotTheWriter { .. } => {
                tracing::warn!(%error, "the state of the store forbids a request");
                let detail = "the state of the store does not allow this; see `gannet doctor`";
                Self::new(StatusCode::CONFLICT, "conflict", detail)
            }
            StoreError::DiskFull { .. } => Self::disk_full(&error),
            other => Self::internal(&other),
        }
    }
}

fn store_unavailable() -> Problem {
    Problem::unavailable("store_unavailable", "the store is not available; try again")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_kinds_of_store_errors_are_told_apart() {
        let busy = Problem::from(StoreError::Busy { action: "read" });
        assert_eq!((busy.status, busy.code), (503, "store_unavailable"));
        assert!(busy.retry_after.is_some());
        let read_only = Problem::from(StoreError::OnlyRead {
            database: "db.example".to_owned(),
            action: "write",
        });
        assert_eq!((read_only.status, read_only.code), (409, "read_only"));
        let closed = Problem::from(StoreError::Closed);
        assert_eq!((closed.status, closed.code), (500, "internal"));
    }

    #[test]
    fn what_may_be_tried_again_is_what_ariel_tries_again() {
        for case in gannet_test_cases::cases("ariel.jsonl", "exception") {
            let problem = match case["input"]["class"].as_str().unwrap_or_default() {
                "EmbeddingGenerationError" => Problem::from(Error::Provider {
                    provider: "embedder".to_owned(),
                    message: String::new(),
                    retryable: true,
                }),
                "DatabaseConnectionError" => Problem::from(StoreError::Busy { action: "read" }),
                "ConfigurationError" => Problem::from(Error::configuration("store.uri", "")),
                "ModuleNotEnabledError" => Problem::from(HostError::UnknownMode {
                    mode: "semantic".to_owned(),
                    hint: String::new(),
                    available: String::new(),
                }),
                "AdapterNotFoundError" => Problem::from(Error::not_found("adapter", "unknown")),
                "SearchExecutionError" => Problem::from(Error::internal("failed")),
                // Statements that fail are faults here; nothing is ingested
                // over HTTP.
                _ => continue,
            };
            let may_pass = case["expected"]["is_retriable"].as_bool();
            assert_eq!(Some(problem.retry_after.is_some()), may_pass, "{case}");
        }
    }

    #[test]
    fn what_took_too_long_is_told_with_the_limit_that_it_had() {
        let problem = Problem::from(Error::Timeout {
            operation: "kb_ring: the request to canary.lab.example".to_owned(),
            limit: Duration::from_millis(29_999),
        });
        assert_eq!((problem.status, problem.code), (504, "timeout"));
        let limit = "its limit of 30.0 seconds";
        assert!(problem.detail.contains(limit), "{}", problem.detail);
        assert!(!problem.detail.contains("canary"), "{}", problem.detail);
    }

    #[test]
    fn nothing_of_the_inside_is_told() {
        let provider = Problem::from(Error::Provider {
            provider: "openai".to_owned(),
            message: "401: the key sk-canary is wrong".to_owned(),
            retryable: false,
        });
        assert_eq!((provider.status, provider.code), (503, "provider_failed"));
        let store = Problem::from(Error::Store {
            message: "SELECT canary FROM /data/store.db".to_owned(),
            retryable: false,
        });
        for problem in [provider, store] {
            assert!(!problem.detail.contains("canary"), "{}", problem.detail);
        }
    }
}
