//! The public keys of the identity provider (JWKS), read and kept.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::JwkSet;
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
    Url(String),
    /// In a file.
    File(PathBuf),
}

/// The keys, read when they are needed first and again after a while.
#[derive(Debug)]
pub(super) struct TokenKeys {
    source: KeySource,
    refresh: Duration,
    client: reqwest::Client,
    read: Mutex<Option<Snapshot>>,
}

#[derive(Debug, Clone)]
struct Snapshot {
    keys: JwkSet,
    read_at: Instant,
}

impl TokenKeys {
    /// # Errors
    /// [`AuthError::NoTokenKeys`] where TLS cannot be set up.
    pub(super) fn new(source: KeySource, refresh: Duration) -> Result<Self, AuthError> {
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            // Keys come from the address that is configured and no other.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| unavailable(&error))?;
        Ok(Self {
            source,
            refresh,
            client,
            read: Mutex::default(),
        })
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
            KeySource::Url(url) => self.fetch(url).await?,
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

    async fn fetch(&self, url: &str) -> Result<Vec<u8>, AuthError> {
        let response = self.client.get(url).send().await;
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
}

fn unavailable(error: &reqwest::Error) -> AuthError {
    AuthError::NoTokenKeys {
        reason: error.to_string(),
    }
}
