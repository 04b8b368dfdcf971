//! What a tool that failed tells the agent.

use gannet_core::HostError;
use gannet_core::api::{Error, ToolError};
use gannet_core::store::StoreError;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::auth::Scope;
use crate::backend::SearchFailure;
use crate::problem::Problem;

/// The types of failures, by ARIEL's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// The arguments cannot be used.
    Validation,
    /// What was named does not exist.
    NotFound,
    /// It is switched off, or not part of this server.
    NotSupported,
    /// The caller lacks a scope.
    AuthRequired,
    /// The store or a provider cannot be reached, or took too long.
    ServiceUnavailable,
    /// Anything else.
    Internal,
}

/// Why a call of a tool gave no result. The texts are for the agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct ToolFailure {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    /// What the agent can do instead.
    pub(super) suggestions: Vec<String>,
}

impl FailureKind {
    fn name(self) -> &'static str {
        match self {
            Self::Validation => "validation_error",
            Self::NotFound => "not_found",
            Self::NotSupported => "not_supported",
            Self::AuthRequired => "auth_required",
            Self::ServiceUnavailable => "service_unavailable",
            Self::Internal => "internal_error",
        }
    }
}

impl ToolFailure {
    pub(super) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            suggestions: Vec::new(),
        }
    }

    pub(super) fn validation(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Validation, message)
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new(FailureKind::NotFound, message)
    }

    /// The caller lacks a scope that this tool needs.
    pub(super) fn missing_scope(tool: &str, scope: Scope) -> Self {
        let message = format!("`{tool}` needs the scope `{scope}`");
        Self::new(FailureKind::AuthRequired, message)
            .suggest("ask an administrator for a key with this scope")
    }

    /// With one more thing that the agent can do.
    pub(super) fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestions.push(suggestion.into());
        self
    }

    /// ARIEL's envelope.
    fn envelope(&self) -> Value {
        json!({
            "error": true,
            "error_type": self.kind.name(),
            "error_message": self.message,
            "suggestions": self.suggestions,
        })
    }
}

/// As a result of the call, so that the agent reads it; a JSON-RPC error is
/// often kept from the model.
impl From<ToolFailure> for CallToolResult {
    fn from(failure: ToolFailure) -> Self {
        let envelope = failure.envelope();
        let mut result = Self::error(vec![ContentBlock::text(envelope.to_string())]);
        result.structured_content = Some(envelope);
        result
    }
}

impl From<ToolError> for ToolFailure {
    fn from(error: ToolError) -> Self {
        let failure = Self::validation(error.to_string());
        match error {
            ToolError::EmptyQuery => {
                failure.suggest("pass the words or the question to search for as `query`")
            }
            _ => failure,
        }
    }
}

impl From<SearchFailure> for ToolFailure {
    fn from(failure: SearchFailure) -> Self {
        match failure {
            SearchFailure::Refused(problem) => problem.into(),
            SearchFailure::Host(error) => error.into(),
        }
    }
}

impl From<Problem> for ToolFailure {
    fn from(problem: Problem) -> Self {
        match problem.status {
            403 => Self::new(FailureKind::AuthRequired, problem.detail)
                .suggest("ask an administrator for a key with this scope"),
            503 => Self::new(FailureKind::ServiceUnavailable, problem.detail)
                .suggest("try again in a moment"),
            _ => Self::new(FailureKind::Internal, problem.detail).suggest("try another tool"),
        }
    }
}

impl From<HostError> for ToolFailure {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Plugin(error) => error.into(),
            HostError::Store(error) => error.into(),
            HostError::UnknownMode { .. } => Self::not_found(error.to_string()),
            other => internal("the host", &other),
        }
    }
}

impl From<StoreError> for ToolFailure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::InvalidRequest { .. } | StoreError::InvalidEntry { .. } => {
                Self::validation(error.to_string())
            }
            StoreError::ReadOnlyFolder { .. } => {
                tracing::warn!(%error, "a tool cannot write");
                Self::new(FailureKind::NotSupported, "the store is read-only")
            }
            other if other.is_retryable() || other.is_unreachable() => unavailable("store", &other),
            other => internal("the store", &other),
        }
    }
}

impl From<Error> for ToolFailure {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidInput { message } => Self::validation(message),
            Error::NotFound { .. } => Self::not_found(error.to_string()),
            Error::Timeout { .. }
            | Error::Unavailable { .. }
            | Error::Provider { .. }
            | Error::Store {
                retryable: true, ..
            } => unavailable(error.category(), &error),
            other => internal(other.category(), &other),
        }
    }
}

/// The whole error is for the operator: it may name files and addresses.
fn unavailable(category: &str, error: &dyn std::error::Error) -> ToolFailure {
    tracing::warn!(%error, "a tool is unavailable");
    let message = format!("the service is unavailable ({category})");
    ToolFailure::new(FailureKind::ServiceUnavailable, message)
        .suggest("try again in a moment")
        .suggest("use `keyword_search`, which needs no embedder and no model")
}

fn internal(category: &str, error: &dyn std::error::Error) -> ToolFailure {
    tracing::error!(%error, "a tool failed");
    let message = format!("the call failed in {category}; the log of the server has the reason");
    ToolFailure::new(FailureKind::Internal, message).suggest("try another tool")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_store_tells_the_agent_no_path_and_no_statement() {
        let error = Error::Store {
            message: "SELECT * FROM entries: /srv/log/store.db is locked".to_owned(),
            retryable: true,
        };
        let failure = ToolFailure::from(error);
        assert_eq!(failure.kind, FailureKind::ServiceUnavailable);
        let told = failure.envelope().to_string();
        assert!(!told.contains("SELECT") && !told.contains("/srv"), "{told}");
        assert!(told.contains("try again"), "{told}");
    }

    #[test]
    fn a_refused_argument_is_told_as_it_is() {
        let failure = ToolFailure::from(Error::invalid_input("`max_results` is 0"));
        assert_eq!(failure.envelope()["error_type"], "validation_error");
        assert_eq!(failure.envelope()["error_message"], "`max_results` is 0");
    }
}
