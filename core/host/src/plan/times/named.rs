//! A time as it is named, before its year is known.

use jiff::civil::Date;

use super::calendar::Moment;
use crate::plan::language::{Position, Season, SpanUnit, Third};

/// A time as it is named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Named {
    /// A time that needs nothing more.
    Fixed(Moment),
    /// A day of a month.
    Day { month: i8, day: i8 },
    /// A month.
    Month { month: i8 },
    /// A third of a month.
    MonthThird { month: i8, third: Third },
    /// A position within a month.
    MonthPart {
        month: i8,
        position: Position,
        unit: SpanUnit,
    },
    /// A season.
    Season { season: Season },
}

impl Named {
    /// The time in a year.
    pub(super) fn in_year(self, year: i16) -> Option<Moment> {
        match self {
            Self::Fixed(moment) => Some(moment),
            Self::Day { month, day } => Moment::day(Date::new(year, month, day).ok()?),
            Self::Month { month } => Moment::month(year, month),
            Self::MonthThird { month, third } => Moment::third_of_month(year, month, third),
            Self::MonthPart {
                month,
                position,
                unit,
            } => Moment::within_month(year, month, position, unit),
            Self::Season { season } => Moment::season(year, season),
        }
    }

    /// The latest such time that has begun, of those of which there are
    /// entries if there is one. The 29 February may be some years ago.
    pub(super) fn latest(
        self,
        today: Date,
        has_entries: impl Fn(&Moment) -> bool,
    ) -> Option<Moment> {
        let years = (0..8).map(|back| today.year() - back);
        let moments = years.filter_map(|year| self.in_year(year));
        let begun = moments.filter(|moment| moment.start.date() <= today);
        let begun: Vec<Moment> = begun.collect();
        let kept = begun.iter().find(|moment| has_entries(moment));
        kept.or(begun.first()).copied()
    }

    /// Whether the year is still to be found.
    pub(super) fn lacks_year(&self) -> bool {
        !matches!(self, Self::Fixed(_))
    }
}
