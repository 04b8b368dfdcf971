//! The public keys of the identity provider (JWKS), read and kept.

use std::path::PathBuf;
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

/// The keys, read when they are needed first and again after a while.
#[derive(Debug)]
pub(super) struct TokenKeys {
    source: KeySource,
    refresh: Duration,
    read: Mutex<Option<Snapshot>>,
}

#[derive(Debug, Clone)]
struct Snapshot {
    keys: JwkSet,
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
        Self {
            source,
            refresh,
            read: Mutex::default(),
        }
    }

    /// The keys. Where they cannot be read again, those that were read before
    /// still count, with a warning in the log.
    ///
    /// # Errors
    /// [`AuthError::NoTokenKeys`] where they were never read.
    pub(super) async fn get(&self, has_key: impl Fn(&JwkSet) -> bool) -> Result<JwkSet, AuthError> {
        let mut read = self.read.lock().await;
        if let Some(snapshot) = read.as_ref() {
            let age = snapshot.read_at.elapsed();
            let is_enough = has_key(&snapshot.keys) || age < REREAD_AFTER;
            if age < self.refresh && is_enough {
                return Ok(snapshot.keys.clone());
            }
        }
        let read_at = Instant::now();
        let keys = match (self.load().await, read.take()) {
            (Ok(keys), _) => keys,
            (Err(error), Some(before)) => {
                tracing::warn!(%error, "the token keys were not read again; the old ones are used");
                before.keys
            }
            (Err(error), None) => return Err(error),
        };
        *read = Some(Snapshot {
            keys: keys.clone(),
            read_at,
        });
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
