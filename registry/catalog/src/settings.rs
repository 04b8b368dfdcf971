//! Checks a plugin's settings against the schema that it declares.

use gannet_api::Descriptor;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::{CatalogError, nearest};

/// All that is wrong with the settings, each with its place. A key that the
/// schema does not know is named with the nearest one that it does.
pub(crate) fn check(descriptor: &Descriptor, settings: &Value, key: &str) -> Vec<CatalogError> {
    let validator = match jsonschema::validator_for(&descriptor.settings_schema) {
        Ok(validator) => validator,
        Err(error) => {
            return vec![CatalogError::Construction {
                key: key.to_owned(),
                message: format!("the plugin's own settings schema is not valid: {error}"),
            }];
        }
    };
    let known = known_keys(&descriptor.settings_schema);
    let mut errors: Vec<CatalogError> = validator
        .iter_errors(settings)
        .map(|error| CatalogError::Settings {
            key: dotted(key, &error.instance_path().to_string()),
            message: with_nearest_key(reason(&error), settings, &known),
        })
        .collect();
    errors.extend(unread(descriptor, settings, key, &known));
    errors
}

/// Settings that nothing would read, where the author's type does not refuse
/// them itself.
fn unread(
    descriptor: &Descriptor,
    settings: &Value,
    key: &str,
    known: &[String],
) -> Vec<CatalogError> {
    let schema = &descriptor.settings_schema;
    let takes_others = [
        "additionalProperties",
        "patternProperties",
        "$ref",
        "allOf",
        "anyOf",
    ]
    .iter()
    .any(|keyword| schema.get(keyword).is_some());
    if takes_others || schema.get("properties").is_none() {
        return Vec::new();
    }
    let members = settings.as_object().into_iter().flatten();
    let unread = members.filter(|(name, _)| !known.contains(name));
    unread
        .map(|(name, _)| {
            let near = nearest(name, known.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?"));
            CatalogError::Settings {
                key: format!("{key}.settings.{name}"),
                message: format!(
                    "`{}` has no setting `{name}`{}",
                    descriptor.name,
                    hint.unwrap_or_default()
                ),
            }
        })
        .collect()
}

/// What is wrong, in words. Where a value could have several forms, all of
/// them constants, it is which there are; else what is wrong with the first
/// form, which is the one that is not null.
fn reason(error: &ValidationError<'_>) -> String {
    let (ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }) =
        error.kind()
    else {
        return error.to_string();
    };
    let constants: Option<Vec<String>> = context.iter().map(|form| constant(form)).collect();
    if let Some(constants) = constants {
        let value = error.instance();
        return format!("{value} is not one of {}", constants.join(", "));
    }
    let first = context.iter().flatten().next();
    first.map_or_else(|| error.to_string(), reason)
}

/// The constant that a form asked for.
fn constant(form: &[ValidationError<'_>]) -> Option<String> {
    match form {
        [only] => match only.kind() {
            ValidationErrorKind::Constant { expected_value } => Some(expected_value.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// The settings that a schema has.
pub(crate) fn known_keys(schema: &Value) -> Vec<String> {
    schema["properties"]
        .as_object()
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default()
}

/// `/fusion/k` below `pipelines.rag.settings` is `pipelines.rag.settings.fusion.k`.
fn dotted(key: &str, pointer: &str) -> String {
    format!("{key}.settings{}", pointer.replace('/', "."))
}

fn with_nearest_key(message: String, settings: &Value, known: &[String]) -> String {
    let unknown = settings
        .as_object()
        .into_iter()
        .flat_map(|object| object.keys())
        .find(|name| !known.contains(name) && message.contains(name.as_str()));
    match unknown.and_then(|name| nearest(name, known.iter().map(String::as_str))) {
        Some(near) => format!("{message}; did you mean `{near}`?"),
        None => message,
    }
}
