//! The times that the words of a question name.
//!
//! A time is read at a word ([`Reader::time_at`]), bounds and ranges are made
//! of times, and a word that is also an ordinary word ("may", "spring",
//! "11/26") is a time only with a year, a day or a preposition beside it.

mod calendar;
mod day_ranges;
mod days;
mod named;
mod numeric;
mod reader;
mod relative;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use gannet_api::{PlanSource, PlanTime, Precision};
use jiff::Timestamp;
use jiff::civil::DateTime;

use super::language::Language;
use super::phrases::Phrases;
use super::words::Word;
use super::{Month, PlanSettings, notes};
use calendar::{Moment, instant};
use named::Named;
use numeric::NumericDates;
use reader::{ReadTime, Reader};

/// The remark on a time without a year.
pub(super) const LATEST_BEGUN: &str = ", the latest one that has begun";
/// The remark on a day in numbers, with or without a year.
pub(super) const SWAPPED: &str =
    ", with day and month swapped, which the configured order does not allow";

/// The remark on a day that no calendar has, after its words.
pub(super) const NO_DATE: &str = " is not a valid date";

/// Words between a bound and its time: "since the shutdown in May".
const WORDS_BETWEEN: usize = 4;

/// The times of a text and why they are times.
#[derive(Debug, Default)]
pub(super) struct FoundTimes {
    pub(super) times: Vec<PlanTime>,
    pub(super) notes: Vec<String>,
}

/// Of which times there are entries.
pub(super) struct Kept<'l> {
    /// The time up to which there are some.
    pub(super) last: Timestamp,
    /// The latest months that have some, where they are known.
    pub(super) months: Option<&'l BTreeSet<Month>>,
}

