//! What parts of the host keep in the store as JSON, under names of theirs
//! beside the state of plugins.

use std::fmt::Write;

use gannet_store::{StateKey, Store, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// The place of a value.
pub(crate) fn key(owner: &str, tenant: &str, key: &str) -> StateKey {
    StateKey {
        owner: owner.to_owned(),
        tenant: tenant.to_owned(),
        key: key.to_owned(),
    }
}

/// A name of a place that does not tell what it is made of, such as a caller or an
/// address with a password.
pub(crate) fn digest(text: &str) -> String {
    let mut name = String::new();
    for byte in &Sha256::digest(text)[..16] {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// The value of a place. What an older program kept otherwise counts as nothing.
pub(crate) async fn read<T: DeserializeOwned>(
    store: &Store,
    key: &StateKey,
) -> Result<Option<T>, StoreError> {
    let kept = store.plugin_state(key).await?;
    Ok(kept.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Writes a value, or deletes it.
pub(crate) async fn write<T: Serialize>(
    store: &Store,
    key: &StateKey,
    value: Option<&T>,
) -> Result<(), StoreError> {
    // Plain data: it can always be written.
    let text = value.and_then(|value| serde_json::to_string(value).ok());
    store.set_plugin_state(key, text.as_deref()).await
}
