//! What a question asks of a set that its plan does not say: a second thing that
//! entries are counted by, a week, a median, a comparison, a day that no calendar
//! has.

use std::ops::Range;

use gannet_api::Intent;

use super::language::Language;
use super::set_clauses::is_a_thing;
use super::sets::SetReader;
use super::times::NO_DATE;
use super::words::words_of;

impl SetReader<'_> {
    /// The parts of the question that nothing answers beside what members are
    /// counted by, each once and in order.
    pub(super) fn unread(&self, grouping: Option<&Range<usize>>) -> Vec<Range<usize>> {
        let is_grouping = |places: &Range<usize>| {
            grouping.is_some_and(|known| known.start < places.end && places.start < known.end)
        };
        let mut unread = Vec::new();
        let mut place = 0;
        while place < self.words.len() {
            let here = self.unread_at(place, grouping);
            match here.filter(|places| !is_grouping(places)) {
                Some(places) => {
                    place = places.end;
                    unread.push(places);
                }
                None => place += 1,
            }
        }
        unread
    }

    /// "percentage of major entries": a number that is computed of several things,
    /// and whether these are entries, of which nothing computes it. "Percentage of
    /// power" is one that an entry states.
    pub(super) fn part_of_several(&self) -> Option<(Range<usize>, bool)> {
        let may_ask = matches!(
            self.plan.intent,
            Intent::Count | Intent::Find | Intent::List | Intent::YesNo
        );
        match may_ask {
            true => (0..self.words.len()).find_map(|place| self.part_at(place)),
            false => None,
        }
    }

    fn part_at(&self, place: usize) -> Option<(Range<usize>, bool)> {
        let sets = &self.language.sets;
        let word = &self.words[place].folded;
        let is_part = sets.derived.contains(word) && !sets.mean.contains(word);
        let (_, of) = self
            .language
            .of
            .at(self.words, place + 1)
            .filter(|_| is_part)?;
        let noun = (of..self.words.len()).find(|at| {
            let word = &self.words[*at];
            self.is_record(word) || self.is_plural(*at) || self.language.joins(&word.folded)
        })?;
        let word = &self.words[noun];
        let value = self.value_of(word);
        let is_of_entries = self.is_record(word) || value.is_some_and(|one| !is_a_thing(one.kind));
        let is_noun = is_of_entries || !self.language.joins(&word.folded);
        is_noun.then(|| (place..noun + 1, is_of_entries))
    }

    fn unread_at(&self, place: usize, grouping: Option<&Range<usize>>) -> Option<Range<usize>> {
        let per = self.per_at(place).map(|(_, places)| places);
        per.or_else(|| self.per_period_at(place))
            .or_else(|| self.second_group_at(place, grouping))
            .or_else(|| self.any_weekday_at(place))
            .or_else(|| self.no_date_at(place))
            .or_else(|| self.compared_at(place))
            .or_else(|| self.compares_at(place))
            .or_else(|| self.limit_at(place, grouping.is_some()))
            .or_else(|| self.derived_at(place, grouping.is_some()))
    }

    /// "mean" in "mean number of trips" and beside what is counted by something;
    /// elsewhere it may be a word of what entries tell of.
    fn derived_at(&self, place: usize, is_grouped: bool) -> Option<Range<usize>> {
        let word = &self.words[place];
        let is_derived = self.language.sets.derived.contains(&word.folded) && !self.is_read(word);
        let next = self.words.get(place + 1);
        let is_of_number = is_grouped || next.is_some_and(|next| self.asks(next));
        (is_derived && is_of_number).then(|| place..place + 1)
    }

    /// "per week", "each weekday": a span of time that entries are not counted by.
    fn per_period_at(&self, place: usize) -> Option<Range<usize>> {
        let (_, at) = self.language.sets.per.at(self.words, place)?;
        let word = &self.words.get(at)?.folded;
        let language = self.language;
        let is_period = language.units.get(word).is_some()
            || language.spans.get(word).is_some()
            || language.sets.is_period(word, &language.plurals);
        is_period.then(|| place..at + 1)
    }

    /// "and year" after "per area".
    fn second_group_at(&self, place: usize, group: Option<&Range<usize>>) -> Option<Range<usize>> {
        let group = group.filter(|group| group.end == place)?;
        let (_, at) = self.language.and.at(self.words, place)?;
        let word = self.words.get(at)?;
        let is_unit = self.language.units.get(&word.folded).is_some();
        let is_group = is_unit || self.field_named(at).is_some();
        is_group.then(|| group.end..at + 1)
    }

    /// "a Sunday": one that is not read as a time is any of them.
    fn any_weekday_at(&self, place: usize) -> Option<Range<usize>> {
        let (_, end) = self.language.weekdays.at(self.words, place)?;
        (!self.is_read(&self.words[place])).then_some(place..end)
    }

    /// "29 February 2023", as a note of the plan has it.
    fn no_date_at(&self, place: usize) -> Option<Range<usize>> {
        let notes = self.plan.notes.iter();
        let mut days = notes.filter_map(|note| note.strip_suffix(NO_DATE));
        days.find_map(|day| {
            let day = words_of(day, Language::splits);
            let here = self.words.get(place..place + day.len())?;
            let mut pairs = here.iter().zip(&day);
            let is_here = !day.is_empty() && pairs.all(|(one, other)| one.folded == other.folded);
            is_here.then(|| place..place + day.len())
        })
    }
}
