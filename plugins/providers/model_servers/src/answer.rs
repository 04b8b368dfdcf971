//! An answer that has begun.

use std::time::Duration;

use gannet_plugin::Result;
use reqwest::Response;
use reqwest::header::TRANSFER_ENCODING;
use serde_json::Value;

use crate::endpoint::{Endpoint, with_causes};

/// Bytes of one answer at most, the words around the pieces of a stream
/// included: a server that never ends must not be read for ever.
const MAX_RECEIVED: usize = 256 * MIB;

/// Bytes of a chat model's turn at most, and of one line or JSON of it: more
/// must not fill the memory.
pub(crate) const MAX_TURN: usize = 4 * MIB;

/// Bytes that a number of a vector takes at most, with what is around it.
const NUMBER: usize = 64;

const MIB: usize = 1024 * 1024;

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
                let what = format!("interrupted its response: {causes}");
                self.endpoint.failed(what, true)
            })?;
        self.received += piece.as_ref().map_or(0, |piece| piece.len());
        if self.received > MAX_RECEIVED {
            return Err(self.endpoint.too_long(MAX_RECEIVED));
        }
        Ok(piece.map(|piece| piece.to_vec()))
    }

    /// The whole of it as JSON, of so many bytes at most.
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

/// Bytes of a JSON with so many vectors at most.
pub(crate) fn max_of_vectors(count: usize, dimension: usize) -> usize {
    let numbers = count.saturating_mul(dimension).saturating_mul(NUMBER);
    numbers.saturating_add(MAX_TURN).min(MAX_RECEIVED)
}

/// Bytes of a JSON with scores of these texts at most: some servers repeat the
/// texts, with letters of up to six bytes for one.
pub(crate) fn max_of_scores(texts: &[String]) -> usize {
    let bytes = texts.iter().map(String::len).sum::<usize>();
    let repeated = bytes.saturating_mul(6);
    repeated.saturating_add(MAX_TURN).min(MAX_RECEIVED)
}
