//! Services over HTTP that an adapter reads from.

use std::time::Duration;

use gannet_plugin::http::{HttpRequest, HttpResponse};
use gannet_plugin::prelude::{Context, Result};

use crate::Retry;

/// How long a service may take, and how often it is asked again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RequestLimits {
    /// How long one request may take, in seconds.
    pub timeout_seconds: u64,
    /// How often a request is repeated that fails.
    pub max_retries: u32,
    /// The wait before the first repetition, in seconds; it doubles with each
    /// further one.
    pub retry_delay_seconds: f64,
}

/// A service, and how it is asked in one call.
#[derive(Clone)]
pub struct HttpService {
    url: String,
    timeout: Duration,
    retry: Retry,
    context: Context,
}

impl HttpService {
    /// The service at an address.
    pub fn new(url: String, limits: RequestLimits, context: &Context) -> Self {
        Self {
            url,
            timeout: Duration::from_secs(limits.timeout_seconds),
            retry: Retry {
                attempts: limits.max_retries.saturating_add(1),
                delay: Duration::from_secs_f64(limits.retry_delay_seconds),
            },
            context: context.clone(),
        }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sends a request to it, again where that can help.
    ///
    /// # Errors
    /// Those of [`Retry::http`].
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse> {
        let request = request.with_timeout(self.timeout);
        self.retry.http(&self.context, request).await
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::testing::FakeHost;

    use super::*;

    #[test]
    fn a_request_has_the_timeout_and_is_repeated_as_often_as_that_is_allowed() {
        let host = FakeHost::default().on_http(|_| Ok(HttpResponse::new(503, "busy")));
        let limits = RequestLimits {
            timeout_seconds: 7,
            max_retries: 2,
            retry_delay_seconds: 0.0,
        };
        let url = "https://log.lab.example/search";
        let service = HttpService::new(url.to_owned(), limits, &host.context());
        let request = HttpRequest::get(service.url());
        let error = pollster::block_on(service.send(request)).unwrap_err();

        assert!(error.to_string().contains("status 503: busy"), "{error}");
        let asked = host.calls().http;
        assert_eq!(asked.len(), 3);
        for request in asked {
            assert_eq!(request.url, url);
            assert_eq!(request.timeout, Some(Duration::from_secs(7)));
        }
    }
}
