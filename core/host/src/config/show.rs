//! The effective configuration as YAML and as JSON.

use serde_json::{Map, Value};

use super::key_path::KeyPath;
use super::layer::Origins;
use super::masking::without_passwords;
use super::yaml::write_inline;

/// Writes a configuration, each value with where it comes from when `origins`
/// are given.
pub(crate) fn write(config: &Map<String, Value>, origins: Option<&Origins>) -> String {
    let mut text = String::new();
    write_members(config, &KeyPath::default(), origins, &mut text);
    text
}

fn write_members(
    members: &Map<String, Value>,
    parent: &KeyPath,
    origins: Option<&Origins>,
    text: &mut String,
) {
    let indent = "  ".repeat(parent.0.len());
    for (key, value) in members {
        let path = parent.child(key);
        let key = write_inline(&Value::String(key.clone()));
        match value {
            Value::Object(members) if !members.is_empty() => {
                text.push_str(&format!("{indent}{key}:\n"));
                write_members(members, &path, origins, text);
            }
            scalar => {
                let origin = origins.and_then(|origins| origins.at(&path));
                let comment = origin
                    .map(|origin| format!("  # {origin}"))
                    .unwrap_or_default();
                text.push_str(&format!(
                    "{indent}{key}: {}{comment}\n",
                    write_inline(scalar)
                ));
            }
        }
    }
}

/// The value with the passwords in its texts hidden.
pub(crate) fn without_passwords_in(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_passwords(&text)),
        Value::Array(members) => members.into_iter().map(without_passwords_in).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, member)| (key, without_passwords_in(member)))
            .collect(),
        other => other,
    }
}

/// Where each value that is not a mapping comes from, by its dotted key.
pub(crate) fn origins(config: &Value, origins: &Origins) -> Map<String, Value> {
    let mut places = Map::new();
    add_origins(config, &KeyPath::default(), origins, &mut places);
    places
}

fn add_origins(value: &Value, path: &KeyPath, origins: &Origins, places: &mut Map<String, Value>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, member) in members {
                add_origins(member, &path.child(key), origins, places);
            }
        }
        _ => {
            if let Some(origin) = origins.at(path) {
                places.insert(path.to_string(), Value::String(origin.to_string()));
            }
        }
    }
}
