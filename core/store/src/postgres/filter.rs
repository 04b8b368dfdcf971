//! Filters as SQL that means what `Filter::matches` says.

use gannet_api::{Condition, Filter, FilterClause, FilterField, NumberRange, TimeRange, fold};
use serde_json::{Value, json};
use sqlx::{Postgres, QueryBuilder};

use super::clean::holds_nul;
use super::facets::name;
use super::instant::Instant;
use gannet_index::micros_from;

/// Up to so many values are looked up in the index one by one.
const LOOK_UPS: usize = 32;

/// Adds ` AND …` for every clause, over a table `e` of entries.
pub(super) fn push_filter(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    for clause in &filter.clauses {
        query.push(" AND ");
        push_clause(query, clause);
    }
}

/// Adds one clause.
pub(super) fn push_clause(query: &mut QueryBuilder<Postgres>, clause: &FilterClause) {
    match (&clause.field, &clause.condition) {
        (FilterField::EntryId, condition) => push_id(query, condition),
        (FilterField::Timestamp, Condition::Time(range)) => push_logged(query, range),
        (field, condition) => match name(field) {
            Some(name) => push_facet(query, name, condition),
            None => nothing(query),
        },
    }
}

fn nothing(query: &mut QueryBuilder<Postgres>) {
    query.push("FALSE");
}

fn push_id(query: &mut QueryBuilder<Postgres>, condition: &Condition) {
    match condition {
        Condition::Equals(id) if !holds_nul(id) => {
            query.push("e.entry_id = ").push_bind(id.clone());
        }
        Condition::AnyOf(ids) => {
            let ids = without_nul(ids.iter().cloned());
            query.push("e.entry_id = ANY(").push_bind(ids).push(")");
        }
        Condition::Contains(part) if !holds_nul(part) => {
            query
                .push("strpos(coalesce(e.id_folded, e.entry_id), ")
                .push_bind(fold(part))
                .push(") > 0");
        }
        _ => nothing(query),
    }
}

fn push_logged(query: &mut QueryBuilder<Postgres>, range: &TimeRange) {
    query.push("(TRUE");
    if let Some(from) = range.from {
        let from = Instant(micros_from(from));
        query.push(" AND e.timestamp >= ").push_bind(from);
    }
    if let Some(until) = range.until {
        let until = Instant(micros_from(until));
        query.push(" AND e.timestamp < ").push_bind(until);
    }
    query.push(")");
}

fn push_facet(query: &mut QueryBuilder<Postgres>, name: String, condition: &Condition) {
    // A key with U+0000 is in no entry.
    if holds_nul(&name) {
        return nothing(query);
    }
    match condition {
        Condition::Equals(wanted) => push_any_of(query, name, std::slice::from_ref(wanted)),
        Condition::AnyOf(wanted) => push_any_of(query, name, wanted),
        Condition::Contains(part) if holds_nul(part) => nothing(query),
        Condition::Contains(part) => {
            push_some(query, "facet_texts", name);
            query
                .push("strpos(v, ")
                .push_bind(fold(part))
                .push(") > 0)");
        }
        Condition::Number(range) => push_number(query, name, range),
        Condition::Time(range) => push_time(query, name, range),
    }
}

/// Begins `EXISTS (… one value v of the field with `; the caller closes it.
fn push_some(query: &mut QueryBuilder<Postgres>, column: &'static str, name: String) {
    query
        .push("EXISTS (SELECT 1 FROM jsonb_array_elements_text(e.")
        .push(column)
        .push(" -> ")
        .push_bind(name)
        .push(") v WHERE ");
}

fn push_any_of(query: &mut QueryBuilder<Postgres>, name: String, wanted: &[String]) {
    let wanted = without_nul(wanted.iter().map(|one| fold(one)));
    if wanted.is_empty() {
        return nothing(query);
    }
    if wanted.len() > LOOK_UPS {
        push_some(query, "facet_texts", name);
        query.push("v = ANY(").push_bind(wanted).push("))");
        return;
    }
    for (index, one) in wanted.into_iter().enumerate() {
        query.push(if index == 0 { "(" } else { " OR " });
        let facet: Value = json!({ name.as_str(): [one] });
        query
            .push("e.facet_texts @> ")
            .push_bind(facet.to_string())
            .push("::jsonb");
    }
    query.push(")");
}

fn push_number(query: &mut QueryBuilder<Postgres>, name: String, range: &NumberRange) {
    let bounds = [
        (" >= ", range.at_least),
        (" > ", range.above),
        (" <= ", range.at_most),
        (" < ", range.below),
    ];
    // In Rust nothing compares to NaN; PostgreSQL puts it above all numbers.
    if bounds
        .iter()
        .any(|(_, bound)| bound.is_some_and(f64::is_nan))
    {
        return nothing(query);
    }
    push_some(query, "facet_numbers", name);
    query.push("TRUE");
    for (operator, bound) in bounds {
        let Some(bound) = bound else { continue };
        query
            .push(" AND v <> 'NaN' AND v::float8")
            .push(operator)
            .push_bind(bound);
    }
    query.push(")");
}

fn push_time(query: &mut QueryBuilder<Postgres>, name: String, range: &TimeRange) {
    push_some(query, "facet_instants", name);
    query.push("TRUE");
    for (operator, bound) in [(" >= ", range.from), (" < ", range.until)] {
        let Some(bound) = bound else { continue };
        query
            .push(" AND v::numeric")
            .push(operator)
            .push_bind(bound.as_nanosecond().to_string())
            .push("::numeric");
    }
    query.push(")");
}

fn without_nul(texts: impl Iterator<Item = String>) -> Vec<String> {
    texts.filter(|text| !holds_nul(text)).collect()
}
