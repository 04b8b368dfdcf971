//! From the headers of a request to its caller.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gannet_core::config::ServerConfig;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::Caller;
use super::audit::{AuditEvent, AuditLog};
use super::error::{AuthError, Refusal};
use super::key::PlainKey;
use super::key_file::KeyFile;
use super::key_ring::KeyRing;
use super::throttle::Throttle;
use super::token::TokenVerifier;

/// The header of an API key, for clients that cannot send `Authorization`.
const API_KEY: &str = "x-api-key";

/// Decides who sent a request.
#[derive(Debug)]
pub struct Authenticator {
    is_required: bool,
    keys: KeyRing,
    tokens: Option<TokenVerifier>,
    throttle: Arc<Throttle>,
    audit: AuditLog,
}

impl Authenticator {
    /// The authenticator of a configuration, whose store is in this folder.
    ///
    /// # Errors
    /// [`AuthError::Configuration`] for settings that do not fit together.
    pub fn of(config: &ServerConfig, store_path: &Path) -> Result<Self, AuthError> {
        Ok(Self {
            is_required: config.auth.required,
            keys: KeyRing::new(KeyFile::of(&config.auth, store_path)),
            tokens: TokenVerifier::of(&config.auth.jwt)?,
            throttle: Arc::default(),
            audit: AuditLog::of(&config.audit_log),
        })
    }

    /// The same, which remembers the failed logins of another one: a reload
    /// must not let an address guess again at once.
    pub(crate) fn with_failures_of(mut self, other: &Self) -> Self {
        self.throttle = other.throttle.clone();
        self
    }

    /// The same, whose failed logins are in this log.
    pub(crate) fn with_audit_log(mut self, audit: AuditLog) -> Self {
        self.audit = audit;
        self
    }

    /// Whether requests need a key or token.
    pub fn is_required(&self) -> bool {
        self.is_required
    }

    /// Who sent a request with these headers from this address. A request
    /// without key and token is one of the local user where none is required.
    /// A key of Gannet's that is sent, or a token where tokens are configured,
    /// must be valid in any case; other credentials count only where some are
    /// required. Failed logins of an address do not keep those out who have a
    /// valid key: many clients may stand behind one address.
    ///
    /// # Errors
    /// [`AuthError`]; its [`status`](AuthError::status) and
    /// [`public`](AuthError::public) text are for the client.
    pub async fn authenticate(
        &self,
        headers: &HeaderMap,
        address: IpAddr,
    ) -> Result<Caller, AuthError> {
        let outcome = match credentials(headers) {
            Ok(None) if !self.is_required => return Ok(Caller::local()),
            Ok(None) => return Err(AuthError::Missing),
            // Clients of OpenAI's interface send something always.
            Ok(Some(sent)) if !self.is_required && self.is_nothing_of_ours(sent) => {
                return Ok(Caller::local());
            }
            Ok(Some(sent)) => self.check(sent).await,
            Err(refusal) => Err(refusal.into()),
        };
        match &outcome {
            Ok(_) => {}
            Err(AuthError::Refused(refusal)) => self.note_failure(address, refusal).await?,
            Err(error) => tracing::error!(%error, "logins are not possible"),
        }
        outcome
    }

    /// Whether no key and no token that this server knows looks like this.
    fn is_nothing_of_ours(&self, sent: &str) -> bool {
        self.tokens.is_none() && !PlainKey::is_one(sent)
    }

    async fn check(&self, sent: &str) -> Result<Caller, AuthError> {
        if PlainKey::is_one(sent) {
            return self.keys.caller(sent);
        }
        match &self.tokens {
            Some(tokens) => tokens.caller(sent).await,
            None => Err(Refusal::NoTokens.into()),
        }
    }

    /// Notes that an address was refused, in the log and in the audit log.
    ///
    /// # Errors
    /// [`AuthError::TooMany`] while the address still has to wait after
    /// earlier failures; nothing is noted then, and the client does not learn
    /// why it was refused.
    async fn note_failure(&self, address: IpAddr, refusal: &Refusal) -> Result<(), AuthError> {
        let now = Instant::now();
        let retry_after = self.throttle.wait(address, now);
        if !retry_after.is_zero() {
            return Err(AuthError::TooMany { retry_after });
        }
        self.throttle.failed(address, now);
        let reason = refusal.to_string();
        tracing::warn!(%address, reason, "a login failed");
        let event = AuditEvent::LoginFailed {
            address,
            reason: &reason,
        };
        self.audit.note("unknown", &event).await;
        Ok(())
    }
}

/// The key or token of a request.
fn credentials(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut sent = Vec::new();
    for value in headers.get_all(AUTHORIZATION) {
        let text = value.to_str().map_err(|_| Refusal::Malformed)?;
        let (scheme, token) = text.trim().split_once(' ').ok_or(Refusal::Malformed)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Refusal::Malformed);
        }
        sent.push(token.trim());
    }
    for value in headers.get_all(API_KEY) {
        sent.push(value.to_str().map_err(|_| Refusal::Malformed)?.trim());
    }
    match sent.as_slice() {
        [] => Ok(None),
        [""] => Err(Refusal::Malformed),
        [only] => Ok(Some(only)),
        _ => Err(Refusal::Several),
    }
}
