//! One attempt at asking a server.

use std::time::Duration;

use gannet_plugin::Error;
use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;
use reqwest::{RequestBuilder, Response};

use crate::answer::Answer;
use crate::endpoint::{Endpoint, with_causes};
use crate::retry;

/// An attempt that failed.
pub(crate) struct Failure {
    /// What the server did, to follow its place.
    pub(crate) what: String,
    /// Whether it answered at all.
    pub(crate) is_answer: bool,
    /// Whether another attempt may go better at once.
    pub(crate) is_passing: bool,
    /// When the server says to come back.
    pub(crate) retry_after: Option<Duration>,
    is_time_out: bool,
}

impl Failure {
    /// The error, with what the server answered before where it says nothing
    /// now.
    pub(crate) fn error(self, endpoint: &Endpoint, answered: Option<String>) -> Error {
        match answered.filter(|_| !self.is_answer) {
            Some(answered) => {
                let what = format!("{answered}; asked again, it {}", self.what);
                endpoint.failed(what, true)
            }
            None if self.is_time_out => endpoint.timed_out(),
            None => endpoint.failed(self.what, self.is_passing),
        }
    }
}

/// Asks once, until an answer begins.
pub(crate) async fn attempt_once(
    request: RequestBuilder,
    endpoint: &Endpoint,
) -> Result<Response, Failure> {
    let sent = tokio::time::timeout(endpoint.timeout, request.send())
        .await
        .map_err(|_| Failure {
            what: format!("did not answer within {} s", endpoint.timeout.as_secs()),
            is_answer: false,
            // A server that is slow is not given the same work again.
            is_passing: false,
            retry_after: None,
            is_time_out: true,
        })?;
    let response = sent.map_err(|error| Failure {
        what: format!("cannot be asked: {}", with_causes(error)),
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

/// The server answered with an error.
async fn refusal(response: Response, endpoint: &Endpoint) -> Failure {
    let status = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|header| retry::retry_after(header.to_str().ok()?, Timestamp::now()));
    let mut answer = Answer::new(response, endpoint.clone());
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
