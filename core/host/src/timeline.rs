//! How many matching entries each day, week, month or year has.

use gannet_api::query::{ParsedQuery, parse};
use gannet_api::{
    Call, Condition, Deadline, Error, Filter, FilterClause, FilterField, Matched, QuerySyntax,
    TimeRange,
};
use gannet_store::{ListRequest, MatchCounts, MatchRequest};
use jiff::civil::{Date, Weekday};
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};

use crate::matches::any_word;
use crate::planning::Question;
use crate::replies::RequestState;
use crate::{Gannet, HostError};

/// Spans of time that a timeline has at most.
const MOST_SPANS: usize = 400;
/// Spans that a timeline has at most where its unit is chosen here.
const FITTING_SPANS: usize = 62;

/// The spans of time that entries are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// A day of the configured time zone.
    Day,
    /// A week from Monday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

/// Entries that are counted by time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineInput {
    /// The question; blank for every entry that passes the filter.
    pub query: String,
    /// What an entry must be to be counted.
    pub filter: Filter,
    /// Whether entries with any word that says what a question asks about are
    /// counted, as in [`Counting`](crate::Counting).
    pub any_word: bool,
    /// The unit; the smallest one that gives few spans when not set.
    pub unit: Option<TimeUnit>,
}

/// Counts by time, from the first to the last entry that passes the filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// The unit of the spans.
    pub unit: TimeUnit,
    /// Whether entries with the whole question were counted, or those with
    /// some of its words because there are no others.
    pub matched: Matched,
    /// The spans in the order of time, without gaps; none where no entry
    /// passes the filter.
    pub spans: Vec<TimeCount>,
}

/// The entries of a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TimeCount {
    /// The first instant of the span.
    pub from: Timestamp,
    /// The first instant after it.
    pub until: Timestamp,
    /// Entries in it that match.
    pub count: u64,
}

impl Gannet {
    /// Counts the entries that match a question by time. Costs a count for
    /// each span; follows the text index.
    ///
    /// # Errors
    /// [`HostError::Plugin`] for a unit that gives more than 400 spans,
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn timeline(
        &self,
        tenant: &str,
        input: TimelineInput,
    ) -> Result<Timeline, HostError> {
        let (Some(first), Some(last)) = (
            self.outermost(tenant, &input.filter, false).await?,
            self.outermost(tenant, &input.filter, true).await?,
        ) else {
            return Ok(Timeline {
                unit: input.unit.unwrap_or(TimeUnit::Day),
                matched: Matched::All,
                spans: Vec::new(),
            });
        };
        let zone = self.time_zone();
        let date = |time: Timestamp| time.to_zoned(zone.clone()).date();
        let (unit, starts) = starts(input.unit, date(first), date(last))?;
        let start_of = |date: &Date| -> Result<Timestamp, HostError> {
            let zoned = date.to_zoned(zone.clone()).map_err(out_of_range)?;
            Ok(zoned.timestamp())
        };
        let query = self.counted_query(tenant, &input).await;
        let whole = self.matches_within(tenant, &input, &query, None).await?;
        let mut spans = Vec::with_capacity(starts.len());
        for pair in starts.windows(2) {
            let (from, until) = (start_of(&pair[0])?, start_of(&pair[1])?);
            let range = TimeRange {
                from: Some(from),
                until: Some(until),
            };
            let counted = self
                .matches_within(tenant, &input, &query, Some(range))
                .await?;
            // A span where nothing matches the whole question counts those
            // with some of its words, which are not what is counted here.
            let count = match counted.matched == whole.matched {
                true => counted.count,
                false => 0,
            };
            spans.push(TimeCount { from, until, count });
        }
        Ok(Timeline {
            unit,
            matched: whole.matched,
            spans,
        })
    }

    /// What is counted.
    async fn counted_query(&self, tenant: &str, input: &TimelineInput) -> ParsedQuery {
        let options = self.services().query_options();
        let query = parse(&input.query, QuerySyntax::Operators, &options);
        if !input.any_word {
            return query;
        }
        let deadline = Deadline::after(self.request_timeout());
        let call = Call::new(self.next_request_id(), tenant, deadline);
        let question = Question {
            text: &input.query,
            syntax: QuerySyntax::Operators,
            filter: &input.filter,
        };
        let state = RequestState::default();
        let plan = self.services().query_plan(&call, question, &state).await;
        any_word(query, &plan)
    }

