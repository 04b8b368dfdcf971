//! Checks a plugin's settings against the schema that it declares.

use gannet_api::Descriptor;
use serde_json::Value;

use crate::schema::Schema;
use crate::{CatalogError, nearest};

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
    let faults = schema.faults(settings).into_iter();
    faults
        .map(|fault| CatalogError::Settings {
            key: dotted(key, &fault.place),
            message: with_nearest_key(fault.to_string(), settings, &known),
        })
        .collect()
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
