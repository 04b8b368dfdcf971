//! A client for threads that may wait for a server.
//!
//! Requests run on a thread of their own, so that whoever waits may be inside an
//! executor or not. `reqwest::blocking` refuses to be used inside one.

use std::sync::mpsc::sync_channel;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{RequestBuilder, Response};
use tokio::runtime::{Builder, Runtime};

use crate::{Origin, OutboundClient, OutboundError, OutboundOptions};

/// Bytes of a response at most.
const LONGEST_RESPONSE: usize = 256 << 20;

static RUNTIME: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("gannet-outbound")
        .enable_all()
        .build()
});

/// A response that was read to its end.
#[derive(Debug)]
pub struct WaitingResponse {
    /// Its status, such as 200.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

/// A client of one server whose calls wait. After a request without a response
/// the server is left alone for a while: requests fail at once with the same
/// error, so that a server that is away holds nobody up.
#[derive(Debug)]
pub struct WaitingClient {
    client: OutboundClient,
    host: String,
    pause: Duration,
    failed: Mutex<Option<(Instant, OutboundError)>>,
}

impl WaitingClient {
    /// A client of this server. `options` should have a timeout; `pause` is how
    /// long the server is left alone after a failure.
    ///
    /// # Errors
    /// Those of [`OutboundClient::new`].
    pub fn new(
        origin: Origin,
        options: OutboundOptions,
        pause: Duration,
    ) -> Result<Self, OutboundError> {
        Ok(Self {
            host: origin.host().to_owned(),
            client: OutboundClient::new(origin, options)?,
            pause,
            failed: Mutex::default(),
        })
    }

    /// What makes requests for [`send`](Self::send).
    pub fn client(&self) -> &OutboundClient {
        &self.client
    }

    /// Sends a request and waits for the response, whatever its status.
    ///
    /// # Errors
    /// [`OutboundError::NoResponse`].
    pub fn send(&self, request: RequestBuilder) -> Result<WaitingResponse, OutboundError> {
        if let Some(error) = self.recent_failure() {
            return Err(error);
        }
        let response = self.exchange(request);
        let failed = response.as_ref().err().cloned();
        let failed = failed.map(|error| (Instant::now() + self.pause, error));
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed;
        response
    }

    fn recent_failure(&self) -> Option<OutboundError> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, error) = failed.as_ref()?;
        (*until > Instant::now()).then(|| error.clone())
    }

    fn exchange(&self, request: RequestBuilder) -> Result<WaitingResponse, OutboundError> {
        let runtime = RUNTIME.as_ref();
        let runtime = runtime.map_err(|error| OutboundError::Client(error.to_string()))?;
        let (sender, receiver) = sync_channel(1);
        runtime.spawn(async move {
            // Whoever waited may have panicked.
            let _ = sender.send(read(request).await);
        });
        let received = receiver.recv();
        let received = received.unwrap_or_else(|_| Err("the request was dropped".to_owned()));
        received.map_err(|reason| OutboundError::NoResponse {
            host: self.host.clone(),
            reason,
        })
    }
}

async fn read(request: RequestBuilder) -> Result<WaitingResponse, String> {
    let mut response: Response = request.send().await.map_err(reason)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(reason)? {
        if body.len() + chunk.len() > LONGEST_RESPONSE {
            return Err(format!("it is longer than {LONGEST_RESPONSE} bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(WaitingResponse {
        status: response.status().as_u16(),
        body,
    })
}

/// What happened, with the causes and without the address.
fn reason(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return "it takes too long".to_owned();
    }
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        reason.push_str(": ");
        reason.push_str(&inner.to_string());
        cause = inner.source();
    }
    reason
}
