//! Errors in OpenAI's form, `{"error": {"message", "type", "param", "code"}}`,
//! with OpenAI's statuses: clients of that interface make their exceptions of
//! them. Every error below `/v1/` has this form, also one of a layer that knows
//! nothing of OpenAI.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use gannet_core::HostError;
use gannet_core::api::Error;
use schemars::JsonSchema;
use serde::Serialize;

use crate::problem::{ErrorForm, Problem};

/// What the paths of this interface begin with.
const PREFIX: &str = "/v1/";
/// Where the routes of unified search are.
const UNIFIED: &str = "/v1/search/";

/// The body of an error.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiErrorBody")]
pub(crate) struct ErrorBody {
    /// The error.
    error: OpenAiError,
}

/// An error as OpenAI's interface tells it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpenAiError {
    /// What is wrong and what to do, for a person.
    message: String,
    /// `invalid_request_error`, `requests` for too many of them, or
    /// `server_error`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The field of the request that is wrong, where it is one.
    param: Option<Box<str>>,
    /// Which error it is, for a program: OpenAI's code where it has one, else
    /// that of problems.
    code: &'static str,
}

impl From<&Problem> for ErrorBody {
    fn from(problem: &Problem) -> Self {
        Self {
            error: OpenAiError {
                message: problem.detail.clone(),
                kind: kind_of(problem.status),
                param: problem.param.clone(),
                code: code_of(problem.code),
            },
        }
    }
}

/// Whether errors of this path have OpenAI's form. Unified search is below
/// `/v1/` too and is no part of that interface.
pub(crate) fn is_openai(path: &str) -> bool {
    path.starts_with(PREFIX) && !path.starts_with(UNIFIED)
}

/// Gives problems below `/v1/` OpenAI's form and status.
pub(crate) async fn in_openais_form(request: Request, next: Next) -> Response {
    let is_openai = is_openai(request.uri().path());
    let mut response = next.run(request).await;
    if !is_openai {
        return response;
    }
    if let Some(problem) = response.extensions_mut().get_mut::<Problem>() {
        problem.form = ErrorForm::OpenAi;
        // OpenAI's interface has no 422.
        if problem.status == StatusCode::UNPROCESSABLE_ENTITY.as_u16() {
            problem.status = StatusCode::BAD_REQUEST.as_u16();
            *response.status_mut() = StatusCode::BAD_REQUEST;
        }
    }
    response
}

/// 404 for a `model` that is none, as OpenAI says it; other errors as they are.
pub(super) fn of_model(error: HostError) -> Problem {
    match error {
        HostError::UnknownMode { .. } | HostError::Plugin(Error::NotFound { .. }) => {
            let status = StatusCode::NOT_FOUND;
            Problem::new(status, "model_not_found", error.to_string()).param("model")
        }
        error => error.into(),
    }
}

fn kind_of(status: u16) -> &'static str {
    match status {
        429 => "requests",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

fn code_of(code: &'static str) -> &'static str {
    match code {
        "login_required" | "login_refused" => "invalid_api_key",
        "rate_limited" => "rate_limit_exceeded",
        code => code,
    }
}
