//! Days with the name of a month ("26 November 2025", "Nov 26, 2025",
//! "6-Mar-2025") or in eight digits, and days that no calendar has.

use super::named::Named;
use super::numeric::digits;
use super::reader::{ReadTime, Reader};
use crate::plan::words::Word;

/// A year that has the 29 February.
const LEAP_YEAR: i16 = 2000;

/// What stands between the parts of a day that is one word.
const SEPARATORS: [char; 4] = ['-', '–', '/', '.'];

/// A day beside the name of a month, whether a calendar has it or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WrittenDay {
    pub(super) month: i8,
    pub(super) day: i8,
    pub(super) year: Option<i16>,
    /// The place after its last word.
    pub(super) end: usize,
    /// Whether it is a time without a preposition before it.
    pub(super) is_sure: bool,
}

impl WrittenDay {
    /// The day as a time, if a calendar has it.
    fn read(self) -> Option<ReadTime> {
        let named = Named::Day {
            month: self.month,
            day: self.day,
        };
        let moment = named.in_year(self.year.unwrap_or(LEAP_YEAR))?;
        Some(match self.year {
            Some(_) => ReadTime::fixed(moment, self.end),
            None => ReadTime::doubtful(named, self.end, self.is_sure),
        })
    }
}

impl Reader<'_> {
    /// "26 November 2025", "Nov 26, 2025", "the 26th of November",
    /// "26-Nov-2025".
    pub(super) fn day_at(&self, place: usize) -> Option<ReadTime> {
        self.written_day(place)?.read()
    }

    /// The place after a day that no calendar has: "30 Feb", "Feb 29, 2025".
    pub(super) fn impossible_day_at(&self, place: usize) -> Option<usize> {
        let written = self.written_day(place)?;
        written.read().is_none().then_some(written.end)
    }

    /// "20250306", unless it is the number of a thing.
    pub(super) fn compact_day_at(&self, place: usize) -> Option<ReadTime> {
        let word = self.word(place)?;
        let named = self.dates.compact_day(&word.folded)?;
        // "to" is no word of a thing: "from 20250301 to 20250306".
        let names_a_thing = |before: &Word<'_>| {
            self.language.no_year_after.contains(&before.folded)
                && self.language.to.get(&before.folded).is_none()
        };
        let before = place.checked_sub(1).and_then(|before| self.word(before));
        let is_number = self.has_sign(word) || before.is_some_and(names_a_thing);
        (!is_number).then(|| ReadTime::sure(named, place + 1))
    }

    fn written_day(&self, place: usize) -> Option<WrittenDay> {
        self.day_then_month(place)
            .or_else(|| self.month_then_day(place))
            .or_else(|| self.day_in_one_word(place))
            .or_else(|| self.day_by_name(place))
    }

    /// "Christmas Day 2024", "New Year's Eve".
    fn day_by_name(&self, place: usize) -> Option<WrittenDay> {
        let (day, after) = self.language.dates.at(self.words, place)?;
        let (year, end) = self.optional_year(after);
        Some(WrittenDay {
            month: day.month(),
            day: day.day(),
            year,
            end,
            is_sure: true,
        })
    }

    pub(super) fn day_then_month(&self, place: usize) -> Option<WrittenDay> {
        let (day, is_ordinal) = self.day_number(place)?;
        let month_place = self.skip_of(place + 1);
        let (month, after) = self.language.months.at(self.words, month_place)?;
        let (year, end) = self.optional_year(after);
        Some(WrittenDay {
            month,
            day,
            year,
            end,
            is_sure: is_ordinal || self.is_plainly_month(month_place),
        })
    }

    pub(super) fn month_then_day(&self, place: usize) -> Option<WrittenDay> {
        let (month, after) = self.language.months.at(self.words, place)?;
        let day_place = self.skip_article(after);
        let (day, is_ordinal) = self.day_number(day_place)?;
        let (year, end) = self.optional_year(day_place + 1);
        Some(WrittenDay {
            month,
            day,
            year,
            end,
            is_sure: is_ordinal || self.is_plainly_month(place),
        })
    }

    /// "6-Mar-2025", "06/Mar/2025:14:30", "2025-Mar-06", "Mar-6-2025", "6-Mar".
    fn day_in_one_word(&self, place: usize) -> Option<WrittenDay> {
        let word = &self.word(place)?.folded;
        let month_of = |part: &str| self.language.months.get(part);
        let parts: Vec<&str> = word.split(SEPARATORS).collect();
        let (day, month, year) = match *parts.as_slice() {
            [month, day, year] if month_of(month).is_some() => (day, month, Some(year)),
            [year, month, day] if year.len() == 4 => (day, month, Some(year)),
            [day, month, year] => (day, month, Some(year)),
            [day, month] => (day, month, None),
            _ => return None,
        };
        let is_ordinary = self.language.ordinary_months.contains(month);
        let (day, month) = (day_of_month(day)?, month_of(month)?);
        let year = match year {
            // The time of day after a date is not used.
            Some(year) => Some(self.dates.any_year(year.split(['t', ':']).next()?)?),
            None => None,
        };
        Some(WrittenDay {
            month,
            day,
            year,
            end: place + 1,
            is_sure: !is_ordinary,
        })
    }

    /// A number from 1 to 31, and whether it is written as an ordinal.
    pub(super) fn day_number(&self, place: usize) -> Option<(i8, bool)> {
        let word = &self.word(place)?.folded;
        let endings = self.language.ordinal_endings.iter();
        let ordinal = endings
            .filter_map(|ending| word.strip_suffix(ending.as_str()))
            .next();
        let day = day_of_month(ordinal.unwrap_or(word))?;
        Some((day, ordinal.is_some()))
    }

    /// Whether the month at a place is no ordinary word.
    pub(super) fn is_plainly_month(&self, place: usize) -> bool {
        !self.is_ordinary_month(place) || self.stands_out(place)
    }
}

/// A number from 1 to 31.
pub(super) fn day_of_month(number: &str) -> Option<i8> {
    let day = i8::try_from(digits(number, 1..=2)?).ok()?;
    (1..=31).contains(&day).then_some(day)
}
