//! OTLP over HTTP in JSON: one request with spans, and what it is answered
//! with.

use std::time::Duration;

use gannet_outbound::OutboundClient;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::{Value, json};

use super::headers::Headers;
use super::span::{Span, attribute};

/// Bytes of an answer that are read at most.
const LONGEST_ANSWER: usize = 64 << 10;

/// A collector, and whose spans it is sent.
pub(super) struct Collector {
    pub client: OutboundClient,
    pub endpoint: Url,
    pub headers: Headers,
    pub service_name: String,
}

/// Why spans were not taken.
#[derive(Debug)]
pub(super) struct Refused {
    /// For the log.
    pub reason: String,
    /// Whether the same may be sent again.
    pub is_retryable: bool,
    /// How long the collector asks to wait.
    pub retry_after: Option<Duration>,
}

impl Collector {
    /// Sends spans. Of those that were taken, so many were rejected.
    ///
    /// # Errors
    /// [`Refused`] where none was taken.
    pub async fn send(&self, body: String) -> Result<usize, Refused> {
        let request = self.client.request(Method::POST, self.endpoint.clone());
        let request = request.map_err(|error| Refused::once(error.to_string()))?;
        let headers = self.headers.read().map_err(Refused::once)?;
        let request = request.headers(headers);
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let response = request.send().await.map_err(|error| Refused {
            reason: causes(&error),
            is_retryable: true,
            retry_after: None,
        })?;
        let status = response.status();
        if !status.is_success() {
            return Err(Refused::by(&response));
        }
        Ok(rejected(&read(response).await))
    }

    /// The body of a request.
    pub fn body(&self, spans: &[Span]) -> String {
        let resource = [
            ("service.name", self.service_name.as_str()),
            ("service.version", env!("CARGO_PKG_VERSION")),
        ];
        let resource = resource.iter();
        let resource = resource.filter_map(|(name, text)| attribute(name, &Value::from(*text)));
        let spans: Vec<Value> = spans.iter().map(Span::to_json).collect();
        let scope = json!({ "name": "gannet", "version": env!("CARGO_PKG_VERSION") });
        let body = json!({ "resourceSpans": [{
            "resource": { "attributes": resource.collect::<Vec<_>>() },
            "scopeSpans": [{ "scope": scope, "spans": spans }],
        }] });
        body.to_string()
    }
}

impl Refused {
    fn once(reason: String) -> Self {
        Self {
            reason,
            is_retryable: false,
            retry_after: None,
        }
    }

    /// Only these statuses may be tried again, as OTLP says.
    fn by(response: &Response) -> Self {
        let status = response.status();
        let seconds = response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
        Self {
            reason: format!("status {status}"),
            is_retryable: matches!(
                status,
                StatusCode::TOO_MANY_REQUESTS
                    | StatusCode::BAD_GATEWAY
                    | StatusCode::SERVICE_UNAVAILABLE
                    | StatusCode::GATEWAY_TIMEOUT
            ),
            retry_after: seconds.map(Duration::from_secs),
        }
    }
}

/// An error with what caused it, without the address.
fn causes(error: &reqwest::Error) -> String {
    let mut text = match error.is_timeout() {
        true => "no answer in time".to_owned(),
        false => "no answer".to_owned(),
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// An answer, as far as it is read. What cannot be read tells nothing.
async fn read(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        body.extend_from_slice(&piece);
        if body.len() > LONGEST_ANSWER {
            break;
        }
    }
    body
}

/// How many spans an answer says were rejected: a number, or a string of one.
fn rejected(answer: &[u8]) -> usize {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let count = &answer["partialSuccess"]["rejectedSpans"];
    let count = count.as_u64().or_else(|| count.as_str()?.parse().ok());
    usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_tells_how_many_spans_were_rejected() {
        for (answer, count) in [
            ("{}", 0),
            ("", 0),
            ("no JSON", 0),
            (r#"{"partialSuccess": {"rejectedSpans": "3"}}"#, 3),
            (r#"{"partialSuccess": {"rejectedSpans": 4}}"#, 4),
            (r#"{"partialSuccess": {"rejectedSpans": "-1"}}"#, 0),
        ] {
            assert_eq!(rejected(answer.as_bytes()), count, "{answer}");
        }
    }
}
