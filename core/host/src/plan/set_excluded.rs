//! What a question about entries excludes: "not from Knutby". The conditions of a
//! set cannot say it, so that it is not answered, and what it names is not asked
//! for.

use std::ops::Range;

use gannet_api::{Intent, QueryPlan};

use super::notes::quoted;
use super::overlaps;
use super::set_clauses::is_a_thing;
use super::set_scope::end_of_exclusion;
use super::sets::SetReader;
use super::words::Word;

impl SetReader<'_> {
    /// Where the parts stand that exclude entries, in bytes of the question. A
    /// question about one event has none: "why was there no beam".
    pub(super) fn excluded(&self) -> Vec<Range<usize>> {
        let asks_for_entries = match self.plan.intent {
            Intent::Count | Intent::List | Intent::Latest | Intent::First => true,
            Intent::Find => self.words.iter().any(|word| self.is_record(word)),
            _ => false,
        };
        let mut excluded = Vec::new();
        let mut place = 0;
        while asks_for_entries && place < self.words.len() {
            match self.end_of_excluded(place) {
                Some(end) => {
                    excluded.push(self.words[place].span.start..self.words[end - 1].span.end);
                    place = end;
                }
                None => place += 1,
            }
        }
        excluded
    }

    /// The place after what is excluded at a place: times and values after the
    /// word that excludes, or any word where that is said of entries. "No beam"
    /// may be what an entry is about.
    fn end_of_excluded(&self, place: usize) -> Option<usize> {
        let first = end_of_exclusion(self.words, self.language, place)?;
        let of_entries = self.is_of_entries(place);
        let rest = self.words.get(first..)?;
        let Some(at) = rest.iter().position(|word| !self.is_small(word)) else {
            return of_entries.then_some(first);
        };
        let operand = first + at;
        let word = &self.words[operand];
        let is_thing = self
            .value_of(word)
            .is_some_and(|value| is_a_thing(value.kind));
        let is_named = self.is_read(word) && (at > 0 || !is_thing);
        (of_entries || is_named).then(|| self.end_of_operands(operand))
    }

    /// The place after times and values, with others that "and" or "or" joins to
    /// them.
    fn end_of_operands(&self, operand: usize) -> usize {
        let (and, or) = (&self.language.and, &self.language.or);
        let is_read = |at: usize| self.words.get(at).is_some_and(|word| self.is_read(word));
        let mut end = operand + 1;
        loop {
            let joint = and.at(self.words, end).or_else(|| or.at(self.words, end));
            let next = joint.map_or(end, |(_, after)| after);
            if !is_read(next) {
                return end;
            }
            end = next + 1;
        }
    }

    /// Whether what stands before a place is what an entry is called, or a value
    /// that says what it is: "entries that are", "alerts".
    fn is_of_entries(&self, place: usize) -> bool {
        let mut before = self.words[..place].iter().rev();
        let noun = before.find(|word| !self.is_small(word));
        noun.is_some_and(|word| {
            let value = self.value_of(word);
            self.is_record(word) || value.is_some_and(|value| !is_a_thing(value.kind))
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

/// Takes what a question excludes from what it names, and notes that it is not
/// answered. Typed fields stay.
pub(super) fn take_excluded(plan: &mut QueryPlan, excluded: &[Range<usize>]) {
    let is_outside = |span: &Option<Range<usize>>| {
        let span = span.as_ref();
        span.is_none_or(|span| !excluded.iter().any(|one| overlaps(one, span)))
    };
    plan.times
        .retain(|time| time.strict || is_outside(&time.span));
    plan.entities
        .retain(|entity| entity.strict || is_outside(&entity.span));
    for span in excluded {
        let words = plan.text.get(span.clone()).unwrap_or_default().to_owned();
        add_unread(plan, words);
    }
}

/// Notes that a part of the question is not answered.
pub(super) fn add_unread(plan: &mut QueryPlan, part: String) {
    let note = format!("{} is not answered by counting entries", quoted(&part));
    plan.notes.push(note);
    plan.unread.push(part);
}
