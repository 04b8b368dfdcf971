//! What a query wants, as a condition on rows.

use std::collections::BTreeSet;

use sqlx::{Postgres, QueryBuilder};

use super::columns::push_quoted;
use super::families::{Names, in_sequence};
use crate::postgres::filter::push_clause;
use gannet_analysis::Wanted;

/// Adds what a row `e` must be. As much of it as can be is one `tsquery`,
/// which the index answers.
pub(super) fn push_condition(
    query: &mut QueryBuilder<Postgres>,
    wanted: &Wanted,
    families: &[Names],
) {
    if let Some(terms) = as_tsquery(wanted, families) {
        return push_match(query, terms);
    }
    match wanted {
        Wanted::Filter(clause) => {
            push_clause(query, clause);
        }
        Wanted::Not(excluded) => {
            query.push("NOT ");
            push_condition(query, excluded, families);
        }
        Wanted::All(parts) => push_joined(query, parts, families, " AND ", Wanted::All),
        Wanted::Any(parts) => push_joined(query, parts, families, " OR ", Wanted::Any),
        // These are a `tsquery` for certain.
        Wanted::Repeated(part, _) => push_condition(query, part, families),
        Wanted::Word(_) | Wanted::Sequence(_) | Wanted::Family(_) => {}
    }
}

/// Parts that are about terms go together into one `tsquery`.
fn push_joined(
    query: &mut QueryBuilder<Postgres>,
    parts: &[Wanted],
    families: &[Names],
    operator: &str,
    join: fn(Vec<Wanted>) -> Wanted,
) {
    let (of_terms, others): (Vec<&Wanted>, Vec<&Wanted>) = parts
        .iter()
        .partition(|part| as_tsquery(part, families).is_some());
    query.push("(");
    let mut separator = "";
    if !of_terms.is_empty() {
        let joined = join(of_terms.into_iter().cloned().collect());
        push_condition(query, &joined, families);
        separator = operator;
    }
    for part in others {
        query.push(separator);
        push_condition(query, part, families);
        separator = operator;
    }
    query.push(")");
}

pub(super) fn push_match(query: &mut QueryBuilder<Postgres>, terms: String) {
    query.push("e.terms @@ ").push_bind(terms).push("::tsquery");
}

/// The `tsquery` of something that is about terms alone.
fn as_tsquery(wanted: &Wanted, families: &[Names]) -> Option<String> {
    match wanted {
        Wanted::Word(forms) => Some(any_of(forms)),
        Wanted::Sequence(terms) => in_sequence(terms),
        Wanted::Repeated(part, _) => as_tsquery(part, families),
        Wanted::Family(place) => Some(families[*place].query.clone()),
        Wanted::Filter(_) => None,
        Wanted::Not(excluded) => Some(format!("!{}", as_tsquery(excluded, families)?)),
        Wanted::All(parts) => joined(parts, families, " & "),
        Wanted::Any(parts) => joined(parts, families, " | "),
    }
}

fn joined(parts: &[Wanted], families: &[Names], operator: &str) -> Option<String> {
    let parts: Option<Vec<String>> = parts
        .iter()
        .map(|part| as_tsquery(part, families))
        .collect();
    Some(format!("({})", parts?.join(operator)))
}

fn any_of<'a>(terms: impl IntoIterator<Item = &'a String>) -> String {
    let mut query = String::from("(");
    for (index, term) in terms.into_iter().enumerate() {
        if index > 0 {
            query.push_str(" | ");
        }
        push_quoted(&mut query, term);
    }
    query.push(')');
    query
}

/// A `tsquery` that ranks candidates: any of what is wanted, excluded things
/// left out. `None` when nothing has a rank.
pub(super) fn ranking(wanted: &Wanted, families: &[Names]) -> Option<String> {
    let mut parts = BTreeSet::new();
    gather(wanted, families, &mut parts);
    (!parts.is_empty()).then(|| Vec::from_iter(parts).join(" | "))
}

fn gather(wanted: &Wanted, families: &[Names], parts: &mut BTreeSet<String>) {
    match wanted {
        Wanted::Word(terms) | Wanted::Sequence(terms) => {
            parts.insert(any_of(terms));
        }
        Wanted::Family(place) => {
            parts.insert(families[*place].query.clone());
        }
        Wanted::All(inner) | Wanted::Any(inner) => {
            for part in inner {
                gather(part, families, parts);
            }
        }
        Wanted::Repeated(part, _) => gather(part, families, parts),
        Wanted::Filter(_) | Wanted::Not(_) => {}
    }
}
