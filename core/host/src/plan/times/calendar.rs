//! Spans of civil time: days, months, seasons, parts of a day.

use gannet_api::Precision;
use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp, ToSpan, tz::TimeZone};

use crate::plan::language::{PartOfDay, Position, Season, SpanUnit, Third, Unit};

/// Hours of one of the three shifts of a day.
const SHIFT_HOURS: i8 = 8;

/// A span of time in the facility's zone; the end is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) start: DateTime,
    pub(super) end: DateTime,
    pub(super) precision: Precision,
}

impl Moment {
    /// From one day to before another.
    pub(super) fn days(first: Date, after: Date, precision: Precision) -> Option<Self> {
        Self::of(first.at(0, 0, 0, 0), after.at(0, 0, 0, 0), precision)
    }

    fn of(start: DateTime, end: DateTime, precision: Precision) -> Option<Self> {
        (start < end).then_some(Self {
            start,
            end,
            precision,
        })
    }

    pub(super) fn day(date: Date) -> Option<Self> {
        Self::days(date, date.tomorrow().ok()?, Precision::Day)
    }

    pub(super) fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Self::days(first, plus(first, 1.month())?, Precision::Month)
    }

    /// So many months from a first one.
    fn months(year: i16, month: i8, count: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Self::days(first, plus(first, count.months())?, Precision::Season)
    }

    pub(super) fn year(year: i16) -> Option<Self> {
        Self::years(year, 1)
    }

    /// So many years from a first one.
    pub(super) fn years(year: i16, count: i16) -> Option<Self> {
        let first = Date::new(year, 1, 1).ok()?;
        Self::days(first, plus(first, count.years())?, Precision::Year)
    }

    /// Three months; winter begins in the December of its year.
    pub(super) fn season(year: i16, season: Season) -> Option<Self> {
        let first = match season {
            Season::Spring => 3,
            Season::Summer => 6,
            Season::Autumn => 9,
            Season::Winter => 12,
        };
        Self::months(year, first, 3)
    }

    pub(super) fn quarter(year: i16, quarter: i8) -> Option<Self> {
        Self::months(year, 3 * (quarter - 1) + 1, 3)
    }

    /// Days 1 to 10, 11 to 20, and from 21.
    pub(super) fn third_of_month(year: i16, month: i8, third: Third) -> Option<Self> {
        let (first, after) = match third {
            Third::Early => (1, Some(11)),
            Third::Middle => (11, Some(21)),
            Third::Late => (21, None),
        };
        let begin = Date::new(year, month, 1).ok()?;
        let after = match after {
            Some(day) => Date::new(year, month, day).ok()?,
            None => plus(begin, 1.month())?,
        };
        Self::days(Date::new(year, month, first).ok()?, after, Precision::Week)
    }

    /// Four months.
    pub(super) fn third_of_year(year: i16, third: Third) -> Option<Self> {
        let first = match third {
            Third::Early => 1,
            Third::Middle => 5,
            Third::Late => 9,
        };
        Self::months(year, first, 4)
    }

    /// "The first week of May".
    pub(super) fn within_month(
        year: i16,
        month: i8,
        position: Position,
        unit: SpanUnit,
    ) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        let after = plus(first, 1.month())?;
        let last = position == Position::Last;
        let count = number_of(position)?;
        match unit {
            SpanUnit::Day if last => Self::day(first.last_of_month()),
            SpanUnit::Day => Self::day(plus(first, i64::from(count - 1).days())?),
            SpanUnit::Week if last => Self::days(plus(after, (-7).days())?, after, Precision::Week),
            SpanUnit::Week => {
                let from = plus(first, i64::from(7 * (count - 1)).days())?;
                let until = plus(from, 7.days())?.min(after);
                Self::days(from, until, Precision::Week)
            }
            SpanUnit::Half => {
                let middle = plus(first, 15.days())?;
                match position {
                    Position::First => Self::days(first, middle, Precision::Week),
                    Position::Second | Position::Last => Self::days(middle, after, Precision::Week),
                    _ => None,
                }
            }
            SpanUnit::Quarter => None,
        }
    }

    /// "The second quarter of 2019".
    pub(super) fn within_year(year: i16, position: Position, unit: SpanUnit) -> Option<Self> {
        let count = number_of(position)?;
        match unit {
            SpanUnit::Quarter => Self::quarter(year, count),
            SpanUnit::Half => match position {
                Position::First => Self::months(year, 1, 6),
                Position::Second | Position::Last => Self::months(year, 7, 6),
                _ => None,
            },
            SpanUnit::Day => match position {
                Position::First => Self::day(Date::new(year, 1, 1).ok()?),
                Position::Last => Self::day(Date::new(year, 12, 31).ok()?),
                _ => None,
            },
            SpanUnit::Week => None,
        }
    }

    /// A part of a day; a night ends at eight of the next day.
    pub(super) fn part_of_day(date: Date, part: PartOfDay) -> Option<Self> {
        let (from, until) = match part {
            PartOfDay::Night => (20, 32),
            PartOfDay::Morning => (5, 12),
            PartOfDay::Afternoon => (12, 18),
            PartOfDay::Evening => (17, 24),
        };
        let hour = |hour: i8| {
            let date = match hour < 24 {
                true => date,
                false => date.tomorrow().ok()?,
            };
            Some(date.at(hour % 24, 0, 0, 0))
        };
        Self::of(hour(from)?, hour(until)?, Precision::Shift)
    }

    /// The shift of eight hours that a time is in, or one so many before it.
    pub(super) fn shift(now: DateTime, back: i64) -> Option<Self> {
        let begin = now.hour() / SHIFT_HOURS * SHIFT_HOURS;
        let begin = now.date().at(begin, 0, 0, 0);
        let hours = i64::from(SHIFT_HOURS);
        let start = begin.checked_sub((back * hours).hours()).ok()?;
        Self::of(
            start,
            start.checked_add(hours.hours()).ok()?,
            Precision::Shift,
        )
    }

    /// The unit that today is in, or the one so many before it: this week,
    /// last month.
    pub(super) fn unit(now: DateTime, unit: Unit, back: i64) -> Option<Self> {
        let today = now.date();
        match unit {
            Unit::Hour => {
                let start = now.checked_sub(back.hours()).ok()?;
                Self::of(start, now.checked_add(1.hour()).ok()?, Precision::Shift)
            }
            Unit::Shift => Self::shift(now, back),
            Unit::Day => Self::day(plus(today, (-back).days())?),
            Unit::Week => {
                let offset = i64::from(today.weekday().to_monday_zero_offset());
                let monday = plus(today, (-(offset + 7 * back)).days())?;
                Self::days(monday, plus(monday, 7.days())?, Precision::Week)
            }
            Unit::Month => {
                let first = plus(today.first_of_month(), (-back).months())?;
                Self::month(first.year(), first.month())
            }
            Unit::Year => Self::year(today.year().checked_sub(i16::try_from(back).ok()?)?),
        }
    }

    /// From so many units ago until now: the whole first day and today.
    pub(super) fn last_units(now: DateTime, unit: Unit, count: i64) -> Option<Self> {
        let today = now.date();
        let (start, precision) = match unit {
            Unit::Hour => {
                let start = now.checked_sub(span(unit, count)?).ok()?;
                return Self::of(start, now.checked_add(1.minute()).ok()?, Precision::Shift);
            }
            Unit::Shift => {
                let first = Self::shift(now, count)?;
                return Self::of(first.start, Self::shift(now, 0)?.end, Precision::Shift);
            }
            Unit::Day => (plus(today, span(unit, -count)?)?, Precision::Day),
            Unit::Week => (plus(today, span(unit, -count)?)?, Precision::Week),
            Unit::Month => (plus(today, span(unit, -count)?)?, Precision::Month),
            Unit::Year => (plus(today, span(unit, -count)?)?, Precision::Year),
        };
        Self::days(start, today.tomorrow().ok()?, precision)
    }

    /// About the time so many units ago: that day, the week around it, its
    /// month or year.
    pub(super) fn ago(now: DateTime, unit: Unit, count: i64) -> Option<Self> {
        match unit {
            Unit::Week => {
                let day = plus(now.date(), span(unit, -count)?)?;
                let from = plus(day, (-3).days())?;
                Self::days(from, plus(day, 4.days())?, Precision::Week)
            }
            Unit::Hour => {
                let hour = now.checked_sub(span(unit, count)?).ok()?;
                let start = hour.date().at(hour.hour(), 0, 0, 0);
                Self::of(start, start.checked_add(1.hour()).ok()?, Precision::Shift)
            }
            unit => Self::unit(now, unit, count),
        }
    }
}

/// The first instant of a civil time: where clocks jump, the one after it.
pub(super) fn instant(time: DateTime, timezone: &TimeZone) -> Option<Timestamp> {
    Some(time.to_zoned(timezone.clone()).ok()?.timestamp())
}

pub(super) fn plus(date: Date, span: Span) -> Option<Date> {
    date.checked_add(span).ok()
}

/// So many units; `None` for more than a calendar has.
fn span(unit: Unit, count: i64) -> Option<Span> {
    let none = Span::new();
    match unit {
        Unit::Hour => none.try_hours(count),
        Unit::Shift => none.try_hours(count.checked_mul(i64::from(SHIFT_HOURS))?),
        Unit::Day => none.try_days(count),
        Unit::Week => none.try_weeks(count),
        Unit::Month => none.try_months(count),
        Unit::Year => none.try_years(count),
    }
    .ok()
}

fn number_of(position: Position) -> Option<i8> {
    Some(match position {
        Position::First => 1,
        Position::Second => 2,
        Position::Third => 3,
        Position::Fourth | Position::Last => 4,
    })
}
