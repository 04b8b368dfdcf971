//! Keys under which things are remembered: hashes, so that no list of them
//! tells who asked what.

use gannet_core::api::fold;
use sha2::{Digest, Sha256};

use crate::auth::Caller;

/// Hexadecimal digits of a key.
const DIGITS: usize = 32;

/// The key of a question: letter case and blanks do not count.
pub(super) fn query_key(tenant: &str, query: &str) -> String {
    let normal: Vec<&str> = query.split_whitespace().collect();
    key(&["query", tenant, &fold(&normal.join(" "))])
}

/// The key of a user of a tenant.
pub(super) fn user_key(caller: &Caller) -> String {
    key(&["user", &caller.tenant, &caller.name])
}

/// The key of a session of a user. Another user's session of the same id is
/// another one.
pub(super) fn session_key(caller: &Caller, id: &str) -> String {
    key(&["session", &caller.tenant, &caller.name, id])
}

fn key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut digits: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    digits.truncate(DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_nothing_and_differ_by_tenant() {
        let key = query_key("a", "Why did  RF-2 trip?");
        assert_eq!(key, query_key("a", "why did rf-2 trip?"));
        assert_ne!(key, query_key("b", "why did rf-2 trip?"));
        assert_eq!(key.len(), DIGITS);
        assert_ne!(query_key("ab", "c"), query_key("a", "bc"));
    }
}
