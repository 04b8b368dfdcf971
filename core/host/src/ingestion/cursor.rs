//! How far a source was read.

use gannet_api::FetchRequest;
use gannet_store::{StateKey, Store, StoreError};

use crate::kept_state;

/// Where the cursor of one source of one adapter is kept, for one tenant.
pub(super) struct SourceCursor(StateKey);

impl SourceCursor {
    /// `None` for a request of a part of the source: how far that part was
    /// read says nothing about what lies before it.
    pub(super) fn of(adapter: &str, request: &FetchRequest, tenant: &str) -> Option<Self> {
        let is_part = request.since.is_some() || request.until.is_some();
        (!is_part).then(|| {
            Self(StateKey {
                owner: format!("cursors of adapter {adapter}"),
                tenant: tenant.to_owned(),
                key: source_name(request.source.as_deref()),
            })
        })
    }

    pub(super) async fn read(&self, store: &Store) -> Result<Option<String>, StoreError> {
        store.plugin_state(&self.0).await
    }

    pub(super) async fn keep(&self, store: &Store, cursor: &str) -> Result<(), StoreError> {
        store.set_plugin_state(&self.0, Some(cursor)).await
    }
}

/// A name for a source that does not show it: an address may hold a password.
fn source_name(source: Option<&str>) -> String {
    source.map_or_else(String::new, kept_state::digest)
}
