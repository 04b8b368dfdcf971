//! Times that a server reads without their offset.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The instant, or a later one where the server would read an earlier one. When
/// a clock is set back it shows the same times again, and of the two instants
/// with one time a server takes the first. Of the second one it is given the
/// time that is later by what the clock was set back.
///
/// ```
/// use gannet_sources::not_read_earlier;
/// use jiff::{Timestamp, tz::TimeZone};
///
/// let zone = TimeZone::get("America/New_York")?;
/// // At 06:00 in UTC the clock is set back from 2 to 1 o'clock.
/// let end: Timestamp = "2024-11-03T06:30:00Z".parse()?;
/// let asked = not_read_earlier(end, &zone);
/// assert_eq!(asked.to_string(), "2024-11-03T07:30:00Z");
/// assert_eq!(not_read_earlier(asked, &zone), asked);
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn not_read_earlier(instant: Timestamp, zone: &TimeZone) -> Timestamp {
    let shown = instant.to_zoned(zone.clone()).datetime();
    // Of two instants this gives the first too.
    let read = shown.to_zoned(zone.clone());
    let set_back = read.map_or(SignedDuration::ZERO, |read| {
        instant.duration_since(read.timestamp())
    });
    instant.saturating_add(set_back).unwrap_or(instant)
}
