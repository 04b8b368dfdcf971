//! Times that are counted from now: "last night", "two weeks ago", "in the
//! last 7 days".

use jiff::ToSpan;
use jiff::civil::Date;

use super::calendar::{Moment, plus};
use super::named::Named;
use super::numeric::digits;
use super::reader::{ReadTime, Reader};
use crate::plan::language::{NamedDay, PartOfDay, Unit};

/// More units than this are no time of a logbook.
const MOST_UNITS: i64 = 1000;

/// The time that begins at this word and is counted from now.
pub(super) fn relative_at(reader: &Reader<'_>, place: usize) -> Option<ReadTime> {
    let language = reader.language;
    if let Some((_, end)) = language.tonight.at(reader.words, place) {
        let moment = Moment::part_of_day(reader.now.date(), PartOfDay::Night)?;
        return Some(ReadTime::fixed(moment, end));
    }
    if let Some((day, end)) = language.days.at(reader.words, place) {
        return day_at(reader, day, end);
    }
    ago(reader, place)
        .or_else(|| last_units(reader, place))
        .or_else(|| last(reader, place))
        .or_else(|| this(reader, place))
        .or_else(|| unit_then_last(reader, place))
        .or_else(|| weekday(reader, place, 0).filter(|_| !is_any(reader, place)))
}

/// Whether "a" stands before a place: "a Sunday" is none in particular.
fn is_any(reader: &Reader<'_>, place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|before| reader.word(before));
    let number = before.and_then(|word| reader.language.numbers.get(&word.folded));
    number == Some(1)
}

/// "yesterday", "yesterday evening".
fn day_at(reader: &Reader<'_>, day: NamedDay, end: usize) -> Option<ReadTime> {
    let back = match day {
        NamedDay::Today => 0,
        NamedDay::Yesterday => 1,
        NamedDay::DayBeforeYesterday => 2,
    };
    let date = days_ago(reader, back)?;
    match reader.language.parts_of_day.at(reader.words, end) {
        Some((part, end)) => Some(ReadTime::fixed(Moment::part_of_day(date, part)?, end)),
        None => Some(ReadTime::fixed(Moment::day(date)?, end)),
    }
}

/// "two weeks ago", "vor zwei Wochen".
fn ago(reader: &Reader<'_>, place: usize) -> Option<ReadTime> {
    let language = reader.language;
    if let Some((_, end)) = language.ago_before.at(reader.words, place) {
        let (count, end) = number(reader, end)?;
        let (unit, end) = language.units.at(reader.words, end)?;
        return Some(ReadTime::fixed(Moment::ago(reader.now, unit, count)?, end));
    }
    let (count, end) = number(reader, place)?;
    let (unit, end) = language.units.at(reader.words, end)?;
    let (_, end) = language.ago.at(reader.words, end)?;
    Some(ReadTime::fixed(Moment::ago(reader.now, unit, count)?, end))
}

/// "last 7 days".
fn last_units(reader: &Reader<'_>, place: usize) -> Option<ReadTime> {
    let (_, end) = reader.language.within.at(reader.words, place)?;
    let (count, end) = number(reader, end)?;
    let (unit, end) = reader.language.units.at(reader.words, end)?;
    let moment = Moment::last_units(reader.now, unit, count)?;
    Some(ReadTime::fixed(moment, end))
}

/// "last night", "last week", "last spring", "last May", "last Monday".
fn last(reader: &Reader<'_>, place: usize) -> Option<ReadTime> {
    let language = reader.language;
    let (_, end) = language.last.at(reader.words, place)?;
    if let Some((part, end)) = language.parts_of_day.at(reader.words, end) {
        let moment = Moment::part_of_day(days_ago(reader, 1)?, part)?;
        return Some(ReadTime::fixed(moment, end));
    }
    if let Some((unit, end)) = language.units.at(reader.words, end) {
        // "the last hour" and "the last day" reach until now.
        let moment = match unit {
            Unit::Hour | Unit::Day => Moment::last_units(reader.now, unit, 1)?,
            unit => Moment::unit(reader.now, unit, 1)?,
        };
        return Some(ReadTime::fixed(moment, end));
    }
    if let Some((season, end)) = reader.season_named(end) {
        let moment = before_now(reader, |year| Moment::season(year, season))?;
        return Some(ReadTime::fixed(moment, end));
    }
    if let Some((month, end)) = language.months.at(reader.words, end) {
        let moment = before_now(reader, |year| Moment::month(year, month))?;
        return Some(ReadTime::fixed(moment, end));
    }
    weekday(reader, end, 1)
}

/// "this week", "this morning", "this spring".
fn this(reader: &Reader<'_>, place: usize) -> Option<ReadTime> {
    let language = reader.language;
    let (_, end) = language.this.at(reader.words, place)?;
    let today = reader.now.date();
    if let Some((part, end)) = language.parts_of_day.at(reader.words, end) {
        return Some(ReadTime::fixed(Moment::part_of_day(today, part)?, end));
    }
    if let Some((unit, end)) = language.units.at(reader.words, end) {
        return Some(ReadTime::fixed(Moment::unit(reader.now, unit, 0)?, end));
    }
    if let Some((season, end)) = reader.season_named(end) {
        let moment = Named::Season { season }.latest(today, |_| true)?;
        return Some(ReadTime::fixed(moment, end));
    }
    let (month, end) = language.months.at(reader.words, end)?;
    let moment = Named::Month { month }.latest(today, |_| true)?;
    Some(ReadTime::fixed(moment, end))
}

/// "la semaine dernière".
fn unit_then_last(reader: &Reader<'_>, place: usize) -> Option<ReadTime> {
    let (unit, end) = reader.language.units.at(reader.words, place)?;
    let (_, end) = reader.language.last_after.at(reader.words, end)?;
    let moment = Moment::unit(reader.now, unit, 1)?;
    Some(ReadTime::fixed(moment, end))
}

/// The latest such weekday; today counts unless it is the last one that is
/// asked for.
fn weekday(reader: &Reader<'_>, place: usize, least: i64) -> Option<ReadTime> {
    let (weekday, end) = reader.language.weekdays.at(reader.words, place)?;
    let today = reader.now.date().weekday().to_monday_one_offset();
    let mut back = i64::from((today - weekday).rem_euclid(7));
    if back < least {
        back += 7;
    }
    let date = days_ago(reader, back)?;
    Some(ReadTime::fixed(Moment::day(date)?, end))
}

/// The latest time that ended before now.
fn before_now(reader: &Reader<'_>, of_year: impl Fn(i16) -> Option<Moment>) -> Option<Moment> {
    let year = reader.now.year();
    let moments = (0..3).filter_map(|back| of_year(year - back));
    let mut over = moments.filter(|moment| moment.end <= reader.now);
    over.next()
}

fn number(reader: &Reader<'_>, place: usize) -> Option<(i64, usize)> {
    if let Some(found) = reader.language.numbers.at(reader.words, place) {
        return Some(found);
    }
    let count = i64::from(digits(&reader.word(place)?.folded, 1..=4)?);
    (1..=MOST_UNITS)
        .contains(&count)
        .then_some((count, place + 1))
}

fn days_ago(reader: &Reader<'_>, back: i64) -> Option<Date> {
    plus(reader.now.date(), (-back).days())
}
