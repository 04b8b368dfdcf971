//! How deliveries are, for status and doctor.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::rows;
use crate::{Gannet, HostError};

/// What a delivery did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryReport {
    /// Messages that were delivered.
    pub delivered: u64,
    /// Messages that were given up.
    pub given_up: u64,
    /// When a message was delivered last.
    pub last_delivered: Option<Timestamp>,
    /// Why the last message was not delivered, if it was not.
    pub error: Option<String>,
}

/// A delivery of the configuration, and how it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliveryStatus {
    /// Its name.
    pub name: String,
    /// `file`, `feed`, `webhook`, `mail` or `entry`.
    pub kind: &'static str,
    /// Messages that wait.
    pub pending: u64,
    /// What it did.
    pub report: DeliveryReport,
}

impl Gannet {
    /// The configured deliveries, and how they are.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn delivery_statuses(&self) -> Result<Vec<DeliveryStatus>, HostError> {
        let deliveries = self.config().deliveries.iter();
        let deliveries: Vec<_> = deliveries.filter(|(_, one)| one.enabled).collect();
        if deliveries.is_empty() {
            return Ok(Vec::new());
        }
        let mut pending: BTreeMap<String, u64> = BTreeMap::new();
        for place in rows::pending_places(self.store()).await? {
            *pending.entry(place.delivery).or_default() += 1;
        }
        let mut statuses = Vec::new();
        for (name, delivery) in deliveries {
            statuses.push(DeliveryStatus {
                name: name.clone(),
                kind: delivery.kinds().first().copied().unwrap_or_default(),
                pending: pending.get(name).copied().unwrap_or_default(),
                report: rows::report(self.store(), name).await?,
            });
        }
        Ok(statuses)
    }
}
