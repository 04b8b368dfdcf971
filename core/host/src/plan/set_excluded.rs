//! What a question about entries excludes: "not from Knutby". Values and times are
//! conditions that no member of a set meets; of other words it is not answered.
//! What is excluded is not asked for.

use std::ops::Range;

use gannet_api::{Condition, EntityKind, FilterClause, FilterField, Intent, PlanEntity, QueryPlan};

use super::notes::quoted;
use super::overlaps;
use super::set_clauses::{ReadClause, is_a_thing};
use super::set_scope::end_of_exclusion;
use super::sets::SetReader;
use super::words::Word;

/// A part of a question that excludes entries.
pub(super) struct Excluded {
    /// Where it stands, in bytes of the question.
    pub(super) span: Range<usize>,
    /// The conditions that it names; none where it names something else than
    /// values and times.
    pub(super) read: Vec<ReadClause>,
}

impl SetReader<'_> {
    /// The parts that exclude entries. A question about one event has none: "why
    /// was there no beam".
    pub(super) fn excluded(&self) -> Vec<Excluded> {
        let asks_for_entries = match self.plan.intent {
            Intent::Count | Intent::List | Intent::Latest | Intent::First => true,
            Intent::Find => self.names_entry(),
            _ => false,
        };
        let mut excluded = Vec::new();
        let mut place = 0;
        while asks_for_entries && place < self.words.len() {
            match self.excluded_at(place) {
                Some((one, end)) => {
                    excluded.push(one);
                    place = end;
                }
                None => place += 1,
            }
        }
        excluded
    }

    /// The part that begins at a place, and the place after it.
    fn excluded_at(&self, place: usize) -> Option<(Excluded, usize)> {
        let (end, is_named) = self.end_of_excluded(place)?;
        let span = self.words[place].span.start..self.words[end - 1].span.end;
        let read = match is_named {
            true => self.clauses_in(&span),
            false => Vec::new(),
        };
        Some((Excluded { span, read }, end))
    }

    /// The values and times of a part of the question as conditions.
    fn clauses_in(&self, span: &Range<usize>) -> Vec<ReadClause> {
        let is_here =
            |own: &Option<Range<usize>>| own.as_ref().is_some_and(|own| overlaps(own, span));
        let values = self.plan.soft_entities();
        let values = values.filter(|value| value.field.is_some() && is_here(&value.span));
        let values: Vec<&PlanEntity> = values.collect();
        let times = self.plan.soft_times().filter(|time| is_here(&time.span));
        let times = times.map(|time| ReadClause {
            clause: FilterClause {
                field: FilterField::Timestamp,
                condition: Condition::Time(time.range()),
            },
            words: Vec::new(),
            is_guess: false,
        });
        let mut read = self.clauses_of(&values);
        // Entries may tell of a thing without the field that names it.
        let names_entry = self.names_entry();
        for one in &mut read {
            let is_thing = is_a_thing(EntityKind::of_field(&one.clause.field));
            one.is_guess |= is_thing && !names_entry;
        }
        read.extend(times);
        read
    }

    /// The place after what is excluded at a place, and whether it is named: times
    /// and values after the word that excludes, or any word where that is said of
    /// entries. "No beam" may be what an entry is about.
    fn end_of_excluded(&self, place: usize) -> Option<(usize, bool)> {
        let first = end_of_exclusion(self.words, self.language, place)?;
        let of_entries = self.is_of_entries(place);
        let rest = self.words.get(first..)?;
        let Some(at) = rest.iter().position(|word| !self.is_small(word)) else {
            return of_entries.then_some((first, false));
        };
        let operand = first + at;
        let word = &self.words[operand];
        let is_named = self.is_read(word);
        // "without any alerts" may be what an entry is about, as "no beam" may.
        let is_event = self.value_of(word).is_some_and(is_what_happened);
        let is_excluded = of_entries || (is_named && at > 0 && !is_event);
        is_excluded.then(|| (self.end_of_operands(operand), is_named))
    }

    /// The place after times or values, with others that "and" or "or" joins to
    /// them: "not at Surry or at Seabrook".
    fn end_of_operands(&self, operand: usize) -> usize {
        let (and, or) = (&self.language.and, &self.language.or);
        let is_value = |at: usize| self.value_of(&self.words[at]).is_some();
        let mut end = operand + 1;
        loop {
            let joint = and.at(self.words, end).or_else(|| or.at(self.words, end));
            let start = joint.map_or(end, |(_, after)| after);
            let rest = self.words.get(start..).unwrap_or_default();
            let joining = match joint {
                Some(_) => rest.iter().take_while(|word| self.is_small(word)).count(),
                None => 0,
            };
            let next = start + joining;
            let is_read = self.words.get(next).is_some_and(|word| self.is_read(word));
            if !is_read || is_value(next) != is_value(operand) {
                return end;
            }
            end = next + 1;
        }
    }

    /// Whether what stands before a place is what an entry is called, or a value
    /// that says what it is; of a place, an author and a time what is before them:
    /// "entries that are", "alerts at Surry".
    fn is_of_entries(&self, place: usize) -> bool {
        let mut before = self.words[..place].iter().rev();
        let noun = before.find(|word| match self.value_of(word) {
            Some(value) => is_what_happened(value),
            None => !self.is_small(word) && !self.is_read(word),
        });
        noun.is_some_and(|word| {
            let mut value = self.value_of(word).into_iter();
            self.is_record(word) || value.any(|value| value.kind == EntityKind::Category)
        })
    }

    /// Whether a word says what an entry is called.
    pub(super) fn is_record(&self, word: &Word<'_>) -> bool {
        let (sets, plurals) = (&self.language.sets, &self.language.plurals);
        sets.is_record(&word.folded, plurals) && !self.is_read(word)
    }

    /// Whether a word joins others or says only that something took place.
    fn is_small(&self, word: &Word<'_>) -> bool {
        let is_empty = self.language.sets.empty.contains(&word.folded);
        let is_small = is_empty || self.language.joins(&word.folded);
        is_small && !self.is_record(word) && !self.is_read(word)
    }
}

/// Whether a value says what happened, and not where, when or to whom.
fn is_what_happened(value: &PlanEntity) -> bool {
    value.kind == EntityKind::Category || is_a_thing(value.kind)
}

/// Takes what a question excludes from what it names. Typed fields stay.
pub(super) fn take_excluded(plan: &mut QueryPlan, excluded: &[Excluded]) {
    let is_outside = |span: &Option<Range<usize>>| {
        let span = span.as_ref();
        span.is_none_or(|span| !excluded.iter().any(|one| overlaps(&one.span, span)))
    };
    plan.times
        .retain(|time| time.strict || is_outside(&time.span));
    plan.entities
        .retain(|entity| entity.strict || is_outside(&entity.span));
}

/// Notes that a part of the question is not answered.
pub(super) fn add_unread(plan: &mut QueryPlan, part: String) {
    let note = format!("{} is not answered by counting entries", quoted(&part));
    plan.notes.push(note);
    plan.unread.push(part);
}
