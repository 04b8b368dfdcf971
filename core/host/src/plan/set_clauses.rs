//! The conditions of a set as clauses of a filter.

use std::collections::BTreeMap;

use gannet_api::{Condition, EntityKind, FilterClause, FilterField, PlanEntity, SetQuery};

use super::language::Language;
use super::phrases::Phrases;
use super::sets::SetReader;
use super::words::words_of;

/// Whether values of a kind are things that entries name, and not what an entry
/// is or is of.
pub(super) fn is_a_thing(kind: EntityKind) -> bool {
    matches!(
        kind,
        EntityKind::Tag | EntityKind::System | EntityKind::Device | EntityKind::Pv
    )
}

pub(super) fn equals(field: &FilterField, value: &str) -> FilterClause {
    FilterClause {
        field: field.clone(),
        condition: Condition::Equals(value.to_owned()),
    }
}

pub(super) fn has_field(field: &FilterField) -> FilterClause {
    FilterClause {
        field: field.clone(),
        condition: Condition::Contains(String::new()),
    }
}

/// A condition and the words of the question that it was read in.
#[derive(Debug, Clone)]
pub(super) struct ReadClause {
    pub(super) clause: FilterClause,
    pub(super) words: Vec<String>,
    /// Whether several values may be meant in another way: as what all hold, or
    /// as alternatives.
    pub(super) is_guess: bool,
}

/// The words of conditions by the names of their fields.
pub(super) fn field_words(read: &[ReadClause]) -> BTreeMap<String, Vec<String>> {
    let mut by_field: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ReadClause { clause, words, .. } in read {
        let known = by_field.entry(clause.field.query_name()).or_default();
        known.extend(words.iter().cloned());
    }
    by_field
}

/// What stands between two values of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    Or,
    /// "and" or a comma.
    And,
}

/// Values of a field that are alternatives, and the words that name them.
#[derive(Default)]
struct Alternatives {
    values: Vec<String>,
    words: Vec<String>,
    /// Where the last of the words ends in the question.
    end: usize,
    has_or: bool,
}

impl Alternatives {
    fn clause(mut self, field: &FilterField, is_guess: bool) -> ReadClause {
        self.values.sort();
        self.values.dedup();
        let is_guess = is_guess && self.values.len() > 1;
        let condition = match self.values.as_slice() {
            [only] => Condition::Equals(only.clone()),
            _ => Condition::AnyOf(self.values),
        };
        let field = field.clone();
        ReadClause {
            clause: FilterClause { field, condition },
            words: self.words,
            is_guess,
        }
    }
}

impl SetReader<'_> {
    /// The clauses of values, field by field: of fields that have values by the
    /// same words, the one with most entries.
    pub(super) fn clauses_of(&self, entities: &[&PlanEntity]) -> Vec<ReadClause> {
        let mut fields: Vec<(&FilterField, Vec<Alternatives>)> = Vec::new();
        for ((start, end), named) in by_span(entities) {
            let Some(field) = field_of(&named) else {
                continue;
            };
            let of_field = named.iter().filter(|one| one.field.as_ref() == Some(field));
            let words = self.plan.text.get(start..end).map(str::to_owned);
            let one = Alternatives {
                values: of_field.map(|one| one.value.clone()).collect(),
                words: words.into_iter().collect(),
                end,
                has_or: false,
            };
            match fields.iter_mut().find(|(known, _)| *known == field) {
                Some((_, known)) => self.add_values(known, one, start),
                None => fields.push((field, vec![one])),
            }
        }
        let clauses = fields.into_iter();
        clauses
            .flat_map(|(field, read)| self.clauses_of_field(field, read))
            .collect()
    }

    /// Adds values to those before them where "or", "and" or a comma stands
    /// between, and else beside them.
    fn add_values(&self, known: &mut Vec<Alternatives>, one: Alternatives, start: usize) {
        let before = known.last().map_or(0, |last| last.end);
        if let Some(joint) = self.joint(before, start)
            && let Some(last) = known.last_mut()
        {
            last.values.extend(one.values);
            last.words.extend(one.words);
            last.end = one.end;
            last.has_or |= joint == Joint::Or;
            return;
        }
        known.push(one);
    }

    /// What joins the values that stand before and after a part of the question.
    fn joint(&self, from: usize, until: usize) -> Option<Joint> {
        let between = self.plan.text.get(from..until)?;
        let words = words_of(between, Language::splits);
        let has = |phrases: &Phrases<()>| {
            (0..words.len()).any(|place| phrases.at(&words, place).is_some())
        };
        if has(&self.language.or) {
            return Some(Joint::Or);
        }
        let is_joined = has(&self.language.and) || between.contains(',');
        is_joined.then_some(Joint::And)
    }

    /// An entry may have several values of a field of lists: those side by side
    /// all hold, and "A and B" may mean so too. Of another field it has one, so
    /// that several are alternatives, whatever stands between.
    fn clauses_of_field(&self, field: &FilterField, read: Vec<Alternatives>) -> Vec<ReadClause> {
        if self.lexicon.is_list(field) {
            let read = read.into_iter();
            let clauses = read.map(|one| {
                let is_guess = one.words.len() > 1 && !one.has_or;
                one.clause(field, is_guess)
            });
            return clauses.collect();
        }
        let is_guess = read.len() > 1;
        let mut all = Alternatives::default();
        for one in read {
            all.values.extend(one.values);
            all.words.extend(one.words);
        }
        vec![all.clause(field, is_guess)]
    }
}

/// Values by the places of the words that name them, in the order of the
/// question.
fn by_span<'e>(entities: &[&'e PlanEntity]) -> BTreeMap<(usize, usize), Vec<&'e PlanEntity>> {
    let mut by_span: BTreeMap<(usize, usize), Vec<&'e PlanEntity>> = BTreeMap::new();
    for entity in entities {
        if let Some(span) = &entity.span {
            let named = by_span.entry((span.start, span.end)).or_default();
            named.push(*entity);
        }
    }
    by_span
}

/// The field that has the most entries with the values that words name; of
/// those with as many the first.
pub(super) fn field_of<'e>(named: &[&'e PlanEntity]) -> Option<&'e FilterField> {
    let entries = |field: &FilterField| -> u64 {
        let own = named.iter().filter(|one| one.field.as_ref() == Some(field));
        own.map(|one| one.entries.unwrap_or(0)).sum()
    };
    let fields = named.iter().rev().filter_map(|one| one.field.as_ref());
    fields.max_by_key(|field| entries(field))
}

/// What the plan says about a set.
pub(super) fn note(set: &SetQuery) -> String {
    let group = set.group_by.as_ref();
    let group = group.map_or_else(String::new, |group| format!(" by {}", group.name()));
    let of = match set.topic.as_slice() {
        [] => "entries of these conditions alone".to_owned(),
        topic => format!("entries about `{}`", topic.join(" ")),
    };
    let unread = match set.unread.as_slice() {
        [] => String::new(),
        parts => format!("; not for `{}`, which is not answered", parts.join("`, `")),
    };
    format!(
        "asks for the {}{group} of {of}{unread}",
        set.operation.name()
    )
}
