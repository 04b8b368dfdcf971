//! The ways in which a record says when it was logged.

use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use serde_json::Value;

/// Reads RFC 3339 text, a date or date and time without an offset (in
/// `zone`), or seconds since 1970 as a number or as text. `key` is what the
/// source calls it, for the reason.
///
/// Texts of four or eight digits are refused: `2024` and `20240105` are more
/// likely a year and a date than minutes in 1970.
///
/// # Errors
/// A reason, for a person.
///
/// ```
/// use gannet_plugin::ingest::read_timestamp;
/// use jiff::tz::TimeZone;
/// use serde_json::json;
///
/// let zone = TimeZone::get("Europe/Berlin").unwrap();
/// let read = |value| read_timestamp("timestamp", &value, &zone).map(|time| time.to_string());
///
/// assert_eq!(read(json!("2024-01-05T08:30:00+02:00")).unwrap(), "2024-01-05T06:30:00Z");
/// assert_eq!(read(json!("2024-01-05 08:30")).unwrap(), "2024-01-05T07:30:00Z");
/// assert_eq!(read(json!(1704412800)).unwrap(), "2024-01-05T00:00:00Z");
/// assert!(read(json!("20240105")).is_err());
/// ```
pub fn read_timestamp(
    key: &str,
    value: &Value,
    zone: &TimeZone,
) -> std::result::Result<Timestamp, String> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .map(Timestamp::from_second)
            .or_else(|| number.as_f64().map(from_fractional_seconds))
            .and_then(std::result::Result::ok),
        Value::String(text) => read_text(text.trim(), zone),
        _ => None,
    }
    .ok_or_else(|| {
        if is_out_of_range(value) {
            return format!("`{key}` {value} is after {LAST} or before {FIRST}");
        }
        format!(
            "`{key}` {value} is not a valid timestamp; write RFC 3339 (2024-01-05T08:30:00Z), a local time \
             (2024-01-05T08:30:00), or seconds since 1970"
        )
    })
}

/// The years that timestamps of all time zones are within.
const FIRST: &str = "-9999-01-02T01:59:59Z";
const LAST: &str = "9999-12-30T22:00:00Z";

/// Whether a text begins as a date and time that is only too far away.
fn is_out_of_range(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default().trim();
    let has_time = text
        .as_bytes()
        .get(10)
        .is_some_and(|byte| b"Tt ".contains(byte));
    let without_zone = text.get(.."2024-01-05T08:30:00".len());
    has_time && without_zone.is_some_and(|text| text.parse::<jiff::civil::DateTime>().is_ok())
}

fn read_text(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Some(seconds) = epoch_text(text) {
        return from_fractional_seconds(seconds).ok();
    }
    text.parse().ok().or_else(|| read_local(text, zone))
}

/// The number in a text of seconds since 1970.
fn epoch_text(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain_number = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !is_plain_number || matches!(digits.len(), 4 | 8) {
        return None;
    }
    text.parse().ok()
}

/// Rounds to microseconds: a double holds no more of today's seconds.
fn from_fractional_seconds(seconds: f64) -> std::result::Result<Timestamp, jiff::Error> {
    // Casts of floats saturate; what is out of range is refused by jiff.
    Timestamp::from_microsecond((seconds * 1e6).round() as i64)
}

/// A date, or a date and a time, that says nothing of its offset.
fn read_local(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let pieces = Pieces::parse(text).ok()?;
    let says_its_zone = pieces.offset().is_some() || pieces.time_zone_annotation().is_some();
    // `20240105` parses as a date, but may as well be seconds.
    if says_its_zone || text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let time = pieces.time().unwrap_or(Time::midnight());
    zone.to_timestamp(DateTime::from_parts(pieces.date(), time))
        .ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> std::result::Result<Timestamp, String> {
        let zone = TimeZone::get("America/New_York").unwrap();
        read_timestamp("logged_at", &value, &zone)
    }

    #[test]
    fn local_times_are_those_of_the_zone_with_its_summer_time() {
        for (text, instant) in [
            ("1999-07-13T17:17:00", "1999-07-13T21:17:00Z"),
            (" 1999-01-13 17:17 ", "1999-01-13T22:17:00Z"),
            ("1999-01-13", "1999-01-13T05:00:00Z"),
            ("1999-01-13T17:17:00+02:00", "1999-01-13T15:17:00Z"),
        ] {
            assert_eq!(read(json!(text)).unwrap().to_string(), instant, "{text}");
        }
    }

    #[test]
    fn seconds_are_numbers_or_texts_with_fractions() {
        for value in [json!(1704412800.25), json!("1704412800.25")] {
            assert_eq!(read(value).unwrap().to_string(), "2024-01-05T00:00:00.25Z");
        }
        assert_eq!(read(json!("-1")).unwrap().as_second(), -1);
    }

    #[test]
    fn what_is_no_time_is_refused_with_its_key() {
        for value in [
            json!("2024"),
            json!("20240105"),
            json!("1e9"),
            json!("nan"),
            json!("-"),
            json!("."),
            json!(""),
            json!("2024-13-01"),
            json!("1704412800000"),
            json!(1704412800000_i64),
            json!(true),
            json!(null),
        ] {
            let reason = read(value.clone()).unwrap_err();
            let beginning = format!("`logged_at` {value} is not a valid timestamp");
            assert!(reason.starts_with(&beginning), "{reason}");
        }
    }

    #[test]
    fn a_time_beyond_the_calendar_is_told_from_a_wrong_one() {
        for text in ["9999-12-31T00:00:00Z", "9999-12-31T23:59:59"] {
            let reason = read(json!(text)).unwrap_err();
            assert!(
                reason.ends_with("is after 9999-12-30T22:00:00Z or before -9999-01-02T01:59:59Z"),
                "{reason}"
            );
        }
        assert!(read(json!("9999-12-30T21:00:00Z")).is_ok());
    }

    /// Instants of the years that a source may have.
    fn instants() -> impl Strategy<Value = Timestamp> {
        (-2_000_000_000_i64..4_000_000_000, 0i32..1_000_000_000)
            .prop_map(|(second, nanosecond)| Timestamp::new(second, nanosecond).unwrap())
    }

    proptest! {
        #[test]
        fn rfc_3339_is_read_to_the_nanosecond(instant in instants()) {
            prop_assert_eq!(read(json!(instant.to_string())), Ok(instant));
        }

        #[test]
        fn whole_seconds_are_read_as_number_and_as_text(second in 1_000_000_000_i64..9_999_999_999) {
            let instant = Timestamp::from_second(second).unwrap();
            prop_assert_eq!(read(json!(second)), Ok(instant));
            prop_assert_eq!(read(json!(second.to_string())), Ok(instant));
        }

        #[test]
        fn a_local_time_has_the_clock_of_the_zone(instant in instants()) {
            let zone = TimeZone::get("America/New_York").unwrap();
            let clock = instant.to_zoned(zone.clone()).datetime();
            let read = read(json!(clock.to_string())).unwrap();
            prop_assert_eq!(read.to_zoned(zone).datetime(), clock);
        }

        #[test]
        fn no_text_is_a_panic(text in "[-+0-9.:TZe ]{0,24}|\\PC{0,16}") {
            let _ = read(json!(text));
        }
    }
}
