//! The effective configuration as YAML.

use serde_json::{Map, Value};

use super::key_path::KeyPath;
use super::layer::Origins;
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
