//! The time of a record under one of the names that sources have for it.

use gannet_api::time_name_rank;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::read_timestamp;

/// Seconds since 1970 below which a number is rather something else: it would
/// be a time before March 1973.
const FIRST_SECOND: f64 = 1e8;

/// The time of a record that has no `timestamp`: the value of the likeliest
/// key by [`time_name_rank`] that can be read as one.
///
/// ```
/// use gannet_plugin::ingest::known_time;
/// use jiff::tz::TimeZone;
/// use serde_json::json;
///
/// let record = json!({"date": "soon", "ts": 1704412800, "created": 5, "note": "2024-01-05"});
/// let found = known_time(record.as_object().unwrap(), &TimeZone::UTC);
/// assert_eq!(found, Some(("ts", &json!(1704412800))));
/// ```
pub fn known_time<'r>(
    record: &'r Map<String, Value>,
    zone: &TimeZone,
) -> Option<(&'r str, &'r Value)> {
    let ranked = record.iter().filter_map(|(key, value)| {
        let rank = time_name_rank(key)?;
        Some((rank, key.as_str(), value))
    });
    let times = ranked.filter(|(_, key, value)| {
        let may_be = match value {
            Value::Number(number) => number.as_f64().is_some_and(|one| one >= FIRST_SECOND),
            Value::String(text) => text.contains(['-', ':', '/']),
            _ => false,
        };
        may_be && read_timestamp(key, value, zone).is_ok()
    });
    let first = times.min_by_key(|(rank, ..)| *rank);
    first.map(|(_, key, value)| (key, value))
}
