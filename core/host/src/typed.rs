//! Turns what a person types into filters and parameters.

use gannet_api::query::{parse_date_span, parse_filter_value};
use gannet_api::{Descriptor, Error, Filter, ParameterType, TimeRange};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::{Gannet, HostError};

impl Gannet {
    /// The filter that pairs of names and values mean: `author`,
    /// `start_date`, `end_date`, `source`, `tag`, any metadata key.
    ///
    /// # Errors
    /// [`HostError::Plugin`] with what is wrong and what would be right.
    pub fn filter(&self, pairs: &[(String, String)]) -> Result<Filter, HostError> {
        let options = self.services().query_options();
        let clauses: Result<Vec<_>, Error> = pairs
            .iter()
            .map(|(name, value)| parse_filter_value(name, value, &options))
            .collect();
        Ok(Filter { clauses: clauses? })
    }

    /// The span of time that a date means (`2024-06`, `yesterday`, `7d`), if
    /// it is one.
    pub fn time_span(&self, text: &str) -> Option<TimeRange> {
        parse_date_span(text, &self.services().query_options())
    }

    /// The configured time zone, in which dates are read and shown.
    pub fn time_zone(&self) -> TimeZone {
        self.services().query_options().timezone
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
