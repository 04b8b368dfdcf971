//! The arguments of a tool's call, read.

use serde_json::{Map, Value};

use super::Tool;
use super::arguments::{AUTHOR, END_DATE, MAX_RESULTS, QUERY, SOURCE_SYSTEM, START_DATE};
use crate::query::{QueryOptions, parse_filter_value};
use crate::{Condition, Filter, FilterClause, FilterField, PluginKind, SearchRequest, TimeRange};

/// What arguments are read with.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The filter of the request in which the tool is called. It holds for
    /// the call too; only its times give way to dates of the call's own.
    pub filter: Filter,
    /// The facility's time zone, and the present.
    pub query: QueryOptions,
}

impl ReadOptions {
    /// With the filter of the request, the facility's time zone and the
    /// present.
    pub fn new(filter: Filter, query: QueryOptions) -> Self {
        Self { filter, query }
    }
}

/// Why arguments cannot be used. The texts are for the agent that wrote them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// They are no JSON object.
    #[error("the arguments are not a JSON object")]
    NotAnObject,
    /// The query is blank, or there is none.
    #[error("query is empty")]
    EmptyQuery,
    /// The value of an argument is of a kind that it cannot have.
    #[error("argument `{name}` must be {expected}")]
    WrongKind {
        /// Which argument.
        name: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A value cannot be used.
    #[error("{message}")]
    Unusable {
        /// Which, why, and what is accepted.
        message: String,
    },
}

impl Tool {
    /// The request that a call of this tool means. Arguments are expected to
    /// meet the tool's schema. What is null or, where it is optional, blank
    /// counts as not given.
    ///
    /// The dates are the tool's own if it gives either, else those of the
    /// request in which it is called (ARIEL's rule, [`TimeRange::or`]); an end
    /// without a time of day includes that day. `author` and `source_system`
    /// join the request's filter. These names mean the same in every module,
    /// also in one that declares them itself. All other arguments are
    /// parameters of the module.
    ///
    /// # Errors
    /// [`ToolError`], with a text for the agent.
    pub fn read(
        &self,
        arguments: &Value,
        options: &ReadOptions,
    ) -> Result<SearchRequest, ToolError> {
        let mut given = arguments.as_object().ok_or(ToolError::NotAnObject)?.clone();
        given.retain(|_, value| !value.is_null());
        let query = take_text(&mut given, QUERY)?.ok_or(ToolError::EmptyQuery)?;
        let mut request = SearchRequest::new(query, self.results);
        request.filter = options.filter.clone();
        if self.kind == PluginKind::Pipeline {
            request.params = given;
            return Ok(request);
        }

        if let Some(limit) = take_count(&mut given, MAX_RESULTS)? {
            request.limit = limit;
        }
        let mut own = TimeRange::default();
        for name in [START_DATE, END_DATE] {
            if let Some(Condition::Time(range)) =
                take_clause(&mut given, name, options)?.map(|clause| clause.condition)
            {
                own.from = own.from.or(range.from);
                own.until = own.until.or(range.until);
            }
        }
        request.filter = with_times(request.filter, own);
        for name in [AUTHOR, SOURCE_SYSTEM] {
            let clause = take_clause(&mut given, name, options)?;
            request.filter.clauses.extend(clause);
        }
        request.params = given;
        Ok(request)
    }
}

/// The filter with this range in the place of its own times, if there is one.
fn with_times(mut filter: Filter, own: TimeRange) -> Filter {
    if own == TimeRange::default() {
        return filter;
    }
    let clauses = &mut filter.clauses;
    clauses.retain(|clause| clause.field != FilterField::Timestamp);
    filter.and(FilterField::Timestamp, Condition::Time(own))
}

fn take_clause(
    given: &mut Map<String, Value>,
    name: &str,
    options: &ReadOptions,
) -> Result<Option<FilterClause>, ToolError> {
    let Some(text) = take_text(given, name)? else {
        return Ok(None);
    };
    let clause = parse_filter_value(name, &text, &options.query);
    clause.map(Some).map_err(|error| ToolError::Unusable {
        message: error.to_string(),
    })
}

/// The text of an argument, if there is one that is not blank.
fn take_text(given: &mut Map<String, Value>, name: &str) -> Result<Option<String>, ToolError> {
    match given.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ToolError::WrongKind {
            name: name.to_owned(),
            expected: "a string",
        }),
    }
}

/// JSON has one kind of number: `5` and `5.0` are the same count.
fn take_count(given: &mut Map<String, Value>, name: &str) -> Result<Option<usize>, ToolError> {
    let Some(value) = given.remove(name) else {
        return Ok(None);
    };
    let is_count = |number: &f64| number.fract() == 0.0 && (1.0..=1e6).contains(number);
    let count = value.as_f64().filter(is_count);
    count
        .map(|number| Some(number as usize))
        .ok_or_else(|| ToolError::WrongKind {
            name: name.to_owned(),
            expected: "an integer of at least 1",
        })
}
