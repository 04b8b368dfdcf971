//! Field filters: which names there are, and what their values mean.

use super::QueryOptions;
use super::dates::{ACCEPTED_DATES, backwards, parse_date_span, split_comparison};
use crate::{Condition, Error, FilterClause, FilterField, NumberRange, TimeRange};

/// The field that a prefix of the query language names, in any case; `None`
/// for every other word before a colon, which is part of a name then.
pub(super) fn field_of_prefix(prefix: &str) -> Option<FilterField> {
    const FIELDS: [&str; 11] = [
        "author",
        "date",
        "source",
        "source_system",
        "logbook",
        "tag",
        "tags",
        "shift",
        "kind",
        "id",
        "entry_id",
    ];
    let known = FIELDS.iter().find(|name| prefix.eq_ignore_ascii_case(name));
    if let Some(name) = known {
        return Some(FilterField::from_name(name));
    }
    let (meta, key) = prefix.split_once('.')?;
    let is_meta = meta.eq_ignore_ascii_case("meta") && !key.is_empty();
    is_meta.then(|| FilterField::Metadata(key.to_owned()))
}

/// The comparison with a date that a prefix means, as other search boxes have
/// them: `since:2026-03` is `date:>=2026-03`.
pub(super) fn comparison_of_prefix(prefix: &str) -> Option<&'static str> {
    const COMPARISONS: [(&str, &str); 5] = [
        ("after", ">"),
        ("since", ">="),
        ("from", ">="),
        ("before", "<"),
        ("until", "<="),
    ];
    let mut known = COMPARISONS.iter();
    let found = known.find(|(name, _)| prefix.eq_ignore_ascii_case(name))?;
    Some(found.1)
}

/// The condition that a bare or quoted value of the query language sets.
///
/// # Errors
/// Why the value cannot be used, for a note.
pub(super) fn read_condition(
    field: &FilterField,
    value: &str,
    was_quoted: bool,
    options: &QueryOptions,
) -> Result<Condition, String> {
    match field {
        FilterField::Timestamp => read_date(value, options).map(Condition::Time),
        // Every author contains an empty text: the entries without one are meant.
        FilterField::Author if was_quoted && value.is_empty() => {
            Ok(Condition::Equals(String::new()))
        }
        FilterField::Author if was_quoted => Ok(Condition::Contains(value.to_owned())),
        FilterField::Author => read_author(value),
        FilterField::Metadata(_) if !was_quoted && value == "*" => {
            Ok(Condition::Contains(String::new()))
        }
        FilterField::Metadata(_) if !was_quoted => read_metadata(value, options),
        _ => Ok(Condition::Equals(value.to_owned())),
    }
}

/// The clause that a filter `name=value` of the command line or of a map of
/// filters means.
///
/// - `date_from`, `start_date` and `published_after` set the first instant;
///   `date_to` and `end_date` the last: an end without a time of day includes
///   that whole day. `date` takes every form of [`parse_date_span`].
/// - `author` is a case-insensitive contains-match.
/// - Metadata takes `>=3`, `>3`, `<=3`, `<3` and `3..5` for numbers, the first
///   four with dates as well.
/// - `a|b` is any of these, for every field but dates (of an author, the whole
///   name then).
/// - Everything else is equality.
///
/// Any name is accepted: one that is no field is a metadata key, as in
/// [`FilterField::from_name`].
///
/// ```
/// use gannet_api::query::{QueryOptions, parse_filter_value};
/// use gannet_api::{Condition, FilterField};
///
/// let options = QueryOptions::default();
/// let clause = parse_filter_value("severity", "high|critical", &options).unwrap();
/// assert_eq!(clause.field, FilterField::Metadata("severity".into()));
/// assert_eq!(clause.condition, Condition::AnyOf(vec!["high".into(), "critical".into()]));
/// assert!(parse_filter_value("end_date", "soon", &options).is_err());
/// ```
///
/// # Errors
/// [`Error::InvalidInput`] for an empty value, for a date that is none, for a
/// range of dates that runs backwards, and for a comparison with what is neither a number nor a date.
pub fn parse_filter_value(
    name: &str,
    value: &str,
    options: &QueryOptions,
) -> Result<FilterClause, Error> {
    let value = value.trim();
    let refused = |reason: String| Error::invalid_input(format!("filter `{name}`: {reason}"));
    if value.is_empty() {
        return Err(refused("the value is empty".to_owned()));
    }
    if let Some(bound) = Bound::of_name(name) {
        let range = read_date(value, options).map_err(refused)?;
        return Ok(FilterClause {
            field: FilterField::Timestamp,
            condition: Condition::Time(bound.only(range)),
        });
    }
    let field = FilterField::from_name(name);
    if field == FilterField::Timestamp
        && let Some((from, until)) = backwards(value, options)
    {
        return Err(refused(format!("`{from}` is after `{until}`; swap them")));
    }
    let condition = match &field {
        FilterField::Timestamp => read_condition(&field, value, false, options).map_err(refused)?,
        _ if value.contains('|') => any_of(value),
        _ => read_condition(&field, value, false, options).map_err(refused)?,
    };
    Ok(FilterClause { field, condition })
}

/// One end of a span of time.
#[derive(Clone, Copy)]
enum Bound {
    From,
    Until,
}

impl Bound {
    fn of_name(name: &str) -> Option<Self> {
        match name {
            "date_from" | "start_date" | "published_after" => Some(Self::From),
            "date_to" | "end_date" => Some(Self::Until),
            _ => None,
        }
    }

