//! Dates in digits: one word that is a date.

use jiff::civil::Date;

use super::calendar::Moment;
use super::named::Named;
use crate::plan::DateOrder;

/// The earliest year that a number can mean.
const FIRST_YEAR: i16 = 1900;
/// The last year that a time to come is in.
const LAST_YEAR: i16 = 2099;

/// A date in digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numeric {
    pub(super) named: Named,
    /// Whether the form can be nothing else: `11/26` may be a fraction.
    pub(super) is_sure: bool,
    /// Whether day and month stand in the other order than the facility's.
    pub(super) is_swapped: bool,
}

/// Reads dates in digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumericDates {
    pub(super) order: DateOrder,
    /// The present year.
    pub(super) this_year: i16,
}

impl NumericDates {
    /// The year that a word of four digits is, if any.
    pub(super) fn year(self, word: &str) -> Option<i16> {
        let year = digits(word, 4..=4)?;
        (FIRST_YEAR..=self.this_year + 1)
            .contains(&year)
            .then_some(year)
    }

    /// The year to come that a word of four digits is, if any.
    pub(super) fn future_year(self, word: &str) -> Option<i16> {
        let year = digits(word, 4..=4)?;
        (self.this_year..=LAST_YEAR).contains(&year).then_some(year)
    }

    /// The year that a word of four or two digits is, if any.
    pub(super) fn any_year(self, word: &str) -> Option<i16> {
        match word.len() {
            4 => self.year(word),
            2 => self.short_year(word),
            _ => None,
        }
    }

    /// The day that a word of eight digits is: `20250306`.
    pub(super) fn compact_day(self, word: &str) -> Option<Named> {
        if word.len() != 8 || !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let read = self.year_month_day(&word[..4], &word[4..6], &word[6..])?;
        Some(read.named)
    }

    /// The date that a word is.
    pub(super) fn read(self, word: &str) -> Option<Numeric> {
        if !word.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let decade = || Some(sure(Named::Fixed(self.decade(word)?)));
        let separator = word.chars().find(|letter| !letter.is_ascii_digit());
        let separator = match separator {
            Some(separator @ ('-' | '–' | '/' | '.')) => separator,
            _ => return decade(),
        };
        // The time of day after a date is not used.
        let date = word.split(['T', 't']).next().unwrap_or(word);
        let parts: Vec<&str> = date.split(separator).collect();
        match parts.as_slice() {
            [year, month, day] if year.len() == 4 => self.year_month_day(year, month, day),
            [one, two, year] => self.day_and_month(one, two, year, separator),
            [first, second] if first.len() == 4 => self.year_and(first, second, separator),
            [month, year] if year.len() == 4 && is_month(month, separator) => {
                let (month, year) = (digits(month, 1..=2)?, self.year(year)?);
                let month = i8::try_from(month).ok()?;
                Some(sure(Named::Fixed(Moment::month(year, month)?)))
            }
            [one, two] if separator == '/' => {
                let (month, day, is_swapped) = self.in_order(one, two, separator)?;
                // A leap year, so that the 29 February is a day.
                Date::new(2000, month, day).ok()?;
                Some(Numeric {
                    named: Named::Day { month, day },
                    is_sure: false,
                    is_swapped,
                })
            }
            _ => None,
        }
    }

    fn year_month_day(self, year: &str, month: &str, day: &str) -> Option<Numeric> {
        let (year, month, day) = (self.year(year)?, digits(month, 1..=2)?, digits(day, 1..=2)?);
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        let date = Date::new(year, month, day).ok()?;
        Some(sure(Named::Fixed(Moment::day(date)?)))
    }

    fn day_and_month(self, one: &str, two: &str, year: &str, separator: char) -> Option<Numeric> {
        let (month, day, is_swapped) = self.in_order(one, two, separator)?;
        let year = self.any_year(year)?;
        let date = Date::new(year, month, day).ok()?;
        Some(Numeric {
            is_swapped,
            ..sure(Named::Fixed(Moment::day(date)?))
        })
    }

    /// `2025-11`, `2010-2015`.
    fn year_and(self, first: &str, second: &str, separator: char) -> Option<Numeric> {
        let first = self.year(first)?;
        let moment = match second.len() {
            1 | 2 if separator != '.' => {
                Moment::month(first, i8::try_from(digits(second, 1..=2)?).ok()?)?
            }
            4 => Moment::years(first, self.year(second)?.checked_sub(first)? + 1)?,
            _ => return None,
        };
        Some(sure(Named::Fixed(moment)))
    }

    /// Month and day, and whether they were swapped because only so they make
    /// a date. With full stops the day stands first everywhere.
    fn in_order(self, one: &str, two: &str, separator: char) -> Option<(i8, i8, bool)> {
        let one = i8::try_from(digits(one, 1..=2)?).ok()?;
        let two = i8::try_from(digits(two, 1..=2)?).ok()?;
        let day_first = separator == '.' || self.order == DateOrder::Dmy;
        let (month, day) = if day_first { (two, one) } else { (one, two) };
        if (1..=12).contains(&month) {
            return Some((month, day, false));
        }
        (1..=12).contains(&day).then_some((day, month, true))
    }

    /// `98` is 1998 when 2098 is still to come.
    fn short_year(self, year: &str) -> Option<i16> {
        let year = digits(year, 2..=2)?;
        let century = self.this_year / 100 * 100;
        let recent = century + year;
        match recent <= self.this_year + 1 {
            true => Some(recent),
            false => Some(recent - 100),
        }
    }

    /// `1990s`.
    fn decade(self, word: &str) -> Option<Moment> {
        let year = self.year(word.strip_suffix('s')?)?;
        (year % 10 == 0).then(|| Moment::years(year, 10))?
    }
}

/// `11/2025` and `03.2025`, while `3.2025` is a number.
fn is_month(month: &str, separator: char) -> bool {
    separator == '/' || (separator == '.' && month.len() == 2)
}

fn sure(named: Named) -> Numeric {
    Numeric {
        named,
        is_sure: true,
        is_swapped: false,
    }
}

/// A number of so many ASCII digits.
pub(super) fn digits(word: &str, length: std::ops::RangeInclusive<usize>) -> Option<i16> {
    let plain = length.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| word.parse().ok())?
}
