//! Tokens (JWT) of an identity provider.

use std::collections::BTreeSet;
use std::time::Duration;

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::config::{JwtAlgorithm, JwtConfig};
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::error::{AuthError, Refusal};
use super::ring_provider;
use super::token_keys::{KeySource, TokenKeys};
use super::{Caller, Scope};

/// How far the clocks of the two machines may be apart, in seconds.
const LEEWAY_SECONDS: u64 = 30;
/// The longest token that is read.
const MOST_BYTES: usize = 16 << 10;

/// Checks tokens.
#[derive(Debug)]
pub(super) struct TokenVerifier {
    keys: TokenKeys,
    algorithms: Vec<Algorithm>,
    issuer: String,
    audience: String,
    scope_claim: String,
    scope_prefix: String,
    tenant_claim: Option<String>,
}

impl TokenVerifier {
    /// What a configuration says; `None` where it names no issuer and no keys.
    ///
    /// # Errors
    /// [`AuthError::Configuration`] where a part is missing: without an
    /// audience, a token that was given for another service would do.
    pub(super) fn of(config: &JwtConfig) -> Result<Option<Self>, AuthError> {
        let source = match (&config.jwks_url, &config.jwks_file) {
            (None, None) if config.issuer.is_none() && config.audience.is_none() => {
                return Ok(None);
            }
            (Some(url), None) => KeySource::at(url, config.jwks_allow_private_addresses)?,
            (None, Some(file)) => KeySource::File(file.clone()),
            _ => {
                return Err(incomplete(
                    "server.auth.jwt.jwks_url",
                    "set one of `jwks_url` and `jwks_file`",
                ));
            }
        };
        let (issuer, audience) = (config.issuer.clone(), config.audience.clone());
        let issuer = issuer.ok_or_else(|| {
            incomplete(
                "server.auth.jwt.issuer",
                "is not set; name the issuer of the tokens",
            )
        })?;
        let audience = audience.ok_or_else(|| {
            incomplete(
                "server.auth.jwt.audience",
                "is not set; name the audience that tokens for this service have",
            )
        })?;
        ring_provider::install();
        let refresh = Duration::from_secs(config.jwks_refresh_seconds);
        Ok(Some(Self {
            keys: TokenKeys::new(source, refresh),
            algorithms: config.algorithms.iter().copied().map(algorithm).collect(),
            issuer,
            audience,
            scope_claim: config.scope_claim.clone(),
            scope_prefix: config.scope_prefix.clone(),
            tenant_claim: config.tenant_claim.clone(),
        }))
    }

    /// Whose token it is.
    ///
    /// # Errors
    /// [`AuthError::Refused`] for a token that is not valid,
    /// [`AuthError::NoTokenKeys`] when the keys cannot be read.
    pub(super) async fn caller(&self, token: &str) -> Result<Caller, AuthError> {
        if token.len() > MOST_BYTES {
            return Err(Refusal::Token(format!("it is longer than {MOST_BYTES} bytes")).into());
        }
        let header = decode_header(token).map_err(refused)?;
        // Before any key is looked at: the token does not choose how it is
        // checked.
        if !self.algorithms.contains(&header.alg) {
            let reason = format!("the algorithm {:?} is not accepted", header.alg);
            return Err(Refusal::Token(reason).into());
        }
        let keys = self
            .keys
            .get(|keys| key_of(keys, &header).is_some())
            .await?;
        let key = key_of(&keys, &header);
        let key = key.ok_or_else(|| Refusal::Token("no key of the issuer fits it".to_owned()))?;
        let key = DecodingKey::from_jwk(key).map_err(refused)?;
        let token = decode::<Map<String, Value>>(token, &key, &self.validation(header.alg));
        self.caller_of(&token.map_err(refused)?.claims)
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation
    }

    fn caller_of(&self, claims: &Map<String, Value>) -> Result<Caller, AuthError> {
        let text = |claim: &str| claims.get(claim).and_then(Value::as_str);
        let tenant = match self.tenant_claim.as_deref() {
            None => DEFAULT_TENANT,
            Some(claim) => text(claim)
                .filter(|tenant| !tenant.is_empty())
                .ok_or_else(|| Refusal::Token(format!("its claim `{claim}` names no tenant")))?,
        };
        Ok(Caller {
            name: format!("jwt:{}", text("sub").unwrap_or_default()),
            tenant: tenant.to_owned(),
            scopes: self.scopes(claims.get(&self.scope_claim)),
        })
    }

    /// Scopes of other services in the same claim mean nothing here.
    fn scopes(&self, claim: Option<&Value>) -> BTreeSet<Scope> {
        let names: Vec<&str> = match claim {
            Some(Value::String(text)) => text.split_whitespace().collect(),
            Some(Value::Array(members)) => members.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let own = names
            .into_iter()
            .filter_map(|name| name.strip_prefix(self.scope_prefix.as_str()));
        own.filter_map(|name| name.parse().ok()).collect()
    }
}

/// The key that a token names, or the only one of its algorithm.
fn key_of<'k>(keys: &'k JwkSet, header: &Header) -> Option<&'k Jwk> {
    let fits = |key: &&Jwk| {
        let is_for_signatures = !matches!(
            key.common.public_key_use,
            Some(PublicKeyUse::Encryption | PublicKeyUse::Other(_))
        );
        let own = key.common.key_algorithm;
        let own = own.and_then(|algorithm| algorithm.to_string().parse::<Algorithm>().ok());
        is_for_signatures
            && own.is_none_or(|own| own == header.alg)
            && DecodingKey::from_jwk(key)
                .is_ok_and(|key| key.family().algorithms().contains(&header.alg))
    };
    if let Some(id) = &header.kid {
        return keys.find(id).filter(fits);
    }
    let mut fitting = keys.keys.iter().filter(fits);
    let only = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

fn algorithm(configured: JwtAlgorithm) -> Algorithm {
    match configured {
        JwtAlgorithm::RS256 => Algorithm::RS256,
        JwtAlgorithm::RS384 => Algorithm::RS384,
        JwtAlgorithm::RS512 => Algorithm::RS512,
        JwtAlgorithm::PS256 => Algorithm::PS256,
        JwtAlgorithm::PS384 => Algorithm::PS384,
        JwtAlgorithm::PS512 => Algorithm::PS512,
        JwtAlgorithm::ES256 => Algorithm::ES256,
        JwtAlgorithm::ES384 => Algorithm::ES384,
        JwtAlgorithm::EdDSA => Algorithm::EdDSA,
    }
}

fn refused(error: jsonwebtoken::errors::Error) -> AuthError {
    Refusal::Token(error.to_string()).into()
}

fn incomplete(key: &'static str, message: &str) -> AuthError {
    AuthError::Configuration {
        key,
        message: message.to_owned(),
    }
}