    async fn outermost(
        &self,
        tenant: &str,
        filter: &Filter,
        newest_first: bool,
    ) -> Result<Option<Timestamp>, HostError> {
        let request = ListRequest {
            filter: filter.clone(),
            limit: 1,
            after: None,
            newest_first,
        };
        let page = self.store().list(tenant, request).await?;
        Ok(page.entries.first().map(|entry| entry.timestamp))
    }

    async fn matches_within(
        &self,
        tenant: &str,
        input: &TimelineInput,
        query: &ParsedQuery,
        range: Option<TimeRange>,
    ) -> Result<MatchCounts, HostError> {
        let mut filter = input.filter.clone();
        filter.clauses.extend(range.map(|range| FilterClause {
            field: FilterField::Timestamp,
            condition: Condition::Time(range),
        }));
        let request = MatchRequest {
            query: query.clone(),
            filter,
            fuzzy: true,
            facets: Vec::new(),
            values: 0,
        };
        Ok(self.store().text_matches(tenant, request).await?)
    }
}

/// The starts of the spans that hold both days, and the end of the last one.
///
/// # Errors
/// [`HostError::Plugin`] for a unit that gives more than 400 spans.
pub(crate) fn starts(
    unit: Option<TimeUnit>,
    first: Date,
    last: Date,
) -> Result<(TimeUnit, Vec<Date>), HostError> {
    if let Some(unit) = unit {
        return match starts_of(unit, first, last, MOST_SPANS)? {
            Some(starts) => Ok((unit, starts)),
            None => Err(Error::invalid_input(format!(
                "unit: there are more than {MOST_SPANS} spans from {first} to {last}; name a \
                 larger unit, or filter by time"
            ))
            .into()),
        };
    }
    for unit in [TimeUnit::Day, TimeUnit::Week, TimeUnit::Month] {
        if let Some(starts) = starts_of(unit, first, last, FITTING_SPANS)? {
            return Ok((unit, starts));
        }
    }
    let years = starts_of(TimeUnit::Year, first, last, MOST_SPANS)?;
    let too_many = || Error::invalid_input("the entries span more than 400 years; filter by time");
    Ok((TimeUnit::Year, years.ok_or_else(too_many)?))
}

/// `None` where there are more spans than `most`.
fn starts_of(
    unit: TimeUnit,
    first: Date,
    last: Date,
    most: usize,
) -> Result<Option<Vec<Date>>, HostError> {
    let step = match unit {
        TimeUnit::Day => Span::new().days(1),
        TimeUnit::Week => Span::new().weeks(1),
        TimeUnit::Month => Span::new().months(1),
        TimeUnit::Year => Span::new().years(1),
    };
    let start = match unit {
        TimeUnit::Day => first,
        TimeUnit::Week => {
            let days = i64::from(first.weekday().since(Weekday::Monday));
            first
                .checked_sub(Span::new().days(days))
                .map_err(out_of_range)?
        }
        TimeUnit::Month => first.first_of_month(),
        TimeUnit::Year => first.first_of_year(),
    };
    let mut starts = vec![start];
    let mut at = start;
    while at <= last {
        if starts.len() > most {
            return Ok(None);
        }
        at = at.checked_add(step).map_err(out_of_range)?;
        starts.push(at);
    }
    Ok(Some(starts))
}

fn out_of_range(error: jiff::Error) -> HostError {
    Error::invalid_input(format!("a time is out of range: {error}")).into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_smallest_unit_that_gives_few_spans_is_chosen() {
        let first = date(2025, 1, 6);
        for (last, unit, spans) in [
            (date(2025, 1, 6), TimeUnit::Day, 1),
            (date(2025, 2, 20), TimeUnit::Day, 46),
            (date(2025, 12, 19), TimeUnit::Week, 50),
            (date(2028, 12, 19), TimeUnit::Month, 48),
            (date(2080, 12, 19), TimeUnit::Year, 56),
        ] {
            let (chosen, starts) = starts(None, first, last).unwrap();
            assert_eq!((chosen, starts.len() - 1), (unit, spans), "{last}");
        }
    }

    #[test]
    fn spans_begin_with_their_unit_and_have_no_gaps() {
        let (_, weeks) = starts(Some(TimeUnit::Week), date(2025, 1, 1), date(2025, 1, 14)).unwrap();
        let expected = [
            date(2024, 12, 30),
            date(2025, 1, 6),
            date(2025, 1, 13),
            date(2025, 1, 20),
        ];
        assert_eq!(weeks, expected);
    }

    #[test]
    fn a_unit_that_is_too_small_is_refused() {
        let outcome = starts(Some(TimeUnit::Day), date(1999, 1, 1), date(2025, 1, 1));
        assert!(outcome.unwrap_err().to_string().contains("larger unit"));
    }
}
