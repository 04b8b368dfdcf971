//! Ranges as the query languages of the engines write them: an object with a
//! key for each bound.

use gannet_plugin::filter::{NumberRange, TimeRange};
use serde_json::{Map, Value};

/// The bounds of numbers: of `gte`, `gt`, `lte` and `lt` those that are set.
///
/// ```
/// use gannet_federation::range_of_numbers;
/// use gannet_plugin::filter::NumberRange;
/// use serde_json::json;
///
/// let range = NumberRange { at_least: Some(3.0), ..NumberRange::default() };
/// assert_eq!(range_of_numbers(&range), json!({ "gte": 3.0 }));
/// ```
pub fn range_of_numbers(range: &NumberRange) -> Value {
    bounds([
        ("gte", range.at_least.map(Value::from)),
        ("gt", range.above.map(Value::from)),
        ("lte", range.at_most.map(Value::from)),
        ("lt", range.below.map(Value::from)),
    ])
}

/// The bounds of times, in RFC 3339: `gte`, and `lt` for the end, which is
/// excluded.
pub fn range_of_times(range: &TimeRange) -> Value {
    bounds([
        ("gte", range.from.map(|time| time.to_string().into())),
        ("lt", range.until.map(|time| time.to_string().into())),
    ])
}

fn bounds<const N: usize>(bounds: [(&str, Option<Value>); N]) -> Value {
    let bounds = bounds.into_iter();
    let set = bounds.filter_map(|(name, bound)| Some((name.to_owned(), bound?)));
    Value::Object(set.collect::<Map<String, Value>>())
}
