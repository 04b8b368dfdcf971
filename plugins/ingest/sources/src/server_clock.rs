//! Times that a server reads in whole seconds and without their offset.

use gannet_plugin::ingest::Read;
use gannet_plugin::prelude::Record;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::TimeWindow;

/// The end of a span for a server that cuts off fractions and reads local times:
/// a second later, so that the end belongs to the span. When a clock is set back
/// it shows the same times again, and of the two instants with one time a server
/// takes the first. Of the second one this is later by what the clock was set
/// back.
///
/// ```
/// use gannet_sources::server_end;
/// use jiff::{Timestamp, tz::TimeZone};
///
/// let zone = TimeZone::get("America/New_York")?;
/// let end = |end: &str| Ok::<_, jiff::Error>(server_end(end.parse()?, &zone).to_string());
/// assert_eq!(end("2024-11-03T05:30:00Z")?, "2024-11-03T05:30:01Z");
/// // At 06:00 the clock was set back from 2 to 1 o'clock.
/// assert_eq!(end("2024-11-03T06:30:00Z")?, "2024-11-03T07:30:01Z");
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn server_end(end: Timestamp, zone: &TimeZone) -> Timestamp {
    let second = SignedDuration::from_secs(1);
    let end = end.saturating_add(second).unwrap_or(end);
    let shown = end.to_zoned(zone.clone()).datetime();
    // Of two instants this gives the first too.
    let read = shown.to_zoned(zone.clone());
    let set_back = read.map_or(SignedDuration::ZERO, |read| {
        end.duration_since(read.timestamp())
    });
    end.saturating_add(set_back).unwrap_or(end)
}

/// The records of a server that was asked for a span in the local times of this
/// zone.
///
/// # Errors
/// A reason, where an entry lies outside of the span: the server reads the times
/// in another zone, and entries of the span are missing in its answer.
pub fn records_in_zone(
    records: Vec<Record>,
    span: TimeWindow,
    zone: &TimeZone,
) -> Read<Vec<Record>> {
    let asked = TimeWindow {
        start: server_start(span.start, zone),
        end: server_end(span.end, zone),
    };
    let Some(time) = asked.stray(&records) else {
        return Ok(records);
    };
    let zone = zone.iana_name().unwrap_or("the configured zone");
    Err(format!(
        "an entry of {time} came, which is outside of the span: the server does not read times in \
         {zone}; set `server_timezone` to the zone that it runs in"
    ))
}

/// The start of a span for a server that takes the first of two instants with
/// one local time.
fn server_start(start: Timestamp, zone: &TimeZone) -> Timestamp {
    let shown = start.to_zoned(zone.clone()).datetime();
    let read = shown.to_zoned(zone.clone());
    read.map_or(start, |read| read.timestamp().min(start))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::prelude::Entry;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn an_entry_outside_of_the_span_is_an_error_unless_the_clock_was_set_back() {
        let zone = TimeZone::get("America/New_York").unwrap();
        let check = |start: &str, end: &str, time: &str| {
            let entry = Entry::new("E", "log", at(time), "x");
            let span = TimeWindow {
                start: at(start),
                end: at(end),
            };
            let records = vec![Record::Entry(Box::new(entry))];
            records_in_zone(records, span, &zone).map(|records| records.len())
        };
        let (start, end) = ("2024-11-02T06:30:00Z", "2024-11-02T08:30:00Z");
        assert_eq!(check(start, end, "2024-11-02T07:00:00Z"), Ok(1));
        for outside in ["2024-11-02T06:00:00Z", "2024-11-02T09:00:00Z"] {
            let reason = check(start, end, outside).unwrap_err();
            assert!(reason.contains("`server_timezone`"), "{reason}");
            assert!(reason.contains("America/New_York"), "{reason}");
        }
        // At 06:00 the clock was set back from 2 to 1 o'clock.
        let (before, again) = ("2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z");
        assert_eq!(check(again, "2024-11-03T09:00:00Z", before), Ok(1));
        assert_eq!(
            check("2024-11-03T04:00:00Z", again, "2024-11-03T07:15:00Z"),
            Ok(1)
        );
    }
}
