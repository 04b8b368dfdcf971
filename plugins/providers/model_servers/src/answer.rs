//! An answer that has begun.

use std::time::Duration;

use gannet_plugin::Result;
use reqwest::Response;
use reqwest::header::TRANSFER_ENCODING;
use serde_json::Value;

use crate::endpoint::{Endpoint, with_causes};

/// Bytes of one answer at most: a server that never ends must not fill the
/// memory.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// Bytes of an error that are read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// How long the end of a connection is waited for, so that it can be used
/// again.
const DRAIN: Duration = Duration::from_millis(50);

/// The body of an answer, as it comes.
pub(crate) struct Answer {
    response: Response,
    endpoint: Endpoint,
    received: usize,
}

impl Answer {
    pub(crate) fn new(response: Response, endpoint: Endpoint) -> Self {
        Self {
            response,
            endpoint,
            received: 0,
        }
    }

    /// Who gives it.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Whether its end can be told from a connection that broke.
    pub(crate) fn has_a_marked_end(&self) -> bool {
        self.response.headers().contains_key(TRANSFER_ENCODING)
            || self.response.content_length().is_some()
    }

    /// The next bytes, or none at the end.
    pub(crate) async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        let next = tokio::time::timeout(self.endpoint.timeout, self.response.chunk()).await;
        let piece = next
            .map_err(|_| self.endpoint.timed_out())?
            .map_err(|error| {
                let causes = with_causes(error);
                let what = format!("broke off in the middle of its answer: {causes}");
                self.endpoint.failed(what, true)
            })?;
        self.received += piece.as_ref().map_or(0, |piece| piece.len());
        if self.received > MAX_BYTES {
            let what = format!("gave more than {} MB", MAX_BYTES / 1024 / 1024);
            return Err(self.endpoint.failed(what, false));
        }
        Ok(piece.map(|piece| piece.to_vec()))
    }

    /// The whole of it as JSON.
    pub(crate) async fn json(mut self) -> Result<Value> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece().await? {
            body.extend(piece);
        }
        serde_json::from_slice(&body).map_err(|error| {
            let raw = String::from_utf8_lossy(&body);
            self.endpoint
                .unreadable(format!("is no JSON ({error})"), &raw)
        })
    }

    /// What there is of a short text; an error's body may break off.
    pub(crate) async fn beginning(&mut self) -> String {
        let mut body = Vec::new();
        while body.len() < MAX_ERROR_BYTES {
            match self.piece().await {
                Ok(Some(piece)) => body.extend(piece),
                Ok(None) | Err(_) => break,
            }
        }
        String::from_utf8_lossy(&body).into_owned()
    }

    /// Waits a moment for the end of an answer that has all it needs.
    pub(crate) async fn drain(&mut self) {
        let _ = tokio::time::timeout(DRAIN, self.response.chunk()).await;
    }
}
