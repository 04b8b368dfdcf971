//! Ranges of days of one month: "5 and 7 March 2025", "March 5-7".

use std::ops::Range;

use gannet_api::Precision;
use jiff::civil::Date;

use super::calendar::Moment;
use super::days::day_of_month;
use super::reader::Reader;
use super::{Interval, LATEST_BEGUN};
use crate::plan::phrases::Phrases;

/// So many years back a range of days is looked for: the 29 February is not in
/// every year.
const YEARS_BACK: i16 = 8;

/// Two days of one month, whether a calendar has them or not.
#[derive(Debug, Clone, Copy, PartialEq)]
struct MonthDays {
    month: i8,
    first: i8,
    last: i8,
    year: Option<i16>,
    /// The place after the last word.
    end: usize,
    /// Whether they are a time without a preposition before them.
    is_sure: bool,
}

impl Reader<'_> {
    /// "5 and 7 March 2025", "March 5 and 7, 2025", where `middle` is what
    /// stands between the days. The words that say so begin at `place`.
    pub(super) fn days_of_pair(
        &self,
        place: usize,
        first: usize,
        middle: &Phrases<()>,
    ) -> Option<Interval> {
        let days = self
            .days_then_month(first, middle)
            .or_else(|| self.month_then_days(first, middle))?;
        self.days_interval(days, place..days.end)
    }

    /// "5 to 7 March", "5-7 March", "March 5-7".
    pub(super) fn days_alone(&self, place: usize) -> Option<Interval> {
        let days = self
            .joined_days(place)
            .or_else(|| self.days_then_month(place, &self.language.to))?;
        let is_time = days.is_sure || self.is_announced(place);
        is_time.then(|| self.days_interval(days, place..days.end))?
    }

    fn days_then_month(&self, place: usize, middle: &Phrases<()>) -> Option<MonthDays> {
        let (first, _) = self.day_number(place)?;
        let (_, end) = middle.at(self.words, place + 1)?;
        let last = self.day_then_month(self.skip_article(end))?;
        Some(MonthDays {
            month: last.month,
            first,
            last: last.day,
            year: last.year,
            end: last.end,
            is_sure: last.is_sure || last.year.is_some(),
        })
    }

    fn month_then_days(&self, place: usize, middle: &Phrases<()>) -> Option<MonthDays> {
        let first = self.month_then_day(place)?;
        let (_, last_place) = middle.at(self.words, first.end)?;
        let last_place = self.skip_article(last_place);
        let (last, _) = self.day_number(last_place)?;
        let (year, end) = self.optional_year(last_place + 1);
        // "March 5 and 31 April" are days of two months, and of "March 5 and 7
        // pumps" the 7 is no day.
        let is_day = self.day_then_month(last_place).is_none()
            && (year.is_some() || !self.has_noun_after(end));
        is_day.then_some(MonthDays {
            month: first.month,
            first: first.day,
            last,
            year: first.year.or(year),
            end,
            is_sure: true,
        })
    }

    /// "5-7 March", "March 5-7".
    fn joined_days(&self, place: usize) -> Option<MonthDays> {
        let (month_place, days_place) = match self.language.months.at(self.words, place) {
            Some((_, after)) => (place, after),
            None => (self.skip_of(place + 1), place),
        };
        let (first, last) = two_days(&self.word(days_place)?.folded)?;
        let (month, after) = self.language.months.at(self.words, month_place)?;
        let (year, end) = self.optional_year(after.max(days_place + 1));
        Some(MonthDays {
            month,
            first,
            last,
            year,
            end,
            is_sure: year.is_some() || self.is_plainly_month(month_place),
        })
    }

    /// The time from the first day to the last; of one without a year the
    /// latest that had begun.
    fn days_interval(&self, days: MonthDays, words: Range<usize>) -> Option<Interval> {
        let today = self.last_day;
        let day = |year, day| Moment::day(Date::new(year, days.month, day).ok()?);
        let in_year = |year| Some((day(year, days.first)?, day(year, days.last)?));
        let (first, last) = match days.year {
            Some(year) => in_year(year)?,
            None => (0..YEARS_BACK)
                .filter_map(|back| in_year(today.year() - back))
                .find(|(first, _)| first.start.date() <= today)?,
        };
        let is_range = first.start < last.start;
        is_range.then_some(Interval {
            from: Some(first.start),
            to: Some(last.end),
            precision: Precision::Day,
            end: words.end,
            words,
            remark: match days.year {
                Some(_) => "",
                None => LATEST_BEGUN,
            },
        })
    }
}

/// The days of "5-7".
fn two_days(word: &str) -> Option<(i8, i8)> {
    let (first, last) = word.split_once(['-', '–'])?;
    Some((day_of_month(first)?, day_of_month(last)?))
}
