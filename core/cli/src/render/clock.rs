//! Times as people read them: in the configured time zone, with its name.

use gannet_core::{Gannet, TO_THE_MINUTE};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Writes times in one time zone.
#[derive(Clone)]
pub struct Clock(TimeZone);

impl Clock {
    /// The clock of the configured `timezone`.
    pub fn of(gannet: &Gannet) -> Self {
        Self(gannet.time_zone())
    }

    /// The clock of a time zone.
    pub fn in_zone(zone: TimeZone) -> Self {
        Self(zone)
    }

    /// The clock of Greenwich.
    #[cfg(test)]
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// `2025-03-14`
    pub fn day(&self, time: Timestamp) -> String {
        self.write(time, "%Y-%m-%d")
    }

    /// `2025-03-14 09:30 UTC`
    pub fn minute(&self, time: Timestamp) -> String {
        self.write(time, TO_THE_MINUTE)
    }

    /// `2025-03-14 09:30:00 UTC`
    pub fn second(&self, time: Timestamp) -> String {
        self.write(time, "%Y-%m-%d %H:%M:%S %Z")
    }

    fn write(&self, time: Timestamp, format: &str) -> String {
        time.to_zoned(self.0.clone()).strftime(format).to_string()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_the_zone_with_its_name() {
        let berlin = Clock(TimeZone::get("Europe/Berlin").unwrap());
        let time: Timestamp = "2025-07-14T22:30:15Z".parse().unwrap();
        assert_eq!(berlin.minute(time), "2025-07-15 00:30 CEST");
        assert_eq!(Clock(TimeZone::UTC).second(time), "2025-07-14 22:30:15 UTC");
    }
}
