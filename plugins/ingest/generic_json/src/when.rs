//! Times that are said relative to today.

use jiff::civil::Time;
use jiff::{Span, Timestamp, Zoned};
use serde_json::Value;

/// Reads `{days_ago, time}`: a time of day so many days before the day of
/// `now`, in the zone of `now`.
///
/// # Errors
/// A reason, for a person.
pub fn read_when(when: &Value, now: &Zoned) -> std::result::Result<Timestamp, String> {
    let days_ago = &when["days_ago"];
    let day = days_ago
        .as_u64()
        .and_then(|days| i64::try_from(days).ok())
        .and_then(|days| Span::new().try_days(days).ok())
        .and_then(|span| now.date().checked_sub(span).ok())
        .ok_or_else(|| {
            format!("`when.days_ago` {days_ago} is not a valid number of days; write an integer of 0 or more")
        })?;
    let time = &when["time"];
    let time_of_day = time
        .as_str()
        .and_then(|text| Time::strptime("%H:%M:%S", text).ok())
        .ok_or_else(|| {
            format!("`when.time` {time} is not a valid time of day; write \"HH:MM:SS\"")
        })?;

    now.time_zone()
        .to_timestamp(day.to_datetime(time_of_day))
        .map_err(|error| format!("`when`: {error}"))
}
