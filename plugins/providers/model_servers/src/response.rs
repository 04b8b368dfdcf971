//! The body of a response.

use std::time::Duration;

use gannet_plugin::prelude::Result;
use reqwest::Response;
use reqwest::header::TRANSFER_ENCODING;
use serde_json::Value;

use crate::endpoint::{Endpoint, with_causes};

/// Maximum size of a response in bytes, including the framing of a stream.
const MAX_RECEIVED: usize = 256 * MIB;

/// Maximum size of a turn of a chat model, and of each line or JSON value of it,
/// in bytes.
pub(crate) const MAX_TURN: usize = 4 * MIB;

/// Maximum size of a number of a vector in JSON, in bytes.
const NUMBER: usize = 64;

const MIB: usize = 1024 * 1024;

/// Maximum size of an error that is read, in bytes.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// How long to wait for the end of a response, so that the connection can be
/// reused.
const DRAIN: Duration = Duration::from_millis(50);

/// The body of a response, as a stream.
pub(crate) struct ChatResponse {
    response: Response,
    endpoint: Endpoint,
    received: usize,
}

impl ChatResponse {
    pub(crate) fn new(response: Response, endpoint: Endpoint) -> Self {
        Self {
            response,
            endpoint,
            received: 0,
        }
    }

    /// The endpoint it comes from.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Whether its end can be distinguished from a broken connection.
    pub(crate) fn has_a_marked_end(&self) -> bool {
        self.response.headers().contains_key(TRANSFER_ENCODING)
            || self.response.content_length().is_some()
    }

    /// The next bytes; `None` at the end.
    pub(crate) async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        let next = tokio::time::timeout(self.endpoint.timeout, self.response.chunk()).await;
        let piece = next
            .map_err(|_| self.endpoint.timed_out())?
            .map_err(|error| {
                let causes = with_causes(error);
                let what = format!("interrupted its response: {causes}");
                self.endpoint.failed(what, true)
            })?;
        self.received += piece.as_ref().map_or(0, |piece| piece.len());
        if self.received > MAX_RECEIVED {
            return Err(self.endpoint.too_long(MAX_RECEIVED));
        }
        Ok(piece.map(|piece| piece.to_vec()))
    }

    /// The whole body as JSON, of at most this many bytes.
    pub(crate) async fn json(mut self, max_bytes: usize) -> Result<Value> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece().await? {
            body.extend(piece);
            if body.len() > max_bytes {
                return Err(self.endpoint.too_long(max_bytes));
            }
        }
        serde_json::from_slice(&body).map_err(|error| {
            let raw = String::from_utf8_lossy(&body);
            self.endpoint
                .unreadable(format!("is not JSON ({error})"), &raw)
        })
    }

    /// The available part of a short text; the body of an error may be incomplete.
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

    /// Waits briefly for the end of a complete response.
    pub(crate) async fn drain(&mut self) {
        let _ = tokio::time::timeout(DRAIN, self.response.chunk()).await;
    }
}

/// Maximum size of JSON with this many vectors, in bytes.
pub(crate) fn max_of_vectors(count: usize, dimension: usize) -> usize {
    let numbers = count.saturating_mul(dimension).saturating_mul(NUMBER);
    numbers.saturating_add(MAX_TURN).min(MAX_RECEIVED)
}

/// Maximum size of JSON with scores of these texts, in bytes. Some servers repeat
/// the texts, with up to six bytes per byte.
pub(crate) fn max_of_scores(texts: &[impl AsRef<str>]) -> usize {
    let bytes: usize = texts.iter().map(|text| text.as_ref().len()).sum();
    let repeated = bytes.saturating_mul(6);
    repeated.saturating_add(MAX_TURN).min(MAX_RECEIVED)
}
