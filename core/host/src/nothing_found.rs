//! Why a filter may have found nothing: a field that no entry has, a value
//! that is misspelt, dates that leave no time between them.
//!
//! This looks at the values of the store, so it is asked for empty results
//! only.

use std::collections::BTreeSet;

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{
    Condition, Diagnostic, Filter, FilterClause, FilterField, QuerySyntax, TimeRange, fold,
};
use gannet_registry::{did_you_mean, nearest};
use gannet_store::{ListRequest, Store, StoreError};

const SOURCE: &str = "service.filter";

/// Entries whose metadata tells which fields there are; the newest.
const SAMPLE: usize = 500;

/// Values of a field that a misspelt one is compared with, the most frequent.
const VALUES: usize = 1000;

/// Fields that are listed where none is like the one asked for.
const LISTED: usize = 10;

/// Diagnostics about the filter and the field filters of the question.
///
/// # Errors
/// [`StoreError`] when the store cannot be read.
pub(crate) async fn why_nothing(
    store: &Store,
    tenant: &str,
    filter: &Filter,
    query: &str,
    options: &QueryOptions,
) -> Result<Vec<Diagnostic>, StoreError> {
    let in_query = parse(query, QuerySyntax::Operators, options).filter;
    let mut clauses: Vec<&FilterClause> = Vec::new();
    for clause in filter.clauses.iter().chain(&in_query.clauses) {
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    let mut notes: Vec<Diagnostic> = no_time_left(&clauses).into_iter().collect();
    for clause in clauses {
        notes.extend(about(store, tenant, clause).await?);
    }
    Ok(notes)
}

/// That no entry has a field of metadata, if none has.
///
/// # Errors
/// [`StoreError`] when the store cannot be read.
pub(crate) async fn about_field(
    store: &Store,
    tenant: &str,
    field: &FilterField,
) -> Result<Option<Diagnostic>, StoreError> {
    let FilterField::Metadata(key) = field else {
        return Ok(None);
    };
    if !store.distinct(tenant, field, 1).await?.is_empty() {
        return Ok(None);
    }
    let known = known_fields(store, tenant).await?;
    Ok(Some(unknown_field(key, &known)))
}

async fn about(
    store: &Store,
    tenant: &str,
    clause: &FilterClause,
) -> Result<Option<Diagnostic>, StoreError> {
    let field = &clause.field;
    if matches!(field, FilterField::EntryId | FilterField::Timestamp) {
        return Ok(None);
    }
    let values = store.distinct(tenant, field, VALUES).await?;
    let values: Vec<String> = values.into_iter().map(|(value, _)| value).collect();
    match field {
        FilterField::Metadata(key) if values.is_empty() => Ok(Some(unknown_field(
            key,
            &known_fields(store, tenant).await?,
        ))),
        _ => Ok(unknown_value(field, &clause.condition, &values)),
    }
}

/// The fields of metadata of the newest entries, and those that all have.
async fn known_fields(store: &Store, tenant: &str) -> Result<BTreeSet<String>, StoreError> {
    let newest = store.list(tenant, ListRequest::newest(SAMPLE)).await?;
    let own = newest.entries.into_iter().flat_map(|entry| entry.metadata);
    let mut fields: BTreeSet<String> = own.map(|(key, _)| key).collect();
    fields.extend(["author", "kind", "source"].map(str::to_owned));
    Ok(fields)
}

fn unknown_field(key: &str, known: &BTreeSet<String>) -> Diagnostic {
    let near = nearest(key, known.iter().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let listed: Vec<&str> = known.iter().map(String::as_str).take(LISTED).collect();
            format!("there are: {}", listed.join(", "))
        }
    };
    let message = format!("no entry has a field `{key}`; {hint}");
    Diagnostic::warning(SOURCE, message).category("unknown_field")
}

fn unknown_value(
    field: &FilterField,
    condition: &Condition,
    values: &[String],
) -> Option<Diagnostic> {
    let wanted: Vec<&String> = match condition {
        Condition::Equals(value) | Condition::Contains(value) => vec![value],
        Condition::AnyOf(values) => values.iter().collect(),
        Condition::Number(_) | Condition::Time(_) => return None,
    };
    let is_there = |wanted: &&String| {
        let wanted = fold(wanted);
        values.iter().any(|value| match condition {
            Condition::Contains(_) => fold(value).contains(&wanted),
            _ => fold(value) == wanted,
        })
    };
    if values.len() == VALUES || wanted.iter().any(is_there) {
        return None;
    }
    let (name, value) = (name(field), wanted.first()?);
    let words = values.iter().flat_map(|value| value.split_whitespace());
    let candidates = values.iter().map(String::as_str);
    let hint = match condition {
        Condition::Contains(_) => did_you_mean(value, candidates.chain(words)),
        _ => did_you_mean(value, candidates),
    };
    let message = format!("no entry has the {name} `{value}`{hint}");
    Some(Diagnostic::info(SOURCE, message).category("unknown_value"))
}

fn name(field: &FilterField) -> &str {
    match field {
        FilterField::EntryId => "id",
        FilterField::Author => "author",
        FilterField::SourceSystem => "source",
        FilterField::Kind => "kind",
        FilterField::Timestamp => "date",
        FilterField::Metadata(key) if key == "tags" => "tag",
        FilterField::Metadata(key) => key,
    }
}

fn no_time_left(clauses: &[&FilterClause]) -> Option<Diagnostic> {
    let ranges = clauses.iter().filter_map(|clause| match &clause.condition {
        Condition::Time(range) if clause.field == FilterField::Timestamp => Some(*range),
        _ => None,
    });
    let all = ranges.fold(TimeRange::default(), |all, one| TimeRange {
        from: all.from.max(one.from),
        until: [all.until, one.until].into_iter().flatten().min(),
    });
    let (from, until) = (all.from?, all.until?);
    (from >= until).then(|| {
        let message = format!(
            "the dates leave no time between them: from {from} until {until}; swap them, or leave \
             one out"
        );
        Diagnostic::warning(SOURCE, message).category("date")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_like_none_is_answered_with_those_that_there_are() {
        let known = ["author", "shift"].map(str::to_owned).into();
        let message = |key| unknown_field(key, &known).message;
        assert_eq!(
            message("shft"),
            "no entry has a field `shft`; did you mean `shift`?"
        );
        assert_eq!(
            message("zzz"),
            "no entry has a field `zzz`; there are: author, shift"
        );
    }

    #[test]
    fn a_part_of_a_name_is_compared_with_words_of_names() {
        let values = ["Anna Lee".to_owned(), "Bo Chen".to_owned()];
        let asked = |part: &str| {
            let condition = Condition::Contains(part.to_owned());
            let note = unknown_value(&FilterField::Author, &condition, &values);
            note.map(|note| note.message)
        };
        let expected = "no entry has the author `chn`; did you mean `Chen`?";
        assert_eq!(asked("chn").as_deref(), Some(expected));
        assert_eq!(asked("lee"), None);
    }
}
