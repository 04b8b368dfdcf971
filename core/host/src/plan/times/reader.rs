//! Reads the time that begins with a word: "26 November 2025", "early March",
//! "spring 2019".

use std::collections::{BTreeSet, HashSet};

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

use super::calendar::Moment;
use super::named::Named;
use super::numeric::{NumericDates, digits};
use super::relative;
use crate::plan::Month;
use crate::plan::language::{Language, Season};
use crate::plan::words::Word;

/// What times are read from.
pub(super) struct Reader<'r> {
    pub(super) words: &'r [Word<'r>],
    pub(super) language: &'static Language,
    pub(super) dates: NumericDates,
    /// The present in the facility's zone.
    pub(super) now: DateTime,
    /// The latest months that have entries, where they are known.
    pub(super) months: Option<&'r BTreeSet<Month>>,
    /// The day up to which there are entries: today, in a logbook that is kept.
    pub(super) last_day: Date,
    /// The text that the words are of.
    pub(super) text: &'r str,
}

/// A time that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ReadTime {
    pub(super) named: Named,
    /// The place after its last word.
    pub(super) end: usize,
    /// Whether it is a time without a preposition before it.
    pub(super) is_sure: bool,
    /// Whether day and month were swapped.
    pub(super) is_swapped: bool,
}

impl ReadTime {
    pub(super) fn sure(named: Named, end: usize) -> Self {
        Self {
            named,
            end,
            is_sure: true,
            is_swapped: false,
        }
    }

    pub(super) fn fixed(moment: Moment, end: usize) -> Self {
        Self::sure(Named::Fixed(moment), end)
    }

    pub(super) fn doubtful(named: Named, end: usize, is_sure: bool) -> Self {
        Self {
            is_sure,
            ..Self::sure(named, end)
        }
    }
}

impl<'r> Reader<'r> {
    /// The time that begins at this word, whatever stands before it.
    pub(super) fn time_at(&self, place: usize) -> Option<ReadTime> {
        self.part_of_dated_day(place)
            .or_else(|| self.position_at(place))
            .or_else(|| relative::relative_at(self, place))
            .or_else(|| self.third_at(place))
            .or_else(|| self.day_at(place))
            .or_else(|| self.month_at(place))
            .or_else(|| self.season_at(place))
            .or_else(|| self.quarter_at(place))
            .or_else(|| self.numeric_at(place))
            .or_else(|| self.compact_day_at(place))
            .or_else(|| self.year_at(place))
    }

    /// The time that begins at this word after one that bounds it: a number
    /// that can be a year is one there, also a year to come.
    pub(super) fn bounded_time_at(&self, place: usize) -> Option<ReadTime> {
        self.time_at(place).or_else(|| {
            let future = || self.year_by(place, NumericDates::future_year);
            let (year, end) = self.plain_year(place).or_else(future)?;
            Some(ReadTime::fixed(Moment::year(year)?, end))
        })
    }

    /// Whether a preposition says that a time follows.
    pub(super) fn is_announced(&self, place: usize) -> bool {
        let before = |back: usize| {
            let word = self.word(place.checked_sub(back)?)?;
            Some(word.folded.as_str())
        };
        let is_preposition = |word: &str| self.language.prepositions.contains(word);
        match before(1) {
            Some(_) if self.follows_article(place) => before(2).is_some_and(is_preposition),
            Some(word) => is_preposition(word),
            None => false,
        }
    }

    pub(super) fn word(&self, place: usize) -> Option<&'r Word<'r>> {
        self.words.get(place)
    }

    /// "night of 26 November", "26 November, night shift".
    fn part_of_dated_day(&self, place: usize) -> Option<ReadTime> {
        if let Some((part, end)) = self.language.parts_of_day.at(self.words, place) {
            let (_, end) = self.language.of.at(self.words, end)?;
            let day = self.day_of(end)?;
            let moment = Moment::part_of_day(day.0, part)?;
            return Some(ReadTime::fixed(moment, day.1));
        }
        let (date, end) = self.day_of(place)?;
        let (part, end) = self.language.parts_of_day.at(self.words, end)?;
        let unit = self.language.units.at(self.words, end);
        let end = unit.map_or(end, |(_, end)| end);
        Some(ReadTime::fixed(Moment::part_of_day(date, part)?, end))
    }

    /// The latest such time that has begun, of one without a year the latest
    /// of which there can be entries.
    pub(super) fn latest(&self, named: Named) -> Option<Moment> {
        match named.lacks_year() {
            true => named.latest(self.last_day, |moment| self.has_entries(moment)),
            false => named.latest(self.now.date(), |_| true),
        }
    }

    /// Whether a month of a time has entries.
    fn has_entries(&self, moment: &Moment) -> bool {
        let Some(kept) = self.months else {
            return true;
        };
        let last = moment.end.date();
        let months = moment.start.date().first_of_month().series(1.month());
        let mut months = months.take_while(|first| *first <= last);
        months.any(|first| kept.contains(&(first.year(), first.month())))
    }

