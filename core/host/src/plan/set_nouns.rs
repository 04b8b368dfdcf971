//! Nouns of a question about entries that may name something else than entries.

use gannet_api::{EntityKind, FilterClause, FilterField, Intent, PlanEntity};

use super::overlaps;
use super::set_clauses::equals;
use super::sets::SetReader;
use super::words::Word;

impl SetReader<'_> {
    /// Whether a word for what an entry is called may be of what entries tell
    /// of: "messages" are the entries only where a good part of them has that
    /// word.
    pub(super) fn names_what_entries_tell_of(&self) -> bool {
        let (sets, plurals) = (&self.language.sets, &self.language.plurals);
        self.words.iter().any(|word| {
            sets.is_possible_record(&word.folded, plurals)
                && !self.is_read(word)
                && !self.lexicon.is_common(&word.folded, plurals)
        })
    }

    /// Whether what is counted is a value that says under which conditions an
    /// entry was written, and not of what kind it is: "how many shutdowns" where
    /// a field has the phase of operation.
    pub(super) fn counts_a_condition(&self) -> bool {
        let asking = self.words.iter().rposition(|word| self.asks(word));
        let Some(asking) = asking.filter(|_| self.plan.intent == Intent::Count) else {
            return false;
        };
        let mut place = asking + 1;
        let mut noun = None;
        while let Some((kind, end)) = self.kind_at(place) {
            (noun, place) = (Some(kind), end);
        }
        noun.is_some_and(|kind| kind != EntityKind::Category)
    }

    /// Whether what asks stands before a place, with nothing but values and times
    /// between: "how many RF trips".
    pub(super) fn follows_asking(&self, place: usize) -> bool {
        let before = self.words.get(..place).unwrap_or_default().iter();
        let mut before = before.rev().filter(|word| !self.is_read(word));
        before.next().is_some_and(|word| self.asks(word))
    }

    /// The category of the entries that are asked for: "how many repairs". Its
    /// word may be one by which questions are read, and names nothing elsewhere.
    pub(super) fn category_asked(&self, place: usize) -> Option<FilterClause> {
        let (word, next) = (self.words.get(place)?, self.words.get(place + 1));
        let is_asked = matches!(
            self.plan.intent,
            Intent::Count | Intent::Latest | Intent::First | Intent::List
        );
        let ends = |next: &Word<'_>| self.is_read(next) || self.language.joins(&next.folded);
        let is_noun = word.ends_clause || next.is_none_or(ends);
        if !is_asked || !is_noun || !self.follows_asking(place) {
            return None;
        }
        let mut forms = self.language.plurals.other_forms(&word.folded);
        forms.push(word.folded.clone());
        let mut values =
            self.lexicon.values.iter().filter(|known| {
                known.kind == EntityKind::Category && known.field != FilterField::Kind
            });
        let known = values.find(|known| forms.contains(&known.value))?;
        Some(equals(&known.field, &known.value))
    }

    /// The kind of the value that a place names, and the place after it.
    fn kind_at(&self, place: usize) -> Option<(EntityKind, usize)> {
        if let Some((clause, end)) = self.value_beside_name(place) {
            return Some((EntityKind::of_field(&clause.field), end));
        }
        if let Some(clause) = self.category_asked(place) {
            return Some((EntityKind::of_field(&clause.field), place + 1));
        }
        let value = self.value_of(self.words.get(place)?)?;
        Some((value.kind, place + 1))
    }

    /// The value that a word names, or is a part of.
    pub(super) fn value_of(&self, word: &Word<'_>) -> Option<&PlanEntity> {
        let mut values = self.plan.soft_entities();
        values.find(|value| {
            let span = value.span.as_ref().filter(|_| value.field.is_some());
            span.is_some_and(|span| overlaps(span, &word.span))
        })
    }
}
