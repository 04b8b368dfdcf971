//! How the deliveries of digests and saved searches are.

use gannet_core::{DeliveryStatus, Status};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ariel::Presenter;

/// How a delivery is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveryStatus")]
pub(crate) struct DeliveryReply {
    /// Its name in the configuration.
    name: String,
    /// `file`, `feed`, `webhook`, `mail` or `entry`.
    kind: &'static str,
    /// Messages that wait.
    pending: u64,
    /// When the oldest of them was made.
    oldest_pending_at: Option<String>,
    /// Messages that were delivered.
    delivered: u64,
    /// When one was delivered last.
    last_delivered_at: Option<String>,
    /// Messages that were given up.
    given_up: u64,
    /// Why the last message was not delivered, if it was not.
    error: Option<String>,
}

impl DeliveryReply {
    pub fn new(status: &DeliveryStatus, presenter: &Presenter<'_>) -> Self {
        let report = &status.report;
        let time = |time: Option<Timestamp>| time.map(|time| presenter.time(time));
        Self {
            name: status.name.clone(),
            kind: status.kind,
            pending: status.pending,
            oldest_pending_at: time(status.oldest_pending),
            delivered: report.delivered,
            last_delivered_at: time(report.last_delivered),
            given_up: report.given_up,
            error: report.error.clone(),
        }
    }
}

/// What is wrong with digests and deliveries, in words that name no address.
pub(crate) fn troubles(status: &Status) -> impl Iterator<Item = String> {
    let now = Timestamp::now();
    let digests = status.digests.iter();
    let deliveries = status.deliveries.iter();
    digests
        .filter_map(move |one| one.trouble(now))
        .chain(deliveries.filter_map(move |one| one.trouble(now)))
}
