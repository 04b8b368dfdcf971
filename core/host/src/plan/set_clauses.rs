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

/// A clause for each field: of fields that have values by the same words, the
/// one with most entries; several values of a field are alternatives.
pub(super) fn clauses_of(entities: &[&PlanEntity]) -> Vec<FilterClause> {
    let mut by_span: BTreeMap<(usize, usize), Vec<&PlanEntity>> = BTreeMap::new();
    for entity in entities {
        if let Some(span) = &entity.span {
            let named = by_span.entry((span.start, span.end)).or_default();
            named.push(entity);
        }
    }
    let mut fields: Vec<(FilterField, Vec<String>)> = Vec::new();
    for named in by_span.into_values() {
        let Some(field) = field_of(&named) else {
            continue;
        };
        let of_field = named.iter().filter(|one| one.field.as_ref() == Some(field));
        let values = of_field.map(|one| one.value.clone());
        match fields.iter_mut().find(|(known, _)| known == field) {
            Some((_, known)) => known.extend(values),
            None => fields.push((field.clone(), values.collect())),
        }
    }
    let clauses = fields.into_iter().map(|(field, mut values)| {
        values.sort();
        values.dedup();
        let condition = match values.as_slice() {
            [only] => Condition::Equals(only.clone()),
            _ => Condition::AnyOf(values),
        };
        FilterClause { field, condition }
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
