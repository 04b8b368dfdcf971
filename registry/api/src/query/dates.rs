//! Dates of a query: days, months, years and spans of them.

use jiff::{SignedDuration, Span, Timestamp, civil::Date, civil::DateTime};

use super::QueryOptions;
use crate::TimeRange;

/// What a date may look like, for messages.
pub(super) const ACCEPTED_DATES: &str = "`2024`, `2024-06`, `2024-06-12`, `2024-06-12T14:30`, \
     `2024-01..2024-03` (either end may be missing), `>=2024-01` (also `>`, `<=`, `<`), `today`, \
     `yesterday`, `7d` and `24h`";

/// What a date may look like that is one end of a span, for messages.
pub(super) const ACCEPTED_DAYS: &str =
    "`2024`, `2024-06`, `2024-06-12`, `2024-06-12T14:30`, `today`, `yesterday`, `7d` and `24h`";

/// The instants from `start` until just before `end`; no `end` when it lies
/// beyond what a timestamp can hold.
#[derive(Clone, Copy)]
struct Moment {
    start: Timestamp,
    end: Option<Timestamp>,
}

/// The span of time that a `date:` value means, or `None` when it is no date.
///
/// | value | meaning |
/// |---|---|
/// | `2024`, `2024-06`, `2024-06-12` | that year, month, day; `2024-6` is `2024-06` |
/// | `2024-06-12T14:30`, also with seconds, `Z` or an offset | that minute, second |
/// | `today`, `yesterday` | that day |
/// | `7d` | today and the 7 days before it, so that nothing of the last 7 times 24 hours is missed |
/// | `24h` | the last 24 hours, and what is to come |
/// | `2024-01..2024-03` | from the start of the first to the end of the last; either may be missing |
/// | `2024-01..<2024-03` | from the start of the first to the start of the last |
/// | `>=2024-01`, `>2024-01` | from its start, after its end |
/// | `<=2024-01`, `<2024-01` | to its end, before its start |
///
/// Days are days of [`QueryOptions::timezone`], so a day may have 23 or 25
/// hours. An end without a time of day includes that whole day. The ends of a
/// range that runs backwards are swapped.
///
/// ```
/// use gannet_api::query::{QueryOptions, parse_date_span};
///
/// let options = QueryOptions::default();
/// let june = parse_date_span("2024-06", &options).unwrap();
/// assert_eq!(june.from, Some("2024-06-01T00:00:00Z".parse().unwrap()));
/// assert_eq!(june.until, Some("2024-07-01T00:00:00Z".parse().unwrap()));
/// assert_eq!(parse_date_span("2024-06-31", &options), None);
/// ```
pub fn parse_date_span(text: &str, options: &QueryOptions) -> Option<TimeRange> {
    let text = text.trim();
    if let Some((comparison, rest)) = split_comparison(text) {
        let moment = read_moment(rest, options)?;
        return comparison_range(comparison, moment);
    }
    if let Some((from, until)) = text.split_once("..") {
        return read_range(from.trim(), until.trim(), options);
    }
    let moment = read_moment(text, options)?;
    Some(TimeRange {
        from: Some(moment.start),
        until: moment.end,
    })
}

/// The ends of a range that runs backwards, as they are written.
pub(super) fn backwards<'t>(text: &'t str, options: &QueryOptions) -> Option<(&'t str, &'t str)> {
    let (from, until) = text.split_once("..")?;
    let (from, until) = (from.trim(), until.trim());
    let last = until.strip_prefix('<').unwrap_or(until).trim_start();
    let is_backwards = read_moment(last, options)?.start < read_moment(from, options)?.start;
    is_backwards.then_some((from, until))
}

/// The comparison sign at the start of a value, and what follows it.
pub(super) fn split_comparison(text: &str) -> Option<(&'static str, &str)> {
    [">=", "<=", ">", "<"]
        .into_iter()
        .find_map(|sign| Some((sign, text.strip_prefix(sign)?.trim_start())))
}

fn comparison_range(comparison: &str, moment: Moment) -> Option<TimeRange> {
    let (from, until) = match comparison {
        ">=" => (Some(moment.start), None),
        ">" => (Some(moment.end?), None),
        "<=" => (None, Some(moment.end?)),
        _ => (None, Some(moment.start)),
    };
    Some(TimeRange { from, until })
}

