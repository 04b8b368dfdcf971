//! How times are written in a column.

use gannet_plugin::ingest::read_timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Formats of dates and times, in the directives of `strftime`.
const DATES: [&str; 9] = [
    "%d/%m/%Y", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%b-%Y", "%Y-%m-%d", "%d.%m.%y", "%d/%m/%y",
    "%m/%d/%y",
];
const TIMES_BEHIND: [&str; 8] = [
    " %H:%M:%S",
    " %H:%M",
    " %I:%M:%S %p",
    " %I:%M %p",
    " %H:%M Uhr",
    " %H.%M",
    " %Hh%M",
    " %H%M",
];
/// The first year that is not one of two digits.
const FIRST_YEAR: i16 = 1000;

/// How most of the times in a column are written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TimeFormat {
    /// The directives; `None` where they need not be said.
    pub(crate) directives: Option<String>,
    /// Those with day and month in the other order, where as many values fit.
    pub(crate) other_order: Option<String>,
    /// Values that are no such times.
    pub(crate) misfits: usize,
}

impl TimeFormat {
    /// The format that the most values have; `None` where it is not more than
    /// half of them.
    pub(crate) fn of(values: &[String], may_be_numbers: bool) -> Option<Self> {
        let fitting = |directives: &str| {
            let fits = |value: &&String| read_local(directives, value).is_some();
            values.iter().filter(fits).count()
        };
        let is_known = |value: &&String| is_read(value, may_be_numbers);
        let mut best = (values.iter().filter(is_known).count(), None);
        let with_time = DATES
            .iter()
            .flat_map(|date| TIMES_BEHIND.map(|time| format!("{date}{time}")));
        for directives in with_time.chain(DATES.map(str::to_owned)) {
            let count = fitting(&directives);
            if count > best.0 {
                best = (count, Some(directives));
            }
        }
        let (count, directives) = best;
        let swapped = directives.as_deref().and_then(other_order);
        (count * 2 > values.len()).then(|| Self {
            other_order: swapped.filter(|swapped| fitting(swapped) == count),
            directives,
            misfits: values.len() - count,
        })
    }
}

/// Whether a value is read as a time without a format. One that is only a
/// number is taken for a time where the name of the column says so.
fn is_read(value: &str, may_be_numbers: bool) -> bool {
    (may_be_numbers || value.contains(['-', ':', '/']))
        && read_timestamp("", &value.into(), &TimeZone::UTC).is_ok()
}

/// The first of the two orders is the one that is found.
fn other_order(directives: &str) -> Option<String> {
    let behind = directives.strip_prefix("%d/%m/")?;
    Some(format!("%m/%d/{behind}"))
}

/// Reads a local time; without a time of day it is midnight.
pub(crate) fn read_local(format: &str, text: &str) -> Option<DateTime> {
    let parsed = jiff::fmt::strtime::parse(format, text).ok()?;
    let date = parsed.to_date().ok()?;
    if date.year() < FIRST_YEAR {
        return None;
    }
    Some(date.to_datetime(parsed.to_time().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn found(values: &[&str]) -> Option<TimeFormat> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        TimeFormat::of(&values, false)
    }

    #[test]
    fn an_order_of_day_and_month_is_certain_where_a_value_tells() {
        for (values, directives, other) in [
            (["03/04/2026", "04/05/2026"], "%d/%m/%Y", Some("%m/%d/%Y")),
            (["03/04/2026", "25/05/2026"], "%d/%m/%Y", None),
            (["03/04/2026", "04/25/2026"], "%m/%d/%Y", None),
            (
                ["03/04/2026 08:30", "04/05/2026 09:00"],
                "%d/%m/%Y %H:%M",
                Some("%m/%d/%Y %H:%M"),
            ),
            (["03.04.2026", "04.05.2026"], "%d.%m.%Y", None),
        ] {
            let format = found(&values).unwrap();
            assert_eq!(format.directives.as_deref(), Some(directives));
            assert_eq!(format.other_order.as_deref(), other, "{values:?}");
            assert_eq!(format.misfits, 0, "{values:?}");
        }
    }

    #[test]
    fn years_of_two_digits_and_other_ways_of_writing_times_are_found() {
        for (value, directives) in [
            ("05.01.24 6:15", "%d.%m.%y %H:%M"),
            ("05.01.2024 06:15 Uhr", "%d.%m.%Y %H:%M Uhr"),
            ("05.01.2024 6.15", "%d.%m.%Y %H.%M"),
            ("05.01.2024 0615", "%d.%m.%Y %H%M"),
            ("25/01/24 06h15", "%d/%m/%y %Hh%M"),
        ] {
            let format = found(&[value]).unwrap();
            assert_eq!(format.directives.as_deref(), Some(directives), "{value}");
            let read = read_local(directives, value).unwrap();
            assert_eq!((read.year(), read.minute()), (2024, 15), "{value}");
        }
    }

    #[test]
    fn the_format_of_most_values_is_found_and_one_of_half_is_none() {
        let format = found(&["05.01.2024", "soon", "06.01.2024"]).unwrap();
        assert_eq!(format.directives.as_deref(), Some("%d.%m.%Y"));
        assert_eq!(format.misfits, 1);
        let known = found(&["2024-01-05", "2024-01-06 08:30", "-"]).unwrap();
        assert_eq!((known.directives, known.misfits), (None, 1));
        assert_eq!(found(&["05.01.2024", "soon"]), None);
        assert_eq!(found(&[]), None);
    }
}
