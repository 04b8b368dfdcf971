//! The strict parts of a plan: fields in the text, and the filter of the
//! request.

use std::ops::Range;

use gannet_api::query::{ParsedQuery, QueryOptions, parse};
use gannet_api::{
    Condition, EntityKind, Filter, FilterClause, FilterField, PlanEntity, PlanSource, PlanTime,
    Precision, QuerySyntax, TimeRange,
};
use jiff::SignedDuration;

use super::excluded::excluded_spans;
use super::notes::quoted;
use super::overlaps;

/// The strict parts and what they were read from.
#[derive(Debug, Default)]
pub(super) struct StrictParts {
    pub(super) times: Vec<PlanTime>,
    pub(super) entities: Vec<PlanEntity>,
    pub(super) notes: Vec<String>,
    /// Where fields and excluded parts stand in the text: no words of a
    /// question.
    pub(super) spans: Vec<Range<usize>>,
}

impl StrictParts {
    /// Of the fields in a text that was read as this query.
    pub(super) fn of_text(text: &str, query: &ParsedQuery, options: &QueryOptions) -> Self {
        let mut parts = Self::default();
        if query.plain {
            return parts;
        }
        let excluded = excluded_spans(text, query);
        let is_excluded = |span: &Range<usize>| excluded.iter().any(|part| overlaps(part, span));
        for span in field_spans(text) {
            let written = &text[span.clone()];
            let read = parse(written, QuerySyntax::Operators, options);
            let mut clauses = read.filter.clauses.into_iter();
            let (Some(clause), None, None) = (clauses.next(), clauses.next(), read.root) else {
                continue;
            };
            if is_excluded(&span) {
                continue;
            }
            if is_applied(&clause, &query.filter) {
                let note = format!("{} is a strict filter", quoted(written));
                parts.add(&clause, PlanSource::Field, Some(span.clone()), note);
            }
            parts.spans.push(span);
        }
        parts.spans.extend(excluded);
        parts
    }

    /// Adds the filter of the request.
    pub(super) fn add_filter(&mut self, filter: &Filter) {
        for clause in &filter.clauses {
            let field = clause.field.query_name();
            let note = format!("the request filters by `{field}`");
            self.add(clause, PlanSource::Flag, None, note);
        }
    }

    fn add(
        &mut self,
        clause: &FilterClause,
        source: PlanSource,
        span: Option<Range<usize>>,
        note: String,
    ) {
        self.notes.push(note);
        if clause.field == FilterField::Timestamp {
            if let Condition::Time(range) = &clause.condition {
                self.times.push(
                    PlanTime::new(precision(range), source)
                        .with_from(range.from)
                        .with_to(range.until)
                        .with_strict(true)
                        .with_span(span),
                );
            }
            return;
        }
        let values = match &clause.condition {
            Condition::Equals(value) | Condition::Contains(value) => vec![value.clone()],
            Condition::AnyOf(values) => values.clone(),
            Condition::Number(_) | Condition::Time(_) => Vec::new(),
        };
        self.entities.extend(values.into_iter().map(|value| {
            PlanEntity::new(EntityKind::of_field(&clause.field), value, source)
                .with_field(clause.field.clone())
                .with_strict(true)
                .with_span(span.clone())
        }));
    }
}

/// Where `name:value` and `name:"a value"` stand in a text.
fn field_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..]
        .find(|c: char| !c.is_whitespace())
        .map(|at| rest + at)
    {
        let end = end_of_field(text, start);
        if text[start..end].contains(':') {
            spans.push(start..end);
        }
        rest = end;
    }
    spans
}

/// The end of a word, which goes on to the closing quotation mark.
fn end_of_field(text: &str, start: usize) -> usize {
    let mut is_quoted = false;
    for (at, character) in text[start..].char_indices() {
        match character {
            '"' => is_quoted = !is_quoted,
            _ if character.is_whitespace() && !is_quoted => return start + at,
            _ => {}
        }
    }
    text.len()
}

/// Whether a clause is a part of the filter, perhaps as one of several values.
fn is_applied(clause: &FilterClause, filter: &Filter) -> bool {
    filter.clauses.iter().any(|applied| {
        applied == clause
            || match (&applied.condition, &clause.condition) {
                (Condition::AnyOf(values), Condition::Equals(value)) => {
                    applied.field == clause.field && values.contains(value)
                }
                _ => false,
            }
    })
}

/// The unit that a strict time is about as long as.
fn precision(range: &TimeRange) -> Precision {
    let (Some(from), Some(until)) = (range.from, range.until) else {
        return Precision::Day;
    };
    let length = until.duration_since(from);
    let limits = [
        (SignedDuration::from_hours(12), Precision::Shift),
        (SignedDuration::from_hours(2 * 24), Precision::Day),
        (SignedDuration::from_hours(12 * 24), Precision::Week),
        (SignedDuration::from_hours(45 * 24), Precision::Month),
        (SignedDuration::from_hours(200 * 24), Precision::Season),
    ];
    let unit = limits.into_iter().find(|(limit, _)| length <= *limit);
    unit.map_or(Precision::Year, |(_, unit)| unit)
}
