//! Conditions of a set that words say beside the values of a plan: fields that
//! are named, values beside the name of their field, and parts of authors' names.

use std::ops::Range;

use gannet_api::{EntityKind, FilterClause, FilterField, PlanEntity};

use super::lexicon::parts_of;
use super::overlaps;
use super::set_clauses::{ReadClause, equals};
use super::set_words::field_word;
use super::sets::SetReader;
use super::words::Word;

/// A field names a set by its own name, as `scram` does, where at most this part
/// of all entries has it.
const FLAG_PART: f64 = 0.5;
/// Letters of a part of an author's name, at least.
const SHORTEST_NAME: usize = 3;

impl SetReader<'_> {
    pub(super) fn read_in(&self, clause: FilterClause, places: Range<usize>) -> ReadClause {
        ReadClause {
            clause,
            words: vec![self.text_of(places)],
            is_guess: false,
        }
    }

    /// The words at places as they stand in the question.
    pub(super) fn text_of(&self, places: Range<usize>) -> String {
        let words = self.words.get(places).unwrap_or_default();
        let span = words.first().zip(words.last());
        let text = span.and_then(|(first, last)| {
            let text = &self.plan.text;
            text.get(first.span.start..last.span.end)
        });
        text.unwrap_or_default().to_owned()
    }

    /// Whether a word before a value that was read by a part of its name is short
    /// for another part: "St" before "Lucie" where the value is `saint lucie`.
    pub(super) fn abbreviates_a_name(&self, word: &Word<'_>) -> bool {
        let between = |start: usize| self.plan.text.get(word.span.end..start);
        self.plan.entities.iter().any(|entity| {
            let span = entity.span.as_ref().filter(|_| entity.field.is_some());
            let gap = span.and_then(|span| between(span.start));
            let is_beside = gap.is_some_and(|gap| !gap.contains(char::is_alphanumeric));
            is_beside
                && parts_of(&entity.value)
                    .iter()
                    .any(|part| is_short_for(&word.folded, part))
        })
    }

    /// The value of a field that stands beside the name of the field or beside
    /// what an entry is called, and the place after it: "region 2", "night shift",
    /// "fixed bugs". Such a value may be a word that names nothing by itself.
    pub(super) fn value_beside_name(&self, place: usize) -> Option<(FilterClause, usize)> {
        let (word, next) = (self.words.get(place)?, self.words.get(place + 1)?);
        if word.ends_clause {
            return None;
        }
        let is_named = |at: usize, field| self.has_name(&[field_word(field)], at);
        let numbered =
            self.lexicon.fields.iter().find(|known| {
                is_named(place, &known.field) && known.numbers.contains(&next.folded)
            });
        if let Some(known) = numbered {
            return Some((equals(&known.field, &next.folded), place + 2));
        }
        let (sets, plurals) = (&self.language.sets, &self.language.plurals);
        let is_record = sets.is_record(&next.folded, plurals);
        let mut values = self.lexicon.values.iter().filter(|known| {
            let is_of_entry = matches!(known.kind, EntityKind::Category | EntityKind::Shift);
            is_of_entry && known.value == word.folded
        });
        let known = values.find(|known| is_record || is_named(place + 1, &known.field))?;
        let end = place + 1 + usize::from(!is_record);
        Some((equals(&known.field, &known.value), end))
    }

    /// The places of names of fields beside a value of theirs: "laser area", "high
    /// severity". They say no more than the value.
    pub(super) fn names_beside_values(&self, values: &[&PlanEntity]) -> Vec<Range<usize>> {
        let is_name = |place: &usize| {
            let beside = [place.checked_sub(1), Some(place + 1)];
            let beside = beside.into_iter().flatten();
            let mut beside = beside.filter_map(|at| self.words.get(at));
            !self.is_read(&self.words[*place])
                && beside.any(|value| {
                    let mut fields = fields_at(values, value);
                    fields.any(|field| self.has_name(&[field_word(field)], *place))
                })
        };
        let names = (0..self.words.len()).filter(is_name);
        names.map(|place| place..place + 1).collect()
    }

    /// Whether a value of a field stands at a place.
    pub(super) fn has_value(&self, place: usize, field: &FilterField) -> bool {
        let values: Vec<&PlanEntity> = self.plan.soft_entities().collect();
        let word = self.words.get(place);
        word.is_some_and(|word| fields_at(&values, word).any(|known| known == field))
    }

    /// The one author of whose name a word with a capital is a part.
    pub(super) fn author_at(&self, place: usize) -> Option<FilterClause> {
        let word = &self.words[place];
        if !word.text.starts_with(char::is_uppercase) || word.folded.chars().count() < SHORTEST_NAME
        {
            return None;
        }
        let mut authors = self.lexicon.values.iter().filter(|known| {
            known.field == FilterField::Author && parts_of(&known.value).contains(&word.folded)
        });
        let author = authors.next()?;
        let is_only = authors.next().is_none();
        is_only.then(|| equals(&author.field, &author.value))
    }

    /// The field of few entries that is named at a place, and the place after
    /// its name.
    pub(super) fn flag_at(&self, place: usize) -> Option<(&FilterField, usize)> {
        let most = self.lexicon.entries as f64 * FLAG_PART;
        let uses = self.lexicon.fields.iter().filter(|known| {
            let is_metadata = matches!(known.field, FilterField::Metadata(_));
            is_metadata && known.entries as f64 <= most
        });
        let named = uses.filter_map(|known| {
            let own = vec![field_word(&known.field)];
            let names = std::iter::once(&own).chain(&known.names);
            let here = names.filter(|name| self.has_name(name, place));
            Some((&known.field, place + here.map(Vec::len).max()?))
        });
        named.max_by_key(|(_, end)| *end)
    }

    /// Whether the words of a name stand at a place, the last one in either
    /// number.
    pub(super) fn has_name(&self, name: &[String], place: usize) -> bool {
        let Some((last, before)) = name.split_last() else {
            return false;
        };
        let words = self.words.get(place..place + name.len());
        words.is_some_and(|words| {
            let end = &words[before.len()].folded;
            let plurals = &self.language.plurals;
            before
                .iter()
                .zip(words)
                .all(|(one, word)| *one == word.folded)
                && (end == last
                    || plurals.other_forms(end).contains(last)
                    || self.language.sets.is_verb_of(end, last))
        })
    }
}

/// The fields of which a word names a value.
fn fields_at<'v>(
    values: &'v [&PlanEntity],
    word: &'v Word<'_>,
) -> impl Iterator<Item = &'v FilterField> {
    let here = values.iter().filter(move |value| {
        let span = value.span.as_ref();
        span.is_some_and(|span| overlaps(span, &word.span))
    });
    here.filter_map(|value| value.field.as_ref())
}

/// Whether a word has the first, the last and letters between of a longer one:
/// `st` of `saint`, `mt` of `mount`.
pub(super) fn is_short_for(word: &str, part: &str) -> bool {
    let mut letters = part.chars();
    word.len() < part.len()
        && word.chars().next() == part.chars().next()
        && word.chars().next_back() == part.chars().next_back()
        && word
            .chars()
            .all(|letter| letters.any(|other| other == letter))
}
