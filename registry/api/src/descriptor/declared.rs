//! Parameters that the schema of a plugin's settings declares.

use serde_json::Value;

use super::parameter::{Exposure, ParameterDescriptor, ParameterOption, ParameterType};

/// What a setting that a call can set has in its schema.
const MARK: &str = "x-parameter";

/// The parameters among the settings, in the order in which they are declared.
/// What only they have is taken out of the schema.
pub(super) fn take_parameters(schema: &mut Value) -> Vec<ParameterDescriptor> {
    let definitions = schema.get("$defs").cloned().unwrap_or(Value::Null);
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return Vec::new();
    };
    let mut parameters = Vec::new();
    for (name, property) in properties {
        let Some(object) = property.as_object_mut() else {
            continue;
        };
        if let Some(mark) = object.shift_remove(MARK) {
            parameters.push(parameter(name, property, &mark, &definitions));
        }
    }
    parameters
}

fn parameter(
    name: &str,
    property: &Value,
    mark: &Value,
    definitions: &Value,
) -> ParameterDescriptor {
    let form = form_of(property, definitions);
    let options = options_of(form);
    let parameter_type = match mark.get("type") {
        Some(named) => serde_json::from_value(named.clone()).unwrap_or(ParameterType::Text),
        None if !options.is_empty() => ParameterType::Select,
        None => type_of(form),
    };
    let text = |key: &str| mark.get(key).and_then(Value::as_str).map(str::to_owned);
    let bound = |of_calls: &str, of_all: &str| {
        let bound = mark.get(of_calls).or(property.get(of_all));
        bound.or(form.get(of_all)).and_then(Value::as_f64)
    };
    let default = property.get("default").cloned().unwrap_or(Value::Null);
    ParameterDescriptor {
        name: name.to_owned(),
        label: text("label").unwrap_or_else(|| label_of(name)),
        description: one_line(property.get("description").or(form.get("description"))),
        parameter_type,
        default: if parameter_type.takes(&default) {
            default
        } else {
            Value::Null
        },
        min_value: bound("min", "minimum"),
        max_value: bound("max", "maximum"),
        step: mark.get("step").and_then(Value::as_f64),
        options,
        section: text("section").unwrap_or_else(|| "General".to_owned()),
        placeholder: text("placeholder"),
        options_endpoint: text("options_endpoint"),
        exposure: match mark.get("exposure").and_then(Value::as_str) {
            Some("agent") => Exposure::Agent,
            _ => Exposure::Api,
        },
    }
}

/// The schema of the value itself: without `null` and behind a reference.
fn form_of<'a>(property: &'a Value, definitions: &'a Value) -> &'a Value {
    let form = match property.get("anyOf").and_then(Value::as_array) {
        Some(forms) => forms.iter().find(|form| !is_null(form)).unwrap_or(property),
        None => property,
    };
    let name = form.get("$ref").and_then(Value::as_str);
    let name = name.and_then(|reference| reference.strip_prefix("#/$defs/"));
    name.and_then(|name| definitions.get(name)).unwrap_or(form)
}

fn is_null(form: &Value) -> bool {
    form.get("type").and_then(Value::as_str) == Some("null")
}

fn type_of(form: &Value) -> ParameterType {
    let name = match form.get("type") {
        Some(Value::Array(types)) => types.iter().find(|one| **one != "null"),
        other => other,
    };
    match name.and_then(Value::as_str) {
        Some("boolean") => ParameterType::Bool,
        Some("integer") => ParameterType::Int,
        Some("number") => ParameterType::Float,
        _ if form.get("format").and_then(Value::as_str) == Some("date") => ParameterType::Date,
        _ => ParameterType::Text,
    }
}

/// The values of an enumeration, which schemars writes as `enum` or, where
/// its variants have documentation, as `oneOf` with `const`.
fn options_of(form: &Value) -> Vec<ParameterOption> {
    let listed = members(form, "enum").filter_map(|value| option(value, None));
    let of_forms = members(form, "oneOf").flat_map(options_in);
    listed.chain(of_forms).collect()
}

fn options_in(form: &Value) -> Vec<ParameterOption> {
    let title = form.get("title").and_then(Value::as_str);
    let values = form.get("const").into_iter().chain(members(form, "enum"));
    values.filter_map(|value| option(value, title)).collect()
}

/// The members of a list in a schema; none where there is no list.
fn members<'s>(form: &'s Value, key: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    form.get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn option(value: &Value, title: Option<&str>) -> Option<ParameterOption> {
    let value = value.as_str()?;
    Some(ParameterOption {
        label: title.map_or_else(|| label_of(value), str::to_owned),
        value: value.to_owned(),
    })
}

/// `case_sensitive` is `Case sensitive`.
fn label_of(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

/// A documentation comment has line ends where the source has them.
fn one_line(description: Option<&Value>) -> String {
    let text = description.and_then(Value::as_str).unwrap_or("");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