/// The times that words name. A time without a year is the latest one that
/// had begun when the `last` entry was written: "June" in a logbook that ended
/// in December is the June before. `skips` says which words belong to a field.
pub(super) fn times_of(
    text: &str,
    words: &[Word<'_>],
    language: &'static Language,
    (settings, kept): (&PlanSettings, Kept<'_>),
    skips: impl Fn(usize) -> bool,
) -> FoundTimes {
    let in_zone = |at: Timestamp| at.to_zoned(settings.timezone.clone()).datetime();
    let now = in_zone(settings.now);
    let reader = Reader {
        words,
        language,
        dates: NumericDates {
            order: settings.date_order,
            this_year: now.year(),
        },
        now,
        last_day: in_zone(kept.last).date(),
        months: kept.months,
        text,
    };
    let mut found = FoundTimes::default();
    let mut place = 0;
    while place < words.len() {
        let read = match skips(place) {
            true => None,
            false => reader.interval_at(place),
        };
        let Some(read) = read else {
            let impossible = reader.impossible_day_at(place);
            let impossible = impossible.filter(|_| !skips(place));
            if let Some(end) = impossible {
                found.note_impossible(&reader, &(place..end));
            }
            place = impossible.unwrap_or(place + 1);
            continue;
        };
        place = read.end.max(place + 1);
        found.add(&reader, &read, settings);
    }
    found
}

/// An interval of civil time that was read; a missing end is open.
#[derive(Debug, PartialEq)]
struct Interval {
    from: Option<DateTime>,
    to: Option<DateTime>,
    precision: Precision,
    /// The words that say it.
    words: Range<usize>,
    /// The place after it.
    end: usize,
    /// More about how it was read.
    remark: &'static str,
}

impl FoundTimes {
    fn add(&mut self, reader: &Reader<'_>, read: &Interval, settings: &PlanSettings) {
        let timezone = &settings.timezone;
        let Some(span) = reader.span_of(&read.words) else {
            return;
        };
        let to_instant = |time: Option<DateTime>| time.and_then(|time| instant(time, timezone));
        let (from, to) = (to_instant(read.from), to_instant(read.to));
        if !is_interval(from, to) {
            return;
        }
        let words = notes::quoted(&reader.text[span.clone()]);
        let interval = notes::interval(read.from, read.to);
        self.notes
            .push(format!("{words} is read as {interval}{}", read.remark));
        self.times.push(
            PlanTime::new(read.precision, PlanSource::Words)
                .with_from(from)
                .with_to(to)
                .with_span(span),
        );
    }

    /// Notes a day that no calendar has; its words stay words of the question.
    fn note_impossible(&mut self, reader: &Reader<'_>, words: &Range<usize>) {
        if let Some(span) = reader.span_of(words) {
            let words = notes::quoted(&reader.text[span]);
            self.notes.push(format!("{words}{NO_DATE}"));
        }
    }
}

/// Whether two instants bound something. Both are the same where clocks jump
/// over the whole time.
fn is_interval(from: Option<Timestamp>, to: Option<Timestamp>) -> bool {
    match (from, to) {
        (Some(from), Some(to)) => from < to,
        (None, None) => false,
        _ => true,
    }
}

impl Reader<'_> {
    /// Where words stand in the text.
    fn span_of(&self, words: &Range<usize>) -> Option<Range<usize>> {
        let first = self.word(words.start)?;
        let last = self.word(words.end.checked_sub(1)?)?;
        Some(first.span.start..last.span.end)
    }

    /// The interval that begins at this word.
    fn interval_at(&self, place: usize) -> Option<Interval> {
        self.pair(place, &self.language.between, &self.language.and)
            .or_else(|| self.pair(place, &self.language.from, &self.language.to))
            .or_else(|| self.open_after(place))
            .or_else(|| self.bounded(place))
            .or_else(|| self.days_alone(place))
            .or_else(|| {
                let read = self.time_at(place)?;
                self.range(place, read).or_else(|| self.alone(place, read))
            })
    }

    /// "March to May 2019".
    fn range(&self, place: usize, first: ReadTime) -> Option<Interval> {
        let (_, end) = self.language.to.at(self.words, first.end)?;
        // "may" is no month in "may to", but in "March to May 2019".
        let second = self.bounded_time_at(self.skip_article(end))?;
        let is_range = self.is_time(&first, place) || second.is_sure;
        is_range.then(|| self.second_of_pair(place, first, &self.language.to))?
    }

    /// "between March and May 2019", "from March to May 2019", "between 5 and 7
    /// March".
    fn pair(&self, place: usize, start: &Phrases<()>, middle: &Phrases<()>) -> Option<Interval> {
        let (_, end) = start.at(self.words, place)?;
        let first_place = self.skip_article(end);
        let of_times = || {
            let first = self.bounded_time_at(first_place)?;
            self.second_of_pair(place, first, middle)
        };
        of_times().or_else(|| self.days_of_pair(place, first_place, middle))
    }

    fn second_of_pair(
        &self,
        place: usize,
        first: ReadTime,
        middle: &Phrases<()>,
    ) -> Option<Interval> {
        let (_, end) = middle.at(self.words, first.end)?;
        let second = self.bounded_time_at(self.skip_article(end))?;
        let (first_moment, last) = self.resolve_pair(first.named, second.named)?;
        Some(Interval {
            from: Some(first_moment.start.min(last.start)),
            to: Some(last.end.max(first_moment.end)),
            precision: first_moment.precision.max(last.precision),
            words: place..second.end,
            end: second.end,
            remark: "",
        })
    }

    /// The first of two times has the year of the second, unless it has its
    /// own; "from November to January 2020" begins in the year before.
    fn resolve_pair(&self, first: Named, second: Named) -> Option<(Moment, Moment)> {
        let today = self.last_day;
        let last = self
            .latest(second)
            .or_else(|| second.in_year(today.year()))?;
        if !first.lacks_year() {
            let first = first.in_year(today.year())?;
            if !second.lacks_year() {
                return Some((first, last));
            }
            // "from November 2019 to January".
            let year = first.start.year();
            let after = [year, year + 1]
                .into_iter()
                .filter_map(|year| second.in_year(year));
            let last = after.into_iter().find(|last| last.start >= first.start)?;
            return Some((first, last));
        }
        let year = last.start.year();
        let before = [year, year - 1]
            .into_iter()
            .filter_map(|year| first.in_year(year));
        let first = before.into_iter().find(|first| first.start <= last.start)?;
        Some((first, last))
    }

    /// "from 2014 onwards", "2014 and later".
    fn open_after(&self, place: usize) -> Option<Interval> {
        let start = match self.language.from.at(self.words, place) {
            Some((_, end)) => self.skip_article(end),
            None => place,
        };
        let read = self.bounded_time_at(start)?;
        let (_, end) = self.language.onwards.at(self.words, read.end)?;
        let open = self.bounded_by(Bound::Since, read, place..end)?;
        Some(Interval { end, ..open })
    }

    /// "since May", "before 2010", "since the shutdown in May"; of "after the
    /// June quench" June.
    fn bounded(&self, place: usize) -> Option<Interval> {
        let (bound, end) = self.bound_at(place)?;
        let start = self.skip_article(end);
        if let Some(read) = self.bounded_time_at(start) {
            let is_of_event = start > end && self.is_time_of_noun(&read);
            return match bound {
                Bound::After | Bound::Before if is_of_event => self.whole(start, read),
                _ => self.bounded_by(bound, read, place..read.end),
            };
        }
        if bound != Bound::Since {
            return None;
        }
        let last = (end + WORDS_BETWEEN).min(self.words.len());
        for between in end..last {
            if self.words[between].ends_clause {
                return None;
            }
            if let Some((_, start)) = self.language.within_words.at(self.words, between + 1) {
                let Some(read) = self.time_at(start) else {
                    continue;
                };
                // The words between stay words of the question.
                return self
                    .bounded_by(bound, read, start..read.end)
                    .map(|interval| Interval {
                        remark: ", because of the word before",
                        ..interval
                    });
            }
        }
        None
    }

    fn bounded_by(&self, bound: Bound, read: ReadTime, words: Range<usize>) -> Option<Interval> {
        let moment = self.moment_to_come(read.named)?;
        let (from, to) = match bound {
            Bound::Since => (Some(moment.start), None),
            Bound::After => (Some(moment.end), None),
            Bound::Before => (None, Some(moment.start)),
            Bound::Until => (None, Some(moment.end)),
        };
        Some(Interval {
            from,
            to,
            precision: moment.precision,
            end: words.end,
            words,
            remark: remark(&read),
        })
    }

    fn bound_at(&self, place: usize) -> Option<(Bound, usize)> {
        let language = self.language;
        [
            (&language.since, Bound::Since),
            (&language.after, Bound::After),
            (&language.before, Bound::Before),
            (&language.until, Bound::Until),
        ]
        .into_iter()
        .find_map(|(phrases, bound)| Some((bound, phrases.at(self.words, place)?.1)))
    }

    /// A time that is no bound of anything.
    fn alone(&self, place: usize, read: ReadTime) -> Option<Interval> {
        self.is_time(&read, place)
            .then(|| self.whole(place, read))?
    }

    /// A time from its beginning to its end.
    fn whole(&self, place: usize, read: ReadTime) -> Option<Interval> {
        let moment = match self.follows_in(place) {
            true => self.moment_to_come(read.named)?,
            false => self.latest(read.named)?,
        };
        Some(Interval {
            from: Some(moment.start),
            to: Some(moment.end),
            precision: moment.precision,
            words: place..read.end,
            end: read.end,
            remark: remark(&read),
        })
    }

    /// A time with its year, which may be to come, or else the latest one.
    fn moment_to_come(&self, named: Named) -> Option<Moment> {
        match named {
            Named::Fixed(moment) => Some(moment),
            named => self.latest(named),
        }
    }

    /// Whether a time after an article says when the thing was that the next
    /// word names: "after the June quench" is about June, and not about what
    /// came after it.
    fn is_time_of_noun(&self, read: &ReadTime) -> bool {
        let moment = self.latest(read.named);
        moment.is_some_and(|moment| moment.precision >= Precision::Month)
            && self.has_noun_after(read.end)
    }

    fn is_time(&self, read: &ReadTime, place: usize) -> bool {
        read.is_sure || self.is_announced(place)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    Since,
    After,
    Before,
    Until,
}

fn remark(read: &ReadTime) -> &'static str {
    match (read.is_swapped, read.named.lacks_year()) {
        (true, _) => SWAPPED,
        (false, true) => LATEST_BEGUN,
        (false, false) => "",
    }
}