    /// A day with its date, and the place after it.
    fn day_of(&self, place: usize) -> Option<(Date, usize)> {
        let read = self
            .numeric_at(place)
            .or_else(|| self.day_at(place))
            .filter(|read| read.is_sure)?;
        let moment = self.latest(read.named)?;
        let date = moment.start.date();
        (Moment::day(date) == Some(moment)).then_some((date, read.end))
    }

    /// "late January 2015", "the beginning of 2019".
    fn third_at(&self, place: usize) -> Option<ReadTime> {
        let (third, end) = self.language.thirds.at(self.words, place)?;
        let end = self.skip_of(end);
        if let Some((month, end)) = self.language.months.at(self.words, end) {
            let (year, end) = self.optional_year(end);
            let named = Named::MonthThird { month, third };
            return self.with_year(named, year, end);
        }
        let (year, end) = self.plain_year(end)?;
        Some(ReadTime::fixed(Moment::third_of_year(year, third)?, end))
    }

    /// "the last day of January 2019", "second quarter of 2019".
    fn position_at(&self, place: usize) -> Option<ReadTime> {
        let (position, end) = self.language.positions.at(self.words, place)?;
        let (unit, end) = self.language.spans.at(self.words, end)?;
        let end = self.skip_of(end);
        if let Some((month, end)) = self.language.months.at(self.words, end) {
            let (year, end) = self.optional_year(end);
            let named = Named::MonthPart {
                month,
                position,
                unit,
            };
            return self.with_year(named, year, end);
        }
        let (year, end) = self.plain_year(end)?;
        let moment = Moment::within_year(year, position, unit)?;
        Some(ReadTime::fixed(moment, end))
    }

    /// "Q1 2019", "2019 Q1".
    fn quarter_at(&self, place: usize) -> Option<ReadTime> {
        let quarter = |place: usize| {
            let number = self.word(place)?.folded.strip_prefix('q')?;
            let number = i8::try_from(digits(number, 1..=1)?).ok()?;
            (1..=4).contains(&number).then_some(number)
        };
        let (number, year) = match quarter(place) {
            Some(number) => (number, self.plain_year(self.skip_of(place + 1))?),
            None => {
                let (year, end) = self.plain_year(place)?;
                (quarter(end)?, (year, end + 1))
            }
        };
        Some(ReadTime::fixed(Moment::quarter(year.0, number)?, year.1))
    }

    /// "March 2025", "March".
    fn month_at(&self, place: usize) -> Option<ReadTime> {
        let (month, end) = self.language.months.at(self.words, place)?;
        if self.impossible_day_at(place).is_some() {
            return None;
        }
        let (year, end) = match self.optional_year(end) {
            (None, end) => self
                .year_by(end, NumericDates::future_year)
                .map_or((None, end), |(year, end)| (Some(year), end)),
            known => known,
        };
        let named = Named::Month { month };
        match year {
            Some(_) => self.with_year(named, year, end),
            // "in dec" is a time, "on the dec panel" is none, "before the March
            // shutdown" is one.
            None if self.is_ordinary_month(place) => {
                let is_month = !self.follows_article(place)
                    || (self.is_full_month(place) && self.has_noun_after(end));
                is_month.then(|| ReadTime::doubtful(named, end, false))
            }
            None => Some(ReadTime::sure(named, end)),
        }
    }

    /// "spring 2019", "winter 2018/2019", "spring".
    fn season_at(&self, place: usize) -> Option<ReadTime> {
        let (season, end) = self.language.seasons.at(self.words, place)?;
        let following = self.skip_of(end);
        if let Some((year, end)) = self.season_year(following) {
            return Some(ReadTime::fixed(Moment::season(year, season)?, end));
        }
        let is_ordinary = self.is_in(&self.language.ordinary_seasons, place);
        if is_ordinary && self.follows_article(place) && !self.ends_here(end) {
            return None;
        }
        let named = Named::Season { season };
        Some(ReadTime::doubtful(named, end, !is_ordinary))
    }

    fn season_year(&self, place: usize) -> Option<(i16, usize)> {
        let word = self.word(place)?;
        let first = word.folded.split(['/', '-', '–']).next()?;
        let year = self.dates.year(first);
        let year = year.or_else(|| self.dates.future_year(first))?;
        Some((year, place + 1))
    }

    /// "2025-11-26", "11/26/25".
    fn numeric_at(&self, place: usize) -> Option<ReadTime> {
        let read = self.dates.read(&self.word(place)?.folded)?;
        Some(ReadTime {
            named: read.named,
            end: place + 1,
            is_sure: read.is_sure,
            is_swapped: read.is_swapped,
        })
    }

