//! The conditions of a set as clauses of a filter.

use std::collections::BTreeMap;

use gannet_api::{Condition, EntityKind, FilterClause, FilterField, PlanEntity, SetQuery};

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
}

/// The words of conditions by the names of their fields.
pub(super) fn field_words(read: &[ReadClause]) -> BTreeMap<String, Vec<String>> {
    let mut by_field: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ReadClause { clause, words } in read {
        let known = by_field.entry(clause.field.query_name()).or_default();
        known.extend(words.iter().cloned());
    }
    by_field
}

/// A clause for each field: of fields that have values by the same words, the
/// one with most entries; several values of a field are alternatives.
pub(super) fn clauses_of(text: &str, entities: &[&PlanEntity]) -> Vec<ReadClause> {
    let mut by_span: BTreeMap<(usize, usize), Vec<&PlanEntity>> = BTreeMap::new();
    for entity in entities {
        if let Some(span) = &entity.span {
            let named = by_span.entry((span.start, span.end)).or_default();
            named.push(entity);
        }
    }
    let mut fields: Vec<(FilterField, Vec<String>, Vec<String>)> = Vec::new();
    for ((start, end), named) in by_span {
        let Some(field) = field_of(&named) else {
            continue;
        };
        let of_field = named.iter().filter(|one| one.field.as_ref() == Some(field));
        let values = of_field.map(|one| one.value.clone());
        let words = text.get(start..end).map(str::to_owned);
        match fields.iter_mut().find(|(known, ..)| known == field) {
            Some((_, known, said)) => {
                known.extend(values);
                said.extend(words);
            }
            None => fields.push((field.clone(), values.collect(), words.into_iter().collect())),
        }
    }
    let clauses = fields.into_iter().map(|(field, mut values, words)| {
        values.sort();
        values.dedup();
        let condition = match values.as_slice() {
            [only] => Condition::Equals(only.clone()),
            _ => Condition::AnyOf(values),
        };
        let clause = FilterClause { field, condition };
        ReadClause { clause, words }
    });
    clauses.collect()
}

/// The field that has the most entries with the values that words name; of
/// those with as many the first.
fn field_of<'e>(named: &[&'e PlanEntity]) -> Option<&'e FilterField> {
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
    format!("asks for the {}{group} of {of}", set.operation.name())
}
