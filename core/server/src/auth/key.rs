//! API keys: what a caller holds, and what is stored of it.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::Scope;
use crate::random::random_hex;

/// What every key begins with, so that secret scanners know one.
const PREFIX: &str = "gnt_";
/// Bytes of chance in the id, which is no secret.
const ID_BYTES: usize = 6;
/// Bytes of chance in the secret: 256 bits.
const SECRET_BYTES: usize = 32;

/// A key as its holder sends it: `gnt_<id>_<secret>`. It is shown once, when
/// it is made, and debug output does not show it.
#[derive(Clone)]
pub struct PlainKey(String);

/// What is stored of a key.
///
/// The hash is a plain SHA-256 of the key. A slow, salted hash protects
/// passwords, which can be guessed; a key holds 256 random bits, and no
/// number of guesses finds it, while every request has to hash one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// Names the key in lists and logs.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// SHA-256 of the whole key, in lower-case hexadecimal.
    pub sha256: String,
    /// What its holder may do.
    pub scopes: BTreeSet<Scope>,
    /// Whose entries its holder sees.
    pub tenant: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is refused; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// What a new key is to be.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What it is for.
    pub name: String,
    /// What its holder may do.
    pub scopes: BTreeSet<Scope>,
    /// Whose entries its holder sees.
    pub tenant: String,
    /// From when on it is refused; `None` for never.
    pub expires_at: Option<Timestamp>,
}

impl PlainKey {
    /// The key itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a bearer token looks like a key, and not like a JWT.
    pub(super) fn is_one(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// A key as it was sent, if it has the form of one.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let is_hex = |part: &str, bytes: usize| {
            part.len() == 2 * bytes && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_key = is_hex(id, ID_BYTES) && is_hex(secret, SECRET_BYTES);
        is_key.then(|| Self(text.to_owned()))
    }

    /// The part that names the key.
    pub(super) fn id(&self) -> &str {
        let start = PREFIX.len();
        &self.0[start..start + 2 * ID_BYTES]
    }

    fn sha256(&self) -> String {
        let hash = digest(&SHA256, self.0.as_bytes());
        let bytes = hash.as_ref().iter();
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for PlainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}_[REDACTED]", self.id())
    }
}

impl ApiKey {
    /// A new key, and what is stored of it.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(super) fn create(
        new: NewKey,
        now: Timestamp,
    ) -> Result<(PlainKey, Self), ring::error::Unspecified> {
        let id = random_hex(ID_BYTES)?;
        let plain = PlainKey(format!("{PREFIX}{id}_{}", random_hex(SECRET_BYTES)?));
        let stored = Self {
            sha256: plain.sha256(),
            id,
            name: new.name,
            scopes: new.scopes,
            tenant: new.tenant,
            created_at: now,
            expires_at: new.expires_at,
            revoked_at: None,
        };
        Ok((plain, stored))
    }

    /// Whether this is what is stored of a key. Takes the same time whatever
    /// the first difference is.
    pub(super) fn is_of(&self, plain: &PlainKey) -> bool {
        let sent = plain.sha256();
        sent.as_bytes().ct_eq(self.sha256.as_bytes()).into()
    }

    /// Whether the key is accepted at this time.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn new_key() -> (PlainKey, ApiKey) {
        let new = NewKey {
            name: "test".to_owned(),
            scopes: [Scope::Search].into(),
            tenant: "default".to_owned(),
            expires_at: None,
        };
        ApiKey::create(new, Timestamp::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn a_key_has_two_hundred_and_fifty_six_random_bits_and_its_hash_is_stored() {
        let (plain, stored) = new_key();
        let secret = plain.reveal().rsplit('_').next().unwrap();
        assert_eq!(secret.len() * 4, 256);
        let kept = serde_json::to_string(&stored).unwrap();
        assert!(!kept.contains(secret), "{kept}");
        assert!(stored.is_of(&plain));
        assert!(!stored.is_of(&new_key().0));
    }

    #[test]
    fn debug_output_shows_the_id_and_no_secret() {
        let (plain, stored) = new_key();
        let secret = plain.reveal().rsplit('_').next().unwrap();
        let debug = format!("{plain:?} {stored:?}");
        assert!(
            debug.contains(&stored.id) && !debug.contains(secret),
            "{debug}"
        );
    }

    #[test]
    fn only_the_form_of_a_key_is_read_as_one() {
        let (plain, _) = new_key();
        assert!(PlainKey::read(plain.reveal()).is_some());
        let cut = &plain.reveal()[..plain.reveal().len() - 1];
        for text in ["", "gnt_", "gnt__", "gnt_é_é", "eyJ.eyJ.x", cut] {
            assert!(PlainKey::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_key_ends_at_its_expiry() {
        let (_, mut stored) = new_key();
        stored.expires_at = Some("2026-01-01T00:00:00Z".parse().unwrap());
        assert!(stored.is_valid_at("2025-12-31T23:59:59Z".parse().unwrap()));
        assert!(!stored.is_valid_at("2026-01-01T00:00:00Z".parse().unwrap()));
    }
}
