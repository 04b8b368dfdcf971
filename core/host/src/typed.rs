//! Turns what a person types into filters and parameters.

use gannet_api::query::{QueryOptions, parse_date_span, parse_filter_value};
use gannet_api::{
    Condition, Descriptor, Error, Filter, FilterClause, FilterField, ParameterType, QuerySyntax,
    ReadOptions, TimeRange,
};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::{Map, Value};

use crate::plan::{Lexicon, PlanSettings, plan};
use crate::{Gannet, HostError};

impl Gannet {
    /// The filter that pairs of names and values mean: `author`,
    /// `start_date`, `end_date`, `source`, `tag`, any metadata key.
    ///
    /// # Errors
    /// [`HostError::Plugin`] with what is wrong and what would be right; for
    /// dates that leave no time between them too.
    pub fn filter(&self, pairs: &[(String, String)]) -> Result<Filter, HostError> {
        let options = self.services().query_options();
        let clauses: Result<Vec<_>, Error> = pairs
            .iter()
            .map(|(name, value)| parse_filter_value(name, value, &options))
            .collect();
        let clauses = clauses?;
        if let Some((from, until)) = times_apart(&clauses) {
            let [(first, start), (second, end)] = [&pairs[from], &pairs[until]];
            return Err(Error::invalid_input(format!(
                "filter `{first}`: `{start}` is after `{second}`: `{end}`, so that no entry can \
                 match; swap them"
            ))
            .into());
        }
        Ok(Filter { clauses })
    }

    /// The span of time that a date means (`2024-06`, `yesterday`, `7d`, `24h`), if
    /// it is one.
    pub fn time_span(&self, text: &str) -> Option<TimeRange> {
        parse_date_span(text, &self.services().query_options())
    }

    /// From the start of a time to the end of another, each a date as
    /// [`time_span`](Self::time_span) takes it, or a time in words: `last
    /// shift`, `two weeks ago`, `Monday`. A missing one leaves its end open.
    ///
    /// # Errors
    /// [`HostError::Plugin`] for what cannot be read as a time, and for a start
    /// that is not before the end.
    pub fn time_between(
        &self,
        since: Option<&str>,
        until: Option<&str>,
    ) -> Result<TimeRange, HostError> {
        let now = Timestamp::now().to_zoned(self.time_zone());
        self.time_between_at(&now, since, until)
    }

    /// The same, as it is read at this instant in its time zone.
    pub(crate) fn time_between_at(
        &self,
        now: &Zoned,
        since: Option<&str>,
        until: Option<&str>,
    ) -> Result<TimeRange, HostError> {
        let mut settings = self.services().plan_settings();
        settings.now = now.timestamp();
        settings.timezone = now.time_zone().clone();
        let known = |text: &str| {
            let not_a_time = || {
                Error::invalid_input(format!(
                    "`{text}` is not a time; write a date such as `2024-06` or `2024-06-12T14:30`, \
                     `24h`, `7d`, or words such as `last shift` or `yesterday`"
                ))
            };
            time_in_text(text, &settings).ok_or_else(not_a_time)
        };
        let from = since.map(known).transpose()?.and_then(|time| time.from);
        let end = until.map(known).transpose()?.and_then(|time| time.until);
        match (from, end) {
            (Some(from), Some(end)) if from >= end => Err(Error::invalid_input(format!(
                "`{}` is not before the end of `{}`, so that no entry can match; swap them",
                since.unwrap_or_default(),
                until.unwrap_or_default()
            ))
            .into()),
            (from, until) => Ok(TimeRange { from, until }),
        }
    }

    /// The configured time zone, in which dates are read and shown.
    pub fn time_zone(&self) -> TimeZone {
        self.services().query_options().timezone
    }

    /// What the arguments of a tool are read with: the facility's time zone,
    /// the present, and no filter.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions::new(Filter::none(), self.services().query_options())
    }

    /// Parameters of a mode from what was typed, by the type of each.
    ///
    /// # Errors
    /// [`HostError::UnknownMode`], or [`HostError::Plugin`] for a value that
    /// is not of its parameter's type. Unknown names are left to the search.
    pub fn params(
        &self,
        mode: &str,
        pairs: &[(String, String)],
    ) -> Result<Map<String, Value>, HostError> {
        let descriptor = &self.mode(mode)?.descriptor;
        let values: Result<Map<String, Value>, Error> = pairs
            .iter()
            .map(|(name, text)| Ok((name.clone(), value(descriptor, name, text)?)))
            .collect();
        Ok(values?)
    }
}

/// The time that a date means, or words that name a time and nothing else.
pub(crate) fn time_in_text(text: &str, settings: &PlanSettings) -> Option<TimeRange> {
    let options = QueryOptions {
        timezone: settings.timezone.clone(),
        now: settings.now,
        max_chars: settings.max_chars,
    };
    let in_words = || {
        let (lexicon, filter) = (Lexicon::default(), Filter::none());
        let plan = plan(text, QuerySyntax::Plain, &filter, settings, &lexicon);
        let [time] = plan.times.as_slice() else {
            return None;
        };
        plan.residual().is_empty().then(|| time.range())
    };
    parse_date_span(text, &options).or_else(in_words)
}

/// The clause that sets the latest start and the one that sets the earliest
/// end, where the end comes first.
fn times_apart(clauses: &[FilterClause]) -> Option<(usize, usize)> {
    let ranges = clauses.iter().enumerate();
    let ranges = ranges.filter_map(|(at, clause)| match &clause.condition {
        Condition::Time(range) if clause.field == FilterField::Timestamp => Some((at, *range)),
        _ => None,
    });
    let starts = ranges
        .clone()
        .filter_map(|(at, range)| Some((range.from?, at)));
    let ends = ranges.filter_map(|(at, range)| Some((range.until?, at)));
    let ((from, first), (until, second)) = (starts.max()?, ends.min()?);
    (from >= until).then_some((first, second))
}

fn value(descriptor: &Descriptor, name: &str, text: &str) -> Result<Value, Error> {
    let Some(parameter) = descriptor.parameter(name) else {
        return Ok(Value::String(text.to_owned()));
    };
    let parsed: Option<Value> = match parameter.parameter_type {
        ParameterType::Float => {
            let number = text.parse::<f64>().ok();
            number.filter(|number| number.is_finite()).map(Value::from)
        }
        ParameterType::Int => text.parse::<i64>().ok().map(Value::from),
        ParameterType::Bool => text.parse::<bool>().ok().map(Value::from),
        _ => Some(Value::String(text.to_owned())),
    };
    parsed.ok_or_else(|| {
        Error::invalid_input(format!(
            "parameter `{name}`: `{text}` is not of type {:?}",
            parameter.parameter_type
        ))
    })
}
