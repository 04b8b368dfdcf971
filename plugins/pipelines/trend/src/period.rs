//! Days, weeks, months and years.

use gannet_plugin::prelude::{Error, Result};
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};

/// Periods of a trend, at most.
const MOST_PERIODS: usize = 400;
/// Periods at most where the unit is chosen here.
const FITTING_PERIODS: usize = 62;
/// The share of a period that may be missing of one that counts as complete.
const MISSING_SHARE: f64 = 0.05;

/// What entries are counted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    #[default]
    Day,
    Week,
    Month,
    Year,
}

/// A span of time, its end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeSpan {
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
}

/// A day, week, month or year.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Period {
    /// `2025-03-01`, `2025-W09`, `2025-03` or `2025`.
    pub(crate) name: String,
    pub(crate) span: TimeSpan,
    /// Whether less than 95 % of it is observed.
    pub(crate) is_partial: bool,
}

impl Unit {
    /// What a setting means.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a name of no unit.
    pub(crate) fn of(name: &str) -> Result<Self> {
        match name {
            "day" => Ok(Self::Day),
            "week" => Ok(Self::Week),
            "month" => Ok(Self::Month),
            "year" => Ok(Self::Year),
            _ => Err(Error::invalid_input(format!(
                "unit: must be day, week, month or year, not {name:?}"
            ))),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    fn step(self) -> Span {
        match self {
            Self::Day => Span::new().days(1),
            Self::Week => Span::new().weeks(1),
            Self::Month => Span::new().months(1),
            Self::Year => Span::new().years(1),
        }
    }

    /// The first day of the unit that has this day.
    fn start(self, day: Date) -> Result<Date> {
        match self {
            Self::Day => Ok(day),
            Self::Week => {
                let days = i64::from(day.weekday().since(Weekday::Monday));
                day.checked_sub(Span::new().days(days))
                    .map_err(out_of_range)
            }
            Self::Month => Ok(day.first_of_month()),
            Self::Year => Ok(day.first_of_year()),
        }
    }

    fn name_of(self, start: Date) -> String {
        let form = match self {
            Self::Day => "%Y-%m-%d",
            Self::Week => "%G-W%V",
            Self::Month => "%Y-%m",
            Self::Year => "%Y",
        };
        start.strftime(form).to_string()
    }
}

impl TimeSpan {
    pub(crate) fn days(self) -> f64 {
        self.until.duration_since(self.from).as_secs_f64() / 86_400.0
    }
}

/// The periods that hold an observed span, without gaps, in a time zone. Without
/// a unit it is the smallest one with few periods.
///
/// # Errors
/// [`Error::InvalidInput`] for a unit with more than 400 periods.
pub(crate) fn periods(
    unit: Option<Unit>,
    observed: TimeSpan,
    zone: &TimeZone,
) -> Result<(Unit, Vec<Period>)> {
    let day = |time: Timestamp| time.to_zoned(zone.clone()).date();
    let last = observed.until.checked_sub(Span::new().microseconds(1));
    let (first, last) = (day(observed.from), day(last.map_err(out_of_range)?));
    let chosen = match unit {
        Some(unit) => starts(unit, first, last, MOST_PERIODS)?.map(|days| (unit, days)),
        None => fitting(first, last)?,
    };
    let Some((unit, days)) = chosen else {
        let unit = unit.unwrap_or(Unit::Year);
        let advice = match unit {
            Unit::Year => "name a shorter time, such as `since 2000`",
            _ => "name a longer unit, or a shorter time",
        };
        return Err(Error::invalid_input(format!(
            "unit: there are more than {MOST_PERIODS} periods of a {} from {first} to {last}; \
             {advice}",
            unit.name()
        )));
    };
    let start = |day: Date| -> Result<Timestamp> {
        let zoned = day.to_zoned(zone.clone()).map_err(out_of_range)?;
        Ok(zoned.timestamp())
    };
    let pairs = days.windows(2);
    let periods = pairs.map(|pair| {
        let span = TimeSpan {
            from: start(pair[0])?,
            until: start(pair[1])?,
        };
        Ok(Period {
            name: unit.name_of(pair[0]),
            is_partial: is_partial(span, observed),
            span,
        })
    });
    Ok((unit, periods.collect::<Result<_>>()?))
}

fn fitting(first: Date, last: Date) -> Result<Option<(Unit, Vec<Date>)>> {
    for unit in [Unit::Day, Unit::Week, Unit::Month] {
        if let Some(days) = starts(unit, first, last, FITTING_PERIODS)? {
            return Ok(Some((unit, days)));
        }
    }
    let years = starts(Unit::Year, first, last, MOST_PERIODS)?;
    Ok(years.map(|days| (Unit::Year, days)))
}

/// The first days of the periods, and the day after the last one. `None` where
/// there are more periods than `most`.
fn starts(unit: Unit, first: Date, last: Date, most: usize) -> Result<Option<Vec<Date>>> {
    let mut at = unit.start(first)?;
    let mut days = vec![at];
    while at <= last {
        if days.len() > most {
            return Ok(None);
        }
        at = at.checked_add(unit.step()).map_err(out_of_range)?;
        days.push(at);
    }
    Ok(Some(days))
}

fn is_partial(period: TimeSpan, observed: TimeSpan) -> bool {
    let both = TimeSpan {
        from: period.from.max(observed.from),
        until: period.until.min(observed.until),
    };
    both.days() < period.days() * (1.0 - MISSING_SHARE)
}

fn out_of_range(error: jiff::Error) -> Error {
    Error::invalid_input(format!("a time is out of range: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn span(from: &str, until: &str) -> TimeSpan {
        TimeSpan {
            from: from.parse().unwrap(),
            until: until.parse().unwrap(),
        }
    }

    fn names(unit: Option<Unit>, observed: TimeSpan) -> (Unit, Vec<String>) {
        let (unit, found) = periods(unit, observed, &TimeZone::UTC).unwrap();
        (unit, found.into_iter().map(|period| period.name).collect())
    }

    #[test]
    fn the_smallest_unit_with_few_periods_is_chosen() {
        for (until, unit, count) in [
            ("2025-01-06T12:00:00Z", Unit::Day, 1),
            ("2025-03-01T00:00:00Z", Unit::Day, 54),
            ("2025-12-01T00:00:00Z", Unit::Week, 47),
            ("2029-01-01T00:00:00Z", Unit::Month, 48),
            ("2080-01-01T00:00:00Z", Unit::Year, 55),
        ] {
            let (chosen, found) = names(None, span("2025-01-06T00:00:00Z", until));
            assert_eq!((chosen, found.len()), (unit, count), "{until}");
        }
    }

    #[test]
    fn weeks_begin_on_monday_and_are_of_their_year() {
        let (_, weeks) = names(
            Some(Unit::Week),
            span("2024-12-31T00:00:00Z", "2025-01-07T00:00:00Z"),
        );
        assert_eq!(weeks, ["2025-W01", "2025-W02"]);
    }

    #[test]
    fn the_first_and_the_last_period_may_be_partial() {
        let observed = span("2025-01-20T00:00:00Z", "2025-03-31T12:00:00Z");
        let (_, found) = periods(Some(Unit::Month), observed, &TimeZone::UTC).unwrap();
        let partial: Vec<bool> = found.iter().map(|period| period.is_partial).collect();
        assert_eq!(partial, [true, false, false]);
    }

    #[test]
    fn too_many_periods_are_refused() {
        let years = span("1999-01-01T00:00:00Z", "2025-01-01T00:00:00Z");
        let refused = periods(Some(Unit::Day), years, &TimeZone::UTC).unwrap_err();
        assert!(refused.to_string().contains("longer unit"), "{refused}");
        let stray = span("0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z");
        let refused = periods(None, stray, &TimeZone::UTC)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("a shorter time") && !refused.contains("longer"),
            "{refused}"
        );
        assert!(Unit::of("decade").is_err());
    }
}
