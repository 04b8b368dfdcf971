//! The arguments of a call, checked against the schema of the tool.

use gannet_core::registry::schema::{ErrorKind, Fault, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::failure::ToolFailure;

/// How many faults of a call are told at once, and how much of each.
const FAULTS_TOLD: usize = 3;
const FAULT_CHARS: usize = 300;

/// The arguments without nulls, which count as not given.
pub(super) fn given(arguments: Option<Map<String, Value>>) -> Value {
    let mut given = arguments.unwrap_or_default();
    given.retain(|_, value| !value.is_null());
    Value::Object(given)
}

/// Refuses arguments that do not meet the schema.
///
/// # Errors
/// A validation failure that names each fault.
pub(super) fn check(schema: &Schema, arguments: &Value) -> Result<(), ToolFailure> {
    let faults = schema.faults(arguments);
    if faults.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = faults.iter().take(FAULTS_TOLD).map(described).collect();
    Err(ToolFailure::validation(told.join("; ")))
}

/// Arguments as a type.
///
/// # Errors
/// A validation failure where the type has a rule that the schema cannot say.
pub(super) fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolFailure> {
    serde_json::from_value(arguments).map_err(|error| ToolFailure::validation(error.to_string()))
}

fn described(fault: &Fault<'_>) -> String {
    let text = match &fault.kind {
        ErrorKind::MaxItems { got, want } => {
            format!("{got} items were given. Maximum is {want}")
        }
        ErrorKind::MinItems { want, .. } => format!("at least {want} item must be given"),
        _ => fault.to_string(),
    };
    let name = fault.place.trim_start_matches('/');
    let whole = match name {
        "" => text,
        name => format!("`{name}`: {text}"),
    };
    whole.chars().take(FAULT_CHARS).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fault_names_its_argument_and_what_is_right() {
        let schema = Schema::new(&json!({
            "type": "object",
            "properties": { "ids": { "type": "array", "maxItems": 1 }, "n": { "maximum": 5 } },
            "additionalProperties": false,
        }));
        let schema = schema.unwrap();
        let failure = check(&schema, &json!({ "ids": [1, 2], "n": 6 })).unwrap_err();
        assert!(
            failure
                .message
                .contains("`ids`: 2 items were given. Maximum is 1")
        );
        assert!(failure.message.contains("`n`: must be at most 5, found 6"));
    }

    #[test]
    fn null_counts_as_not_given() {
        let arguments = json!({ "query": "beam", "author": null });
        let given = given(arguments.as_object().cloned());
        assert_eq!(given, json!({ "query": "beam" }));
    }
}
