//! Secret settings, with errors that name the setting.

use std::collections::BTreeMap;

use gannet_plugin::setup::Secret;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The setting `api_key`.
pub(crate) fn api_key<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Secret>, D::Error> {
    let written = Option::<Value>::deserialize(deserializer)?;
    written.map(|value| secret("api_key", value)).transpose()
}

/// The setting `headers`.
pub(crate) fn headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Secret>, D::Error> {
    // A string instead of the map may be a secret, so it is not repeated.
    let Value::Object(written) = Value::deserialize(deserializer)? else {
        let message =
            "in `headers`: write a header name and { env: NAME } or { file: PATH } for each";
        return Err(D::Error::custom(message));
    };
    written
        .into_iter()
        .map(|(name, value)| Ok((name.clone(), secret(&format!("headers.{name}"), value)?)))
        .collect()
}

/// The message of a refused secret, without the value.
fn secret<E: Error>(setting: &str, value: Value) -> Result<Secret, E> {
    serde_json::from_value(value).map_err(|error| E::custom(format!("in `{setting}`: {error}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use crate::OpenAiSettings;

    #[test]
    fn the_schema_tells_the_forms_of_a_reference() {
        let schema = schemars::schema_for!(OpenAiSettings).to_value();
        for setting in ["api_key", "headers"] {
            let told = schema["properties"][setting].to_string();
            assert!(told.contains("{ env: NAME }"), "{told}");
            assert!(told.contains("maxProperties"), "{told}");
        }
        assert_eq!(schema.get("required"), None);
    }
}
