//! Checks a plugin's settings against the schema that it declares.

use gannet_api::Descriptor;
use serde_json::Value;

use crate::schema::Schema;
use crate::{CatalogError, did_you_mean};

/// All that is wrong with the settings, each with its place. A key that the
/// schema does not know is named with the nearest one that it does.
pub(crate) fn check(descriptor: &Descriptor, settings: &Value, key: &str) -> Vec<CatalogError> {
    let schema = match Schema::new(&descriptor.settings_schema) {
        Ok(schema) => schema,
        Err(error) => {
            return vec![CatalogError::Construction {
                key: key.to_owned(),
                message: format!("the plugin's own settings schema is not valid: {error}"),
            }];
        }
    };
    let known = known_keys(&descriptor.settings_schema);
    let mut errors: Vec<CatalogError> = schema
        .faults(settings)
        .into_iter()
        .map(|fault| CatalogError::Settings {
            key: dotted(key, &fault.place),
            message: with_nearest_key(fault.to_string(), settings, &known),
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
    let names = members.map(|(name, _)| name);
    let whose = format!("`{}` has no setting", descriptor.name);
    unknown(names, known, &format!("{key}.settings"), &whose)
}

/// An error for each of the names that is not a known setting; `whose` says
/// that there is none.
pub(crate) fn unknown<'n>(
    names: impl Iterator<Item = &'n String>,
    known: &[String],
    key: &str,
    whose: &str,
) -> Vec<CatalogError> {
    let unknown = names.filter(|name| !known.contains(name));
    let error = |name: &String| {
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        CatalogError::Settings {
            key: format!("{key}.{name}"),
            message: format!("{whose} `{name}`{hint}"),
        }
    };
    unknown.map(error).collect()
}

/// The addresses of servers among the settings, wherever they lie in them, and
/// among the defaults of those that are not set.
pub(crate) fn addresses(schema: &Value, settings: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect_addresses(settings, &mut found);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let unset = properties.filter(|(name, _)| settings.get(name).is_none());
    for default in unset.filter_map(|(_, property)| property.get("default")) {
        collect_addresses(default, &mut found);
    }
    found
}

fn collect_addresses(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("http://") || text.starts_with("https://") => {
            found.push(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|one| collect_addresses(one, found)),
        Value::Object(members) => members
            .values()
            .for_each(|one| collect_addresses(one, found)),
        _ => {}
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
    let hint = unknown.map(|name| did_you_mean(name, known.iter().map(String::as_str)));
    message + &hint.unwrap_or_default()
}
