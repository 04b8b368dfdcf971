//! The public keys of the identity provider (JWKS), read and kept.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use gannet_outbound::{Origin, OutboundClient, OutboundOptions};
use jsonwebtoken::jwk::JwkSet;
use reqwest::{Method, Url};
use tokio::sync::Mutex;

use super::error::AuthError;

/// How long the provider may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest set of keys that is read.
const MOST_BYTES: usize = 1 << 20;
/// A token with an unknown key makes the set be read again, but only after
/// this time: whoever sends such tokens must not send the provider requests.
const REREAD_AFTER: Duration = Duration::from_secs(60);

/// Where the keys are.
#[derive(Debug)]
pub(super) enum KeySource {
    /// At an address that the configuration names.
    Url(Url, OutboundClient),
    /// In a file.
    File(PathBuf),
}

/// The keys, read when they are needed first and again after a while. Clones
/// share them.
#[derive(Debug, Clone)]
pub(super) struct TokenKeys(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: KeySource,
    refresh: Duration,
    last: RwLock<Option<Snapshot>>,
    /// Held while the keys are read, so that the provider gets one request.
    reading: Mutex<()>,
}

#[derive(Debug, Clone)]
struct Snapshot {
    keys: Arc<JwkSet>,
    read_at: Instant,
}

impl KeySource {
    /// Keys at an address. They come from there and from nowhere else.
    ///
    /// # Errors
    /// [`AuthError::Configuration`] for what is not the address of a server,
    /// [`AuthError::NoTokenKeys`] where TLS cannot be set up.
    pub(super) fn at(address: &str, allow_private_addresses: bool) -> Result<Self, AuthError> {
        let refused = |message: String| AuthError::Configuration {
            key: "server.auth.jwt.jwks_url",
            message,
        };
        let origin = Origin::configured(address).map_err(|error| refused(error.to_string()))?;
        let url = Url::parse(address.trim()).map_err(|error| refused(error.to_string()))?;
        let options = OutboundOptions {
            allow_private_addresses,
            timeout: Some(TIMEOUT),
            ..OutboundOptions::default()
        };
        let client = OutboundClient::new(origin, options);
        Ok(Self::Url(url, client.map_err(|error| unavailable(&error))?))
    }
}

impl TokenKeys {
    pub(super) fn new(source: KeySource, refresh: Duration) -> Self {
        Self(Arc::new(Inner {
            source,
            refresh,
            last: RwLock::default(),
            reading: Mutex::default(),
        }))
    }

    /// The keys. A token whose key is known does not wait for the provider:
    /// keys that are due are read again in the background, and only those that
    /// are twice as old are waited for. Where they cannot be read again, those
    /// that were read before still count, with a warning in the log.
    ///
    /// # Errors
    /// [`AuthError::NoTokenKeys`] where they were never read.
    pub(super) async fn get(
        &self,
        has_key: impl Fn(&JwkSet) -> bool,
    ) -> Result<Arc<JwkSet>, AuthError> {
        let Some(last) = self.0.last() else {
            return self.0.read_after(None).await;
        };
        let age = last.read_at.elapsed();
        let is_known = has_key(&last.keys);
        if age < self.0.refresh && (is_known || age < REREAD_AFTER) {
            return Ok(last.keys);
        }
        if is_known && age < self.0.refresh * 2 {
            self.read_in_background(last.read_at);
            return Ok(last.keys);
        }
        self.0.read_after(Some(last.read_at)).await
    }

    fn read_in_background(&self, before: Instant) {
        let inner = self.0.clone();
        if inner.reading.try_lock().is_err() {
            // They are being read.
            return;
        }
        tokio::spawn(async move {
            // What failed is in the log already, and the old keys are kept.
            let _ = inner.read_after(Some(before)).await;
        });
    }
}

