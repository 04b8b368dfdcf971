//! Times that a server reads in whole seconds and without their offset.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

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
