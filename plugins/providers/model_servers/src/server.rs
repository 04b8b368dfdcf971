//! A server: its address, its requests and retries.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use gannet_outbound::{Origin, OutboundClient, OutboundOptions};
use gannet_plugin::prelude::{Error, Result};
use gannet_plugin::setup::Secret;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde_json::Value;

use crate::attempt::attempt_once;
use crate::endpoint::Endpoint;
use crate::response::ChatResponse;
use crate::retry;

/// A connection to a server.
pub(crate) struct Server {
    instance: String,
    base: Url,
    key: Option<Secret>,
    headers: BTreeMap<String, Secret>,
    timeout: Duration,
    max_retries: u32,
    allow_private_addresses: bool,
    client: OnceLock<OutboundClient>,
}

/// The settings of a server.
pub(crate) struct Access {
    pub(crate) base_url: String,
    pub(crate) key: Option<Secret>,
    pub(crate) headers: BTreeMap<String, Secret>,
    pub(crate) timeout_seconds: u64,
    pub(crate) allow_private_addresses: bool,
    pub(crate) max_retries: u32,
}

impl Server {
    /// Opens no connection and reads no key.
    ///
    /// # Errors
    /// [`Error::Configuration`] if the address is invalid or may contain a secret.
    pub(crate) fn new(instance: &str, access: Access) -> Result<Self> {
        let refused = |why: String| {
            let key = setting(instance, "base_url");
            Error::configuration(key, format!("{why}; write http://HOST:PORT/PATH"))
        };
        let text = access.base_url.trim().trim_end_matches('/');
        let base = Url::parse(text).map_err(|error| refused(format!("no address: {error}")))?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(refused("not the address of a server".to_owned()));
        }
        if holds_more_than_a_place(&base) {
            // Not repeated, because it may be a key.
            let why = "the address must not contain a user, a password, a query or a fragment; \
                       use `api_key` or `headers`";
            return Err(refused(why.to_owned()));
        }
        Origin::configured(text).map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            instance: instance.to_owned(),
            base,
            key: access.key,
            headers: access.headers,
            timeout: Duration::from_secs(access.timeout_seconds),
            max_retries: access.max_retries,
            allow_private_addresses: access.allow_private_addresses,
            client: OnceLock::new(),
        })
    }

    /// A setting is invalid or missing.
    pub(crate) fn misconfigured(&self, name: &str, message: impl Into<String>) -> Error {
        Error::configuration(setting(&self.instance, name), message)
    }

    /// Sends a request, with retries, and waits for the beginning of the response.
    ///
    /// # Errors
    /// [`Error::Configuration`] if the key is missing, [`Error::Timeout`], otherwise
    /// [`Error::Provider`] with the response of the server.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<ChatResponse> {
        let (headers, secrets) = self.headers()?;
        let url = self.url(path);
        let endpoint = Endpoint {
            instance: self.instance.clone(),
            place: place(&url),
            timeout: self.timeout,
            secrets,
        };
        let client = self.client()?;
        // The last response to earlier attempts.
        let mut answered = None;
        for attempt in 0.. {
            let request = client.request(Method::POST, url.clone());
            let request = request.map_err(|error| endpoint.failed(error, false))?;
            let request = request.headers(headers.clone()).json(body);
            let failure = match attempt_once(request, &endpoint).await {
                Ok(response) => return Ok(ChatResponse::new(response, endpoint)),
                Err(failure) => failure,
            };
            let wait = match failure.is_passing && attempt < self.max_retries {
                true => retry::wait(attempt, failure.retry_after, self.timeout),
                false => None,
            };
            let Some(wait) = wait else {
                return Err(failure.error(&endpoint, answered));
            };
            tracing::debug!(what = %endpoint.hidden(&failure.what), ?wait, "retrying the request");
            if failure.is_answer {
                answered = Some(failure.what);
            }
            tokio::time::sleep(wait).await;
        }
        Err(endpoint.timed_out())
    }

    /// The address with a path.
    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let path = path.trim_start_matches('/');
        if !path.is_empty() {
            let base = url.path().trim_end_matches('/').to_owned();
            url.set_path(&format!("{base}/{path}"));
        }
        url
    }

    /// The headers, and the secrets among their values.
    fn headers(&self) -> Result<(HeaderMap, Vec<String>)> {
        let mut headers = HeaderMap::new();
        let mut secrets = Vec::new();
        let key = self
            .key
            .iter()
            .map(|key| (AUTHORIZATION.as_str(), key, "Bearer ", "api_key".to_owned()));
        let others = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value, "", format!("headers.{name}")));
        for (name, secret, before, place) in key.chain(others) {
            let refused = |why: String| self.misconfigured(&place, why);
            let value = secret.read().map_err(|error| refused(error.to_string()))?;
            let name: HeaderName = name
                .parse()
                .map_err(|_| refused("not a header name".to_owned()))?;
            let mut header: HeaderValue = format!("{before}{value}").parse().map_err(|_| {
                refused("the value has characters that are not allowed in a header".to_owned())
            })?;
            header.set_sensitive(true);
            headers.insert(name, header);
            // A server may repeat the token of `Bearer TOKEN` alone.
            let token = value
                .split_once(' ')
                .map(|(_, token)| token.trim().to_owned());
            secrets.push(value);
            secrets.extend(token.filter(|token| !token.is_empty()));
        }
        Ok((headers, secrets))
    }

    /// Created by the first call, because it reads the system certificates.
    fn client(&self) -> Result<OutboundClient> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let options = OutboundOptions {
            allow_private_addresses: self.allow_private_addresses,
            ..OutboundOptions::default()
        };
        let origin = Origin::of(&self.base);
        let client = origin.and_then(|origin| OutboundClient::new(origin, options));
        let client = client.map_err(|error| Error::internal(error.to_string()))?;
        Ok(self.client.get_or_init(|| client).clone())
    }
}

/// The key of a setting of a provider.
fn setting(instance: &str, name: &str) -> String {
    format!("providers.{instance}.settings.{name}")
}

/// Whether the address has more than a scheme, a host, a port and a path.
fn holds_more_than_a_place(url: &Url) -> bool {
    !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
}

/// Host, port and path.
fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}"));
    format!("{host}{}{}", port.unwrap_or_default(), url.path())
}