fn read_range(from: &str, until: &str, options: &QueryOptions) -> Option<TimeRange> {
    if let Some(until) = until.strip_prefix('<') {
        return Some(TimeRange {
            from: Some(read_moment(from, options)?.start),
            until: Some(read_moment(until.trim_start(), options)?.start),
        });
    }
    let (first, last) = match (from.is_empty(), until.is_empty()) {
        (true, true) => return None,
        (false, true) => (Some(read_moment(from, options)?), None),
        (true, false) => (None, Some(read_moment(until, options)?)),
        (false, false) => in_order(read_moment(from, options)?, read_moment(until, options)?),
    };
    Some(TimeRange {
        from: first.map(|moment| moment.start),
        until: last.and_then(|moment| moment.end),
    })
}

fn in_order(one: Moment, other: Moment) -> (Option<Moment>, Option<Moment>) {
    if other.start < one.start {
        (Some(other), Some(one))
    } else {
        (Some(one), Some(other))
    }
}

fn read_moment(text: &str, options: &QueryOptions) -> Option<Moment> {
    read_relative_days(text, options)
        .or_else(|| read_calendar(text, options))
        .or_else(|| read_clock_time(text, options))
}

fn read_relative_days(text: &str, options: &QueryOptions) -> Option<Moment> {
    let today = options.now.to_zoned(options.timezone.clone()).date();
    let text = text.to_ascii_lowercase();
    match text.as_str() {
        "today" => return days(today, today, options),
        "yesterday" => {
            let yesterday = today.yesterday().ok()?;
            return days(yesterday, yesterday, options);
        }
        _ => {}
    }
    if let Some(hours) = text.strip_suffix('h') {
        let back = SignedDuration::from_hours(digits(hours, 1..=5)?);
        let start = options.now.checked_sub(back).ok()?;
        return Some(Moment { start, end: None });
    }
    let back = digits(text.strip_suffix('d')?, 1..=5)?;
    let first = today.checked_sub(Span::new().days(back)).ok()?;
    days(first, today, options)
}

/// `2024`, `2024-6`, `2024-6-3`, with or without the zeros.
fn read_calendar(text: &str, options: &QueryOptions) -> Option<Moment> {
    let mut parts = text.split('-');
    let year = small(parts.next()?, 4..=4)?;
    let month = parts.next();
    let day = parts.next();
    if parts.next().is_some() || year == 0 {
        return None;
    }
    let (first, last) = match (month, day) {
        (None, _) => (Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?),
        (Some(month), None) => {
            let first = Date::new(year, small(month, 1..=2)?.try_into().ok()?, 1).ok()?;
            (first, first.last_of_month())
        }
        (Some(month), Some(day)) => {
            let month = small(month, 1..=2)?.try_into().ok()?;
            let date = Date::new(year, month, small(day, 1..=2)?.try_into().ok()?).ok()?;
            (date, date)
        }
    };
    days(first, last, options)
}

/// From the start of the first day to the end of the last. The start of a day
/// is its first instant: where clocks jump at midnight, it is 01:00.
fn days(first: Date, last: Date, options: &QueryOptions) -> Option<Moment> {
    let start_of = |date: Date| {
        let start = date.to_zoned(options.timezone.clone()).ok()?;
        Some(start.timestamp())
    };
    Some(Moment {
        // The last days of the calendar begin beyond the last timestamp.
        start: start_of(first).unwrap_or(Timestamp::MAX),
        end: last.tomorrow().ok().and_then(start_of),
    })
}

/// A date with a time of day: the minute or second that it names.
fn read_clock_time(text: &str, options: &QueryOptions) -> Option<Moment> {
    let (_, clock) = text.split_once(['T', 't', ' '])?;
    let start = match text.parse::<Timestamp>() {
        Ok(instant) => instant,
        Err(_) => text
            .parse::<DateTime>()
            .ok()?
            .to_zoned(options.timezone.clone())
            .ok()?
            .timestamp(),
    };
    let end = start.checked_add(precision(clock)).ok();
    Some(Moment { start, end })
}

/// How long the time is that a time of day names, by how it is written.
fn precision(clock: &str) -> SignedDuration {
    let clock = clock
        .split(['Z', 'z', '+', '-', '['])
        .next()
        .unwrap_or(clock);
    if clock.contains(['.', ',']) {
        return SignedDuration::from_nanos(1);
    }
    match clock.matches(':').count() {
        0 => SignedDuration::from_hours(1),
        1 => SignedDuration::from_mins(1),
        _ => SignedDuration::from_secs(1),
    }
}

fn small(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i16> {
    digits(text, length)?.try_into().ok()
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let plain = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}
