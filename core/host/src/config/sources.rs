//! Sources that are followed, and how.

use std::time::Duration;

use gannet_api::DEFAULT_TENANT;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A source that `gannet watch` follows and, where it has an interval, the
/// service too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SourceConfig {
    /// Whether it is followed.
    pub enabled: bool,
    /// The adapter that reads it; `ingestion.adapter` when not set.
    pub adapter: Option<String>,
    /// The file, folder or address; the adapter's own when not set.
    pub source_url: Option<String>,
    /// Seconds from the end of one poll to the next. Without it the service
    /// does not follow the source, and `gannet watch` takes
    /// `ingestion.poll_interval_seconds`.
    #[schemars(range(min = 1))]
    pub poll_interval_seconds: Option<u64>,
    /// Hours after which a poll reads the source from its beginning again, so
    /// that edits and deletions of entries are noticed that are older than what
    /// an adapter reads when it goes on where it stopped. Without it only the
    /// first poll does.
    #[schemars(range(min = 1))]
    pub full_read_interval_hours: Option<u32>,
    /// Whose entries they become.
    #[schemars(length(min = 1))]
    pub tenant: String,
    /// What becomes of entries that the source does not give any more.
    pub missing: Missing,
}

/// What becomes of entries that a source does not give any more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// They stay, unless the source says that they are gone.
    #[default]
    Keep,
    /// After a poll they are deleted, as far as it read the source completely.
    Delete,
}

/// How sources are followed. The names and values are ARIEL's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WatchConfig {
    /// Whether a source waits until `gannet ingest` has read its adapter once.
    pub require_initial_ingest: bool,
    /// After so many failures in a row a source is not followed any more.
    #[schemars(range(min = 1))]
    pub max_consecutive_failures: u32,
    /// By how much each failure in a row lengthens the interval.
    #[schemars(range(min = 1.0))]
    pub backoff_multiplier: f64,
    /// The longest interval that failures lead to, in seconds.
    #[schemars(range(min = 1))]
    pub max_interval_seconds: u64,
}

impl WatchConfig {
    /// The time to the next poll after so many failures in a row.
    pub fn interval(&self, interval: Duration, failures: u32) -> Duration {
        if failures == 0 {
            return interval;
        }
        let longest = Duration::from_secs(self.max_interval_seconds).max(interval);
        let exponent = i32::try_from(failures).unwrap_or(i32::MAX);
        let seconds = interval.as_secs_f64() * self.backoff_multiplier.powi(exponent);
        // Beyond what a duration holds it is the longest one too.
        Duration::try_from_secs_f64(seconds).map_or(longest, |wait| wait.min(longest))
    }
}

impl Default for SourceConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            adapter: None,
            source_url: None,
            poll_interval_seconds: None,
            full_read_interval_hours: None,
            tenant: DEFAULT_TENANT.to_owned(),
            missing: Missing::Keep,
        }
    }
}

impl Default for WatchConfig {
    fn default() -> Self {
        Self {
            require_initial_ingest: false,
            max_consecutive_failures: 10,
            backoff_multiplier: 2.0,
            max_interval_seconds: 3600,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_grows_as_ariels() {
        for case in gannet_test_cases::cases("ariel.jsonl", "backoff") {
            let input = &case["input"];
            let config = WatchConfig {
                backoff_multiplier: input["backoff_multiplier"].as_f64().unwrap(),
                max_interval_seconds: input["max_interval_seconds"].as_u64().unwrap(),
                ..WatchConfig::default()
            };
            let base = Duration::from_secs(input["poll_interval_seconds"].as_u64().unwrap());
            let failures = input["consecutive_failures"].as_u64().unwrap();
            let interval = config.interval(base, u32::try_from(failures).unwrap());
            assert_eq!(
                Some(interval.as_secs_f64()),
                case["expected"].as_f64(),
                "{case}"
            );
        }
    }

    #[test]
    fn no_number_of_failures_is_too_many_and_an_interval_is_never_shortened() {
        let config = WatchConfig::default();
        let hour = Duration::from_secs(3600);
        assert_eq!(config.interval(Duration::from_secs(1), u32::MAX), hour);
        assert_eq!(config.interval(2 * hour, 3), 2 * hour);
    }
}
