//! Digests that are made on a schedule.

use std::collections::BTreeMap;

use cronexpr::Crontab;
use gannet_api::DEFAULT_TENANT;
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A digest that is made on a schedule and delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DigestConfig {
    /// Whether it is made.
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// When, as a cron line: minute, hour, day of the month, month, day of the
    /// week.
    #[schemars(length(min = 9))]
    pub schedule: String,
    /// The time zone of the schedule and of the times in it (IANA name);
    /// `timezone` when not set.
    #[serde(default)]
    pub timezone: Option<String>,
    /// The start of its time, in words or as a date; the digest before when
    /// not set.
    #[serde(default)]
    pub since: Option<String>,
    /// The field that its sentences are grouped by.
    #[serde(default)]
    pub by: Option<String>,
    /// Characters at most; those of the pipeline when not set.
    #[serde(default)]
    #[schemars(range(min = 300, max = 20_000))]
    pub max_chars: Option<usize>,
    /// Only entries with these values.
    #[serde(default)]
    pub filter: BTreeMap<String, String>,
    /// Whose entries it is about.
    #[serde(default = "default_tenant")]
    #[schemars(length(min = 1))]
    pub tenant: String,
    /// Where it is delivered: names of `deliveries`.
    #[schemars(length(min = 1))]
    pub deliver_to: Vec<String>,
}

fn enabled() -> bool {
    true
}

fn default_tenant() -> String {
    DEFAULT_TENANT.to_owned()
}

/// How far back a time of a schedule is looked for, in days.
const LOOK_BACK_DAYS: i64 = 400;

/// The times of a cron line.
#[derive(Debug, Clone)]
pub struct CronSchedule(Crontab);

impl CronSchedule {
    /// A cron line in a time zone.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn new(line: &str, timezone: &str) -> Result<Self, String> {
        if line.split_whitespace().count() != 5 {
            return Err(format!(
                "`{line}` does not have five fields: minute, hour, day of the month, month, day \
                 of the week"
            ));
        }
        let crontab = cronexpr::parse_crontab(&format!("{} {timezone}", line.trim()));
        // The message has a drawing of the place on further lines.
        crontab.map(Self).map_err(|error| {
            let message = error.to_string();
            let last = message.lines().rfind(|line| !line.trim().is_empty());
            let reason = last.unwrap_or_default().trim_start_matches(['^', ' ', '|']);
            format!("`{line}` is not a cron line: {reason}")
        })
    }

    /// The first time after an instant; none for a line such as `0 0 30 2 *`.
    pub fn next_after(&self, instant: Timestamp) -> Option<Timestamp> {
        let next = self.0.find_next(instant).ok()?;
        Some(next.timestamp())
    }

    /// The last time after one instant and until another one.
    pub fn last_between(&self, after: Timestamp, until: Timestamp) -> Option<Timestamp> {
        let earliest = until.checked_sub((LOOK_BACK_DAYS * 24).hours());
        let mut last = None;
        let mut from = earliest.map_or(after, |earliest| after.max(earliest));
        while let Some(next) = self.next_after(from).filter(|next| *next <= until) {
            last = Some(next);
            from = next;
        }
        last
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_cron_line_has_its_times_in_its_time_zone() {
        let six = CronSchedule::new("0 6 * * *", "Europe/Berlin").unwrap();
        let next = |from: &str| six.next_after(at(from)).unwrap();
        assert_eq!(next("2025-01-10T05:00:00Z"), at("2025-01-11T05:00:00Z"));
        // In summer 06:00 in Berlin is an hour earlier.
        assert_eq!(next("2025-07-10T03:59:00Z"), at("2025-07-10T04:00:00Z"));
    }

    #[test]
    fn of_several_missed_times_the_last_one_counts() {
        let shift = CronSchedule::new("0 6,14,22 * * *", "UTC").unwrap();
        let last = |until: &str| shift.last_between(at("2025-06-01T06:00:00Z"), at(until));
        assert_eq!(last("2025-06-01T13:59:00Z"), None);
        assert_eq!(
            last("2025-06-01T14:00:00Z"),
            Some(at("2025-06-01T14:00:00Z"))
        );
        assert_eq!(
            last("2025-06-03T07:00:00Z"),
            Some(at("2025-06-03T06:00:00Z"))
        );
    }

    #[test]
    fn a_line_that_is_not_one_is_refused() {
        for wrong in ["", "0 6 * *", "0 6 * * * UTC", "0 25 * * *", "a b c d e"] {
            let refused = CronSchedule::new(wrong, "UTC").unwrap_err();
            assert!(refused.contains(&format!("`{wrong}`")), "{refused}");
            assert_eq!(refused.lines().count(), 1, "{refused}");
        }
    }
}
