//! A single request to a server.

use std::time::Duration;

use gannet_plugin::prelude::Error;
use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;
use reqwest::{RequestBuilder, Response};

use crate::endpoint::{Endpoint, with_causes};
use crate::response::ChatResponse;
use crate::retry;

/// A failed request.
pub(crate) struct Failure {
    /// What the server did, as a predicate after its name.
    pub(crate) what: String,
    /// Whether the server responded.
    pub(crate) is_answer: bool,
    /// Whether a retry may succeed.
    pub(crate) is_passing: bool,
    /// The delay of `Retry-After`.
    pub(crate) retry_after: Option<Duration>,
    is_time_out: bool,
}

impl Failure {
    /// The error, with an earlier response of the server if it sends none now.
    pub(crate) fn error(self, endpoint: &Endpoint, answered: Option<String>) -> Error {
        match answered.filter(|_| !self.is_answer) {
            Some(answered) => {
                let what = format!("{answered}; after a retry, it {}", self.what);
                endpoint.failed(what, true)
            }
            None if self.is_time_out => endpoint.timed_out(),
            None => endpoint.failed(self.what, self.is_passing),
        }
    }
}

/// Sends the request once and waits for the beginning of the response.
pub(crate) async fn attempt_once(
    request: RequestBuilder,
    endpoint: &Endpoint,
) -> Result<Response, Failure> {
    let sent = tokio::time::timeout(endpoint.timeout, request.send())
        .await
        .map_err(|_| Failure {
            what: format!("did not respond within {} s", endpoint.timeout.as_secs()),
            is_answer: false,
            // A timeout is not retried: a slow server would get the same work again.
            is_passing: false,
            retry_after: None,
            is_time_out: true,
        })?;
    let response = sent.map_err(|error| Failure {
        what: format!("request failed: {}", with_causes(error)),
        is_answer: false,
        is_passing: true,
        retry_after: None,
        is_time_out: false,
    })?;
    match response.status().is_success() {
        true => Ok(response),
        false => Err(refusal(response, endpoint).await),
    }
}

/// The server responded with an error.
async fn refusal(response: Response, endpoint: &Endpoint) -> Failure {
    let status = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|header| retry::retry_after(header.to_str().ok()?, Timestamp::now()));
    let mut answer = ChatResponse::new(response, endpoint.clone());
    let said = endpoint.excerpt(&answer.beginning().await);
    let advice = match (status.as_u16(), retry_after) {
        (401 | 403, _) => "; check `api_key`".to_owned(),
        (404, _) => "; check `base_url` and `model`".to_owned(),
        (300..=399, _) => "; redirects are not followed, check `base_url`".to_owned(),
        (_, Some(wait)) if !wait.is_zero() => format!("; retry after {} s", wait.as_secs()),
        _ => String::new(),
    };
    Failure {
        what: format!("answered {status}: {said}{advice}"),
        is_answer: true,
        is_passing: retry::is_passing(status.as_u16()),
        retry_after,
        is_time_out: false,
    }
}
