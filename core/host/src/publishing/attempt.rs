//! What the store remembers of an attempt to publish an entry, so that a
//! request that is repeated writes nothing twice, also after a restart.

use gannet_store::{StateKey, Store, StoreError};
use serde::{Deserialize, Serialize};

use super::PublishError;

/// For whom the store remembers attempts.
const OWNER: &str = "service.publishing";

/// An attempt to publish an entry.
#[derive(Debug, Default)]
pub struct PublishAttempt {
    /// Where it is remembered; `None` for one without a name.
    place: Option<StateKey>,
    /// The id that the entry has since an earlier call of the attempt.
    written: Option<String>,
}

/// How far an attempt got.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum Progress {
    /// The adapter was asked, and its answer is not known.
    Begun,
    /// The logbook has the entry.
    Written { entry_id: String },
}

impl PublishAttempt {
    pub(super) async fn begin(
        store: &Store,
        tenant: &str,
        name: &str,
    ) -> Result<Self, PublishError> {
        let place = place(tenant, name);
        let written = match read(store, &place).await? {
            Some(Progress::Begun) => return Err(PublishError::EarlierAttempt),
            Some(Progress::Written { entry_id }) => Some(entry_id),
            None => {
                keep(store, &place, &Progress::Begun).await?;
                None
            }
        };
        Ok(Self {
            place: Some(place),
            written,
        })
    }

    pub(super) fn written(&self) -> Option<&str> {
        self.written.as_deref()
    }

    /// Remembers how it ended. That this cannot be stored is no error of the
    /// request, which the logbook has answered: a repetition is refused then.
    pub(super) async fn end(&self, store: &Store, outcome: &Result<String, PublishError>) {
        let Some(place) = &self.place else {
            return;
        };
        let kept = match outcome {
            Ok(entry_id) => {
                let entry_id = entry_id.clone();
                keep(store, place, &Progress::Written { entry_id }).await
            }
            Err(PublishError::Unclear(_)) => Ok(()),
            Err(_) => store.set_plugin_state(place, None).await,
        };
        if let Err(error) = kept {
            tracing::error!(%error, "the end of an attempt to publish an entry was not stored");
        }
    }
}

/// Whether there was an attempt of this name, and under which id it published
/// the entry.
pub(super) async fn earlier(
    store: &Store,
    tenant: &str,
    name: &str,
) -> Result<Option<Option<String>>, StoreError> {
    let progress = read(store, &place(tenant, name)).await?;
    Ok(progress.map(|progress| match progress {
        Progress::Begun => None,
        Progress::Written { entry_id } => Some(entry_id),
    }))
}

async fn read(store: &Store, place: &StateKey) -> Result<Option<Progress>, StoreError> {
    let text = store.plugin_state(place).await?;
    // What cannot be read is an attempt whose end is not known.
    Ok(text.map(|text| serde_json::from_str(&text).unwrap_or(Progress::Begun)))
}

async fn keep(store: &Store, place: &StateKey, progress: &Progress) -> Result<(), StoreError> {
    // Texts in a plain structure: they are always JSON.
    let text = serde_json::to_string(progress).unwrap_or_default();
    store.set_plugin_state(place, Some(&text)).await
}

fn place(tenant: &str, name: &str) -> StateKey {
    StateKey {
        owner: OWNER.to_owned(),
        tenant: tenant.to_owned(),
        key: name.to_owned(),
    }
}
