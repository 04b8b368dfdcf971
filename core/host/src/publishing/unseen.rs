//! Entries that were published and that no source gave since: a logbook that
//! indexes late does not list them yet.

use std::collections::HashSet;

use gannet_store::{StateKey, Store, StoreError};

/// For whom the store remembers their ids.
const OWNER: &str = "service.published_and_unseen";

/// Remembers an entry that the logbook has taken. That this cannot be stored is
/// no error of the request, which the logbook has answered.
pub(super) async fn note(store: &Store, tenant: &str, entry_id: &str) {
    let noted = store
        .set_plugin_state(&place(tenant, entry_id), Some(""))
        .await;
    if let Err(error) = noted {
        tracing::error!(
            %error,
            entry_id,
            "it was not stored that the entry was published: `missing: delete` may delete it \
             before the logbook lists it"
        );
    }
}

/// The ids of a tenant's entries that no source gave since they were published.
///
/// # Errors
/// What the store failed with.
pub(crate) async fn ids(store: &Store, tenant: &str) -> Result<HashSet<String>, StoreError> {
    let ids = store.plugin_state_keys(OWNER, tenant).await?;
    Ok(ids.into_iter().collect())
}

/// A source gave the entry, or said that it is gone.
///
/// # Errors
/// What the store failed with.
pub(crate) async fn forget(store: &Store, tenant: &str, entry_id: &str) -> Result<(), StoreError> {
    store.set_plugin_state(&place(tenant, entry_id), None).await
}

fn place(tenant: &str, entry_id: &str) -> StateKey {
    StateKey {
        owner: OWNER.to_owned(),
        tenant: tenant.to_owned(),
        key: entry_id.to_owned(),
    }
}