impl Inner {
    fn last(&self) -> Option<Snapshot> {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    /// Reads the keys, unless somebody did since the reading at `before`.
    async fn read_after(&self, before: Option<Instant>) -> Result<Arc<JwkSet>, AuthError> {
        let _reading = self.reading.lock().await;
        let last = self.last();
        if let Some(last) = last.as_ref().filter(|last| Some(last.read_at) != before) {
            return Ok(last.keys.clone());
        }
        let keys = match (self.load().await, last) {
            (Ok(keys), _) => Arc::new(keys),
            (Err(error), Some(last)) => {
                tracing::warn!(%error, "the token keys were not read again; the old ones are used");
                last.keys
            }
            (Err(error), None) => return Err(error),
        };
        let snapshot = Snapshot {
            keys: keys.clone(),
            read_at: Instant::now(),
        };
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(snapshot);
        Ok(keys)
    }

    async fn load(&self) -> Result<JwkSet, AuthError> {
        let bytes = match &self.source {
            KeySource::Url(url, client) => fetch(url, client).await?,
            KeySource::File(path) => {
                let read = tokio::fs::read(path).await;
                read.map_err(|error| AuthError::NoTokenKeys {
                    reason: format!("{}: {error}", path.display()),
                })?
            }
        };
        serde_json::from_slice(&bytes).map_err(|error| AuthError::NoTokenKeys {
            reason: format!("the key set is not valid: {error}"),
        })
    }
}

async fn fetch(url: &Url, client: &OutboundClient) -> Result<Vec<u8>, AuthError> {
    let request = client.request(Method::GET, url.clone());
    let request = request.map_err(|error| unavailable(&error))?;
    let response = request.send().await;
    let response = response.and_then(reqwest::Response::error_for_status);
    let mut response = response.map_err(|error| unavailable(&error))?;
    let mut bytes = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| unavailable(&error))?
    {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MOST_BYTES {
            return Err(AuthError::NoTokenKeys {
                reason: format!("the key set is larger than {MOST_BYTES} bytes"),
            });
        }
    }
    // A redirect is a success without keys.
    match response.status().as_u16() {
        200 => Ok(bytes),
        other => Err(AuthError::NoTokenKeys {
            reason: format!("the key server answered {other}"),
        }),
    }
}

fn unavailable(error: &dyn std::error::Error) -> AuthError {
    AuthError::NoTokenKeys {
        reason: with_causes(error),
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;
    use tokio::net::TcpListener;

    use super::*;

    const REFRESH: Duration = Duration::from_secs(3600);

    /// Keys that were read so long ago, of a provider that does not answer.
    async fn keys_of_a_silent_provider(age: Duration) -> (TokenKeys, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        let keys = TokenKeys::new(KeySource::at(&url, true).unwrap(), REFRESH);
        *keys.0.last.write().unwrap() = Some(Snapshot {
            keys: Arc::new(serde_json::from_value(json!({ "keys": [] })).unwrap()),
            read_at: Instant::now().checked_sub(age).unwrap(),
        });
        (keys, listener)
    }

    #[tokio::test]
    async fn a_token_with_an_unknown_key_keeps_no_other_waiting() {
        let (keys, provider) = keys_of_a_silent_provider(REREAD_AFTER).await;
        let mut unknown = Box::pin(keys.get(|_| false));
        let _connection = tokio::select! {
            _ = &mut unknown => unreachable!("the provider has not answered"),
            connection = provider.accept() => connection.unwrap(),
        };
        assert!(keys.get(|_| true).await.is_ok());
    }

    #[tokio::test]
    async fn keys_that_are_due_are_read_while_known_ones_are_used() {
        let (keys, provider) = keys_of_a_silent_provider(REFRESH).await;
        assert!(keys.get(|_| true).await.is_ok());
        provider.accept().await.unwrap();
    }

    #[tokio::test]
    async fn keys_that_are_twice_as_old_are_waited_for() {
        let (keys, _provider) = keys_of_a_silent_provider(REFRESH * 2).await;
        let known = keys.get(|_| true);
        assert!(futures::poll!(Box::pin(known)).is_pending());
    }
}
