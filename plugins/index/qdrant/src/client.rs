//! Requests to a server, and what its responses say.

use gannet_api::Secret;
use gannet_outbound::{Origin, OutboundOptions, WaitingClient, WaitingResponse};
use reqwest::{Method, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::QdrantError;
use super::settings::Settings;

/// Characters of what a server says that are told.
const LONGEST_REASON: usize = 300;
const NOT_FOUND: u16 = 404;

/// A server of Qdrant.
#[derive(Debug)]
pub(crate) struct Client {
    waiting: WaitingClient,
    base: String,
    key: Option<Secret>,
}

/// What every response has.
#[derive(Deserialize)]
struct Response<T> {
    result: T,
}

impl Client {
    /// A client of the server; nothing is asked.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub(crate) fn new(settings: &Settings) -> Result<Self, QdrantError> {
        let options = OutboundOptions {
            allow_private_addresses: settings.allow_private_addresses,
            timeout: Some(settings.timeout()),
            ..OutboundOptions::default()
        };
        let origin = Origin::configured(&settings.url)?;
        Ok(Self {
            waiting: WaitingClient::new(origin, options, settings.pause())?,
            base: settings.url.trim().trim_end_matches('/').to_owned(),
            key: settings.api_key.clone(),
        })
    }

    /// Asks for what must be there.
    ///
    /// # Errors
    /// A refusal, with 404 among them.
    pub(crate) fn ask<T: DeserializeOwned>(
        &self,
        action: &'static str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<T, QdrantError> {
        let response = self.send(method, path, body)?;
        if !(200..300).contains(&response.status) {
            return Err(QdrantError::Refused {
                action,
                status: response.status,
                reason: reason(&response.body),
            });
        }
        let read = serde_json::from_slice::<Response<T>>(&response.body);
        let read = read.map_err(|error| QdrantError::Malformed {
            action,
            reason: error.to_string(),
        })?;
        Ok(read.result)
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<WaitingResponse, QdrantError> {
        let address = format!("{}{path}", self.base);
        let url = Url::parse(&address).map_err(|error| {
            gannet_outbound::OutboundError::Address(format!("not an address: {error}"))
        })?;
        let mut request = self.waiting.client().request(method, url)?;
        if let Some(key) = &self.key {
            request = request.header("api-key", key.read().map_err(QdrantError::Key)?);
        }
        if !body.is_null() {
            request = request.json(body);
        }
        Ok(self.waiting.send(request)?)
    }
}

/// Whether the server says that a collection is not there.
pub(crate) fn is_missing(error: &QdrantError) -> bool {
    matches!(
        error,
        QdrantError::Refused {
            status: NOT_FOUND,
            ..
        }
    )
}

/// `status.error` of the response, or its beginning.
fn reason(body: &[u8]) -> String {
    let read = serde_json::from_slice::<Value>(body).ok();
    let told = read.as_ref().and_then(|read| read.pointer("/status/error"));
    let told = told.and_then(Value::as_str).map(str::to_owned);
    let told = told.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    told.chars().take(LONGEST_REASON).collect()
}
