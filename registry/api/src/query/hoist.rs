//! Field filters of the top level, moved out of the tree into the filter.

use super::Node;
use super::grammar::one_or;
use super::notes::Notes;
use crate::{Condition, Filter, FilterClause, FilterField};

const GIVEN_TWICE: &str =
    "a single-valued field is given twice: entries with any of the values match";

/// What is left of the tree, and the filter that its top level sets.
pub(super) fn split_filter(root: Option<Node>, notes: &mut Notes) -> (Option<Node>, Filter) {
    let mut filter = Filter::none();
    let root = root.and_then(|node| take_fields(node, &mut filter));
    merge_values(&mut filter, notes);
    (root, filter)
}

/// Takes the fields out of lists of which all parts are wanted.
fn take_fields(node: Node, filter: &mut Filter) -> Option<Node> {
    match node {
        Node::Field(clause) => {
            if !filter.clauses.contains(&clause) {
                filter.clauses.push(clause);
            }
            None
        }
        Node::All(parts) => one_or(take_from_each(parts, filter), Node::All),
        Node::And(parts) => one_or(take_from_each(parts, filter), Node::And),
        other => Some(other),
    }
}

fn take_from_each(parts: Vec<Node>, filter: &mut Filter) -> Vec<Node> {
    parts
        .into_iter()
        .filter_map(|part| take_fields(part, filter))
        .collect()
}

/// An entry has one source, one logbook, one shift, one kind and one id, so
/// two values of such a field can only mean any of them.
fn merge_values(filter: &mut Filter, notes: &mut Notes) {
    let mut merged: Vec<FilterClause> = Vec::with_capacity(filter.clauses.len());
    for clause in std::mem::take(&mut filter.clauses) {
        let earlier = merged
            .iter_mut()
            .find(|other| other.field == clause.field && is_choice(other) && is_choice(&clause));
        match earlier {
            None => merged.push(clause),
            Some(earlier) => {
                notes.info("field", GIVEN_TWICE);
                widen(&mut earlier.condition, clause.condition);
            }
        }
    }
    filter.clauses = merged;
}

/// Whether the clause picks whole values of a field that has only one.
fn is_choice(clause: &FilterClause) -> bool {
    has_one_value(&clause.field)
        && matches!(clause.condition, Condition::Equals(_) | Condition::AnyOf(_))
}

/// Whether an entry has one value of this field and filters compare it whole.
pub(super) fn has_one_value(field: &FilterField) -> bool {
    match field {
        FilterField::EntryId | FilterField::SourceSystem | FilterField::Kind => true,
        FilterField::Metadata(key) => key == "logbook" || key == "shift",
        FilterField::Author | FilterField::Timestamp => false,
    }
}

fn widen(condition: &mut Condition, other: Condition) {
    let mut values = values_of(std::mem::replace(condition, Condition::AnyOf(Vec::new())));
    values.extend(values_of(other));
    *condition = Condition::AnyOf(values);
}

fn values_of(condition: Condition) -> Vec<String> {
    match condition {
        Condition::Equals(value) => vec![value],
        Condition::AnyOf(values) => values,
        Condition::Contains(_) | Condition::Number(_) | Condition::Time(_) => Vec::new(),
    }
}
