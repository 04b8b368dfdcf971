//! Scope: the part of the entries that is searched.

use std::collections::BTreeMap;

use gannet_plugin::filter::FilterClause;
use gannet_plugin::prelude::{Error, Result};
use gannet_plugin::query::{QueryOptions, parse_filter_value};

/// The clauses of a scope of the configuration.
///
/// # Errors
/// [`Error::InvalidInput`] for a value that its field cannot have.
pub(crate) fn clauses_of(
    scope: &BTreeMap<String, String>,
    timezone: &str,
) -> Result<Vec<FilterClause>> {
    let options = options_in(timezone);
    scope
        .iter()
        .map(|(name, value)| parse_filter_value(name, value, &options))
        .collect()
}

/// The clauses of a call's `KEY=VALUE, KEY=VALUE`.
///
/// # Errors
/// [`Error::InvalidInput`] for a part without `=` and for a value that its
/// field cannot have.
pub(crate) fn clauses_in(text: &str, timezone: &str) -> Result<Vec<FilterClause>> {
    let options = options_in(timezone);
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| match part.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                parse_filter_value(name.trim(), value, &options)
            }
            _ => Err(Error::invalid_input(format!(
                "scope `{part}`: write KEY=VALUE, separated by commas"
            ))),
        })
        .collect()
}

/// Dates are days of the facility's time zone.
fn options_in(timezone: &str) -> QueryOptions {
    let options = QueryOptions::default();
    match options.now.in_tz(timezone) {
        Ok(now) => QueryOptions {
            timezone: now.time_zone().clone(),
            ..options
        },
        Err(_) => options,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use gannet_plugin::filter::{Condition, FilterField};

    use super::*;

    #[test]
    fn pairs_are_read_as_filters_are() {
        let clauses = clauses_in("system=rf|vacuum, start_date=2024-06-01,", "UTC").unwrap();
        assert_eq!(clauses.len(), 2);
        assert_eq!(clauses[0].field, FilterField::Metadata("system".to_owned()));
        let either = vec!["rf".to_owned(), "vacuum".to_owned()];
        assert_eq!(clauses[0].condition, Condition::AnyOf(either));
        assert_eq!(clauses[1].field, FilterField::Timestamp);
    }

    #[test]
    fn days_are_those_of_the_facility() {
        let clauses = clauses_in("start_date=2024-06-01", "America/Los_Angeles").unwrap();
        let Condition::Time(range) = &clauses[0].condition else {
            panic!("{clauses:?}");
        };
        assert_eq!(range.from.unwrap().to_string(), "2024-06-01T07:00:00Z");
    }

    #[test]
    fn what_is_no_pair_or_no_date_is_refused() {
        for text in ["rf", "=rf", "start_date=soon", "system="] {
            let refused = clauses_in(text, "UTC").unwrap_err();
            assert!(matches!(refused, Error::InvalidInput { .. }), "{text}");
        }
        assert_eq!(clauses_in(" , ", "UTC").unwrap(), []);
    }
}