    /// "2019", unless it is a quantity or the number of a thing.
    fn year_at(&self, place: usize) -> Option<ReadTime> {
        let before = place.checked_sub(1).and_then(|before| self.word(before));
        let (year, end) = self.plain_year(place).or_else(|| {
            let is_to_come = self.follows_in(place);
            is_to_come.then(|| self.year_by(place, NumericDates::future_year))?
        })?;
        if before.is_some_and(|word| self.language.no_year_after.contains(&word.folded)) {
            return None;
        }
        Some(ReadTime::fixed(Moment::year(year)?, end))
    }

    /// Whether "in" stands before a place.
    pub(super) fn follows_in(&self, place: usize) -> bool {
        let before = place.checked_sub(1);
        before.is_some_and(|before| self.language.within_words.at(self.words, before).is_some())
    }

    /// A year in digits that is no quantity.
    pub(super) fn plain_year(&self, place: usize) -> Option<(i16, usize)> {
        self.year_by(place, NumericDates::year)
    }

    fn year_by(
        &self,
        place: usize,
        year_of: fn(NumericDates, &str) -> Option<i16>,
    ) -> Option<(i16, usize)> {
        let word = self.word(place)?;
        let year = year_of(self.dates, &word.folded)?;
        let is_unit = |next: &Word<'_>| self.language.no_year_before.contains(&next.folded);
        if !word.ends_clause && self.word(place + 1).is_some_and(is_unit) {
            return None;
        }
        (!self.has_sign(word)).then_some((year, place + 1))
    }

    /// Whether a sign beside a number says that it is no date: `#2015`, `$2015`.
    pub(super) fn has_sign(&self, word: &Word<'_>) -> bool {
        let before = self.text[..word.span.start].chars().next_back();
        let after = self.text[word.span.end..].chars().next();
        matches!(before, Some('#' | '$' | '€' | '£' | '.' | '-' | '+' | '='))
            || matches!(after, Some('%' | '°' | '$' | '€'))
    }

    pub(super) fn optional_year(&self, place: usize) -> (Option<i16>, usize) {
        let after_of = self.skip_of(place);
        match self.plain_year(place).or_else(|| self.plain_year(after_of)) {
            Some((year, end)) => (Some(year), end),
            None => (None, place),
        }
    }

    fn with_year(&self, named: Named, year: Option<i16>, end: usize) -> Option<ReadTime> {
        match year {
            Some(year) => Some(ReadTime::fixed(named.in_year(year)?, end)),
            None => {
                self.latest(named)?;
                Some(ReadTime::sure(named, end))
            }
        }
    }

    pub(super) fn is_ordinary_month(&self, place: usize) -> bool {
        self.is_in(&self.language.ordinary_months, place)
    }

    /// Whether the month at a place has its full name and a capital.
    fn is_full_month(&self, place: usize) -> bool {
        self.is_in(&self.language.full_months, place) && self.stands_out(place)
    }

    fn is_in(&self, set: &HashSet<String>, place: usize) -> bool {
        self.word(place)
            .is_some_and(|word| set.contains(&word.folded))
    }

    /// Whether a word has a capital that its sentence does not explain.
    pub(super) fn stands_out(&self, place: usize) -> bool {
        let Some(word) = self.word(place) else {
            return false;
        };
        let is_capitalised = word.text.starts_with(char::is_uppercase)
            && word.text.chars().skip(1).all(char::is_lowercase);
        place > 0 && is_capitalised
    }

    pub(super) fn skip_article(&self, place: usize) -> usize {
        match self.is_article(place) {
            true => place + 1,
            false => place,
        }
    }

    pub(super) fn is_article(&self, place: usize) -> bool {
        self.is_in(&self.language.articles, place)
    }

    fn follows_article(&self, place: usize) -> bool {
        place
            .checked_sub(1)
            .is_some_and(|before| self.is_article(before))
    }

    fn ends_here(&self, place: usize) -> bool {
        let last = place.checked_sub(1).and_then(|last| self.word(last));
        place >= self.words.len() || last.is_some_and(|word| word.ends_clause)
    }

    /// Whether a word that can be a noun follows in the same clause.
    pub(super) fn has_noun_after(&self, place: usize) -> bool {
        let is_noun = |word: &Word<'_>| {
            word.text.starts_with(char::is_alphabetic) && !self.language.joins(&word.folded)
        };
        !self.ends_here(place) && self.word(place).is_some_and(is_noun)
    }

    pub(super) fn skip_of(&self, place: usize) -> usize {
        match self.language.of.at(self.words, place) {
            Some((_, end)) => match self.language.of.at(self.words, end) {
                Some((_, end)) => end,
                None => end,
            },
            None => place,
        }
    }

    pub(super) fn season_named(&self, place: usize) -> Option<(Season, usize)> {
        self.language.seasons.at(self.words, place)
    }
}
