//! The rows of the outbox in the store.

use gannet_api::DEFAULT_TENANT;
use gannet_store::{StateKey, Store, StoreError, StoreOptions};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{DeliveryReport, Message};
use crate::kept_state::{self, read, write};

/// Messages that wait, each under its delivery and its id.
const PENDING: &str = "service.outbox";
/// Messages that were delivered or given up.
const DONE: &str = "service.outbox_done";
/// What each delivery did.
const REPORTS: &str = "service.deliveries";

/// A message that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pending {
    pub message: Message,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried again.
    pub due: Timestamp,
}

/// The end of a message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Done {
    pub at: Timestamp,
    /// Whether it was not delivered, and is not tried again.
    #[serde(default)]
    pub is_given_up: bool,
}

/// Rows as the store has them: JSON by key.
pub(super) struct Rows {
    pending: Vec<(String, String)>,
    reports: Vec<(String, String)>,
}

impl Rows {
    /// When each message of a delivery that waits was made.
    pub fn waiting_since(&self, delivery: &str) -> Vec<Timestamp> {
        let pending = self.pending.iter().filter(|(key, _)| {
            let place = Place::of(key);
            place.is_some_and(|place| place.delivery == delivery)
        });
        let pending = pending.filter_map(|(_, json)| serde_json::from_str::<Pending>(json).ok());
        pending.map(|one| one.message.created_at).collect()
    }

    /// What a delivery did.
    pub fn report(&self, delivery: &str) -> DeliveryReport {
        let mut reports = self.reports.iter();
        let kept = reports.find(|(key, _)| key == delivery);
        kept.and_then(|(_, json)| serde_json::from_str(json).ok())
            .unwrap_or_default()
    }
}

/// A message of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub delivery: String,
    pub id: String,
}

impl Place {
    pub fn new(delivery: &str, id: &str) -> Self {
        Self {
            delivery: delivery.to_owned(),
            id: id.to_owned(),
        }
    }

    /// Names of deliveries have no slash.
    fn of(key: &str) -> Option<Self> {
        let (delivery, id) = key.split_once('/')?;
        Some(Self::new(delivery, id))
    }

    fn key(&self, owner: &str) -> StateKey {
        key(owner, &format!("{}/{}", self.delivery, self.id))
    }
}

/// The messages that wait, in the order in which they were made. Of those that
/// were made together, ids begin with the number of the entry.
pub(super) async fn pending_places(store: &Store) -> Result<Vec<Place>, StoreError> {
    let rows = store.plugin_states(PENDING, DEFAULT_TENANT).await?;
    let mut pending: Vec<(Timestamp, Place)> = rows
        .iter()
        .filter_map(|(key, json)| {
            let pending: Pending = serde_json::from_str(json).ok()?;
            Some((pending.message.created_at, Place::of(key)?))
        })
        .collect();
    pending.sort_by(|(a_made, a), (b_made, b)| (a_made, &a.id).cmp(&(b_made, &b.id)));
    Ok(pending.into_iter().map(|(_, place)| place).collect())
}

/// The messages that ended.
pub(super) async fn done_places(store: &Store) -> Result<Vec<Place>, StoreError> {
    let keys = store.plugin_state_keys(DONE, DEFAULT_TENANT).await?;
    Ok(keys.iter().filter_map(|key| Place::of(key)).collect())
}

pub(super) async fn pending(store: &Store, place: &Place) -> Result<Option<Pending>, StoreError> {
    read(store, &place.key(PENDING)).await
}

pub(super) async fn done(store: &Store, place: &Place) -> Result<Option<Done>, StoreError> {
    read(store, &place.key(DONE)).await
}

pub(super) async fn set_pending(
    store: &Store,
    place: &Place,
    pending: Option<&Pending>,
) -> Result<(), StoreError> {
    write(store, &place.key(PENDING), pending).await
}

pub(super) async fn set_done(
    store: &Store,
    place: &Place,
    done: Option<&Done>,
) -> Result<(), StoreError> {
    write(store, &place.key(DONE), done).await
}

/// The messages that wait and the reports of the deliveries, by their keys, of a
/// store that is open.
pub(super) async fn all(store: &Store) -> Result<Rows, StoreError> {
    Ok(Rows {
        pending: store.plugin_states(PENDING, DEFAULT_TENANT).await?,
        reports: store.plugin_states(REPORTS, DEFAULT_TENANT).await?,
    })
}

/// The same, of a store that is not.
pub(super) async fn all_of(options: &StoreOptions) -> Result<Rows, StoreError> {
    Ok(Rows {
        pending: Store::remembered(options, PENDING, DEFAULT_TENANT).await?,
        reports: Store::remembered(options, REPORTS, DEFAULT_TENANT).await?,
    })
}

pub(super) async fn report(store: &Store, delivery: &str) -> Result<DeliveryReport, StoreError> {
    let kept = read(store, &key(REPORTS, delivery)).await?;
    Ok(kept.unwrap_or_default())
}

pub(super) async fn set_report(
    store: &Store,
    delivery: &str,
    report: &DeliveryReport,
) -> Result<(), StoreError> {
    write(store, &key(REPORTS, delivery), Some(report)).await
}

fn key(owner: &str, key: &str) -> StateKey {
    kept_state::key(owner, DEFAULT_TENANT, key)
}