    fn only(self, range: TimeRange) -> TimeRange {
        match self {
            Self::From => TimeRange {
                from: range.from,
                until: None,
            },
            Self::Until => TimeRange {
                from: None,
                until: range.until,
            },
        }
    }
}

fn any_of(value: &str) -> Condition {
    let members = value.split('|').map(|member| member.trim().to_owned());
    Condition::AnyOf(members.filter(|member| !member.is_empty()).collect())
}

fn read_date(value: &str, options: &QueryOptions) -> Result<TimeRange, String> {
    parse_date_span(value, options)
        .ok_or_else(|| format!("`{value}` is not a valid date; accepted are {ACCEPTED_DATES}"))
}

/// A contains-match needs no `*` at its ends.
fn read_author(value: &str) -> Result<Condition, String> {
    let name = value.trim_matches('*');
    if name.is_empty() {
        return Err("a name cannot contain `*`".to_owned());
    }
    Ok(Condition::Contains(name.to_owned()))
}

fn read_metadata(value: &str, options: &QueryOptions) -> Result<Condition, String> {
    if let Some((sign, rest)) = split_comparison(value) {
        return compared(sign, rest)
            .map(Condition::Number)
            .or_else(|| parse_date_span(value, options).map(Condition::Time))
            .ok_or_else(|| format!("`{value}` compares with what is neither a number nor a date"));
    }
    Ok(match number_range(value) {
        Some(range) => Condition::Number(range),
        None => Condition::Equals(value.to_owned()),
    })
}

fn compared(sign: &str, number: &str) -> Option<NumberRange> {
    let bound = Some(finite(number)?);
    let open = NumberRange::default();
    Some(match sign {
        ">=" => NumberRange {
            at_least: bound,
            ..open
        },
        ">" => NumberRange {
            above: bound,
            ..open
        },
        "<=" => NumberRange {
            at_most: bound,
            ..open
        },
        _ => NumberRange {
            below: bound,
            ..open
        },
    })
}

/// `3..5`, `3..` or `..5`, both ends included.
fn number_range(value: &str) -> Option<NumberRange> {
    let (first, last) = value.split_once("..")?;
    let (first, last) = (first.trim(), last.trim());
    if first.is_empty() && last.is_empty() {
        return None;
    }
    let bound = |text: &str| match text {
        "" => Some(None),
        number => finite(number).map(Some),
    };
    Some(NumberRange {
        at_least: bound(first)?,
        at_most: bound(last)?,
        ..NumberRange::default()
    })
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn condition(name: &str, value: &str) -> Condition {
        parse_filter_value(name, value, &QueryOptions::default())
            .unwrap()
            .condition
    }

    fn number(at_least: Option<f64>, at_most: Option<f64>) -> Condition {
        Condition::Number(NumberRange {
            at_least,
            at_most,
            ..NumberRange::default()
        })
    }

    #[test]
    fn only_known_prefixes_are_fields() {
        assert_eq!(field_of_prefix("AUTHOR"), Some(FilterField::Author));
        assert_eq!(
            field_of_prefix("meta.Energy"),
            Some(FilterField::Metadata("Energy".into()))
        );
        for other in ["RF", "SR01C", "http", "meta", "meta.", "", "title"] {
            assert_eq!(field_of_prefix(other), None, "{other}");
        }
    }

    #[test]
    fn bounds_of_time_have_prefixes_of_their_own() {
        assert_eq!(comparison_of_prefix("Before"), Some("<"));
        assert_eq!(comparison_of_prefix("since"), Some(">="));
        assert_eq!(comparison_of_prefix("during"), None);
    }

    #[test]
    fn metadata_is_compared_as_numbers_where_the_value_says_so() {
        assert_eq!(condition("meta.energy", ">= 9.0"), number(Some(9.0), None));
        assert_eq!(
            condition("energy", "-1..2.5"),
            number(Some(-1.0), Some(2.5))
        );
        assert_eq!(condition("energy", "..2"), number(None, Some(2.0)));
        assert_eq!(condition("energy", "9"), Condition::Equals("9".into()));
        assert_eq!(condition("energy", ".."), Condition::Equals("..".into()));
    }

    #[test]
    fn aliases_of_dates_set_one_end_and_the_last_day_is_whole() {
        let until = "2024-02-01T00:00:00Z".parse().unwrap();
        for name in ["date_to", "end_date"] {
            let expected = TimeRange {
                from: None,
                until: Some(until),
            };
            assert_eq!(condition(name, "2024-01-31"), Condition::Time(expected));
        }
        for name in ["date_from", "start_date", "published_after"] {
            let expected = TimeRange {
                from: Some(until),
                until: None,
            };
            assert_eq!(condition(name, "2024-02-01"), Condition::Time(expected));
        }
    }

    #[test]
    fn a_value_that_cannot_be_used_names_the_filter_and_what_is_accepted() {
        let options = QueryOptions::default();
        let error = parse_filter_value("end_date", "soon", &options).unwrap_err();
        assert!(error.to_string().contains("end_date"), "{error}");
        assert!(error.to_string().contains("2024-06"), "{error}");
        assert!(parse_filter_value("meta.energy", ">=high", &options).is_err());
        assert!(parse_filter_value("meta.energy", ">=inf", &options).is_err());
        assert!(parse_filter_value("author", " ", &options).is_err());
        let error = parse_filter_value("date", "2024-03..2024-01", &options).unwrap_err();
        let expected = "filter `date`: `2024-03` is after `2024-01`; swap them";
        assert_eq!(error.to_string(), expected);
    }
}
