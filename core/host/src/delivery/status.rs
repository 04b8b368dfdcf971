//! How deliveries are, for status and doctor.

use gannet_store::{Finding, StoreOptions, counted};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::rows::{self, Rows};
use crate::config::{Config, DeliveryConfig};
use crate::{Gannet, HostError};

/// How long a message may wait where a service delivers and nothing fails.
const USUAL_WAIT: SignedDuration = SignedDuration::from_mins(10);

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
    /// When the oldest of them was made.
    pub oldest_pending: Option<Timestamp>,
    /// What it did.
    pub report: DeliveryReport,
}

impl DeliveryStatus {
    /// What is wrong with it at this instant, in words that name nothing but the
    /// delivery; `None` where nothing is.
    pub fn trouble(&self, now: Timestamp) -> Option<String> {
        let waits_for_long = |since: Timestamp| since.duration_until(now) > USUAL_WAIT;
        let what = match (&self.report.error, self.oldest_pending) {
            (Some(_), _) => "failed to deliver its last message",
            (None, Some(since)) if waits_for_long(since) => "has messages that nobody delivers",
            _ => return None,
        };
        Some(format!("the {} delivery `{}` {what}", self.kind, self.name))
    }

    /// How it is, for `gannet doctor`.
    pub(crate) fn finding(&self, now: Timestamp) -> Finding {
        let check = "deliveries";
        let Some(trouble) = self.trouble(now) else {
            let message = format!("`{}` ({}): {}", self.name, self.kind, self.figures());
            return Finding::ok(check, message);
        };
        let (error, advice) = match &self.report.error {
            Some(error) => (
                format!(": {error}"),
                "make the receiver accept it, or change `deliveries` in the configuration; \
                 `gannet serve` tries again within an hour",
            ),
            None => (String::new(), "run `gannet serve`, which delivers"),
        };
        Finding::warn(
            check,
            format!("{trouble}{error}; {}", self.figures()),
            advice,
        )
    }

    /// `3 messages pending, the oldest of 2025-06-02T06:00:00Z; 1 given up; 12 delivered`.
    fn figures(&self) -> String {
        let mut parts = Vec::new();
        if let Some(oldest) = self.oldest_pending {
            let pending = counted(self.pending, "message", "messages");
            parts.push(format!("{pending} pending, the oldest of {oldest:.0}"));
        }
        if self.report.given_up > 0 {
            parts.push(format!("{} given up", self.report.given_up));
        }
        parts.push(format!("{} delivered", self.report.delivered));
        parts.join("; ")
    }
}

impl Gannet {
    /// The configured deliveries, and how they are.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn delivery_statuses(&self) -> Result<Vec<DeliveryStatus>, HostError> {
        if enabled(self.config()).next().is_none() {
            return Ok(Vec::new());
        }
        Ok(statuses(self.config(), &rows::all(self.store()).await?))
    }
}

/// The same of a store that is not open, as findings.
pub(crate) async fn findings(options: &StoreOptions, config: &Config) -> Vec<Finding> {
    if enabled(config).next().is_none() {
        return Vec::new();
    }
    let rows = match rows::all_of(options).await {
        Ok(rows) => rows,
        Err(error) => {
            let advice = "run `gannet index verify --deep`, which looks at every part";
            return vec![Finding::fail("deliveries", error.to_string(), advice)];
        }
    };
    let now = Timestamp::now();
    let statuses = statuses(config, &rows).into_iter();
    statuses.map(|one| one.finding(now)).collect()
}

fn enabled(config: &Config) -> impl Iterator<Item = (&String, &DeliveryConfig)> {
    config.deliveries.iter().filter(|(_, one)| one.enabled)
}

fn statuses(config: &Config, rows: &Rows) -> Vec<DeliveryStatus> {
    let statuses = enabled(config).map(|(name, delivery)| {
        let waiting = rows.waiting_since(name);
        DeliveryStatus {
            name: name.clone(),
            kind: delivery.kinds().first().copied().unwrap_or_default(),
            pending: waiting.len() as u64,
            oldest_pending: waiting.into_iter().min(),
            report: rows.report(name),
        }
    });
    statuses.collect()
}
