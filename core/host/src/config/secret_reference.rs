//! A value of the configuration that stands elsewhere: a token in a header.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A secret by reference: `{ env: NAME }` or `{ file: PATH }`. The value
/// itself cannot be written into a configuration, and nothing prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretReference {
    /// The value of an environment variable.
    Env(String),
    /// The content of a file, without the line end that it ends with.
    File(PathBuf),
}

/// Why a secret cannot be had. Says where it was looked for, never what was
/// found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// A variable that is not set, empty or not UTF-8.
    #[error("the environment variable {0} is not set, empty or not UTF-8")]
    Variable(String),
    /// A file that cannot be read.
    #[error("{path} cannot be read: {reason}", path = path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        reason: String,
    },
}

impl SecretReference {
    /// Reads it, anew at each call.
    ///
    /// # Errors
    /// [`SecretError`].
    pub fn read(&self) -> Result<String, SecretError> {
        let value = match self {
            Self::Env(name) => std::env::var(name).unwrap_or_default(),
            Self::File(path) => {
                let failed = |reason: String| SecretError::File {
                    path: path.clone(),
                    reason,
                };
                let text = std::fs::read_to_string(path);
                let text = text.map_err(|error| failed(error.to_string()))?;
                let text = text.trim_end_matches(['\r', '\n']).to_owned();
                match text.is_empty() {
                    true => return Err(failed("it is empty".to_owned())),
                    false => text,
                }
            }
        };
        match (self, value.is_empty()) {
            (Self::Env(name), true) => Err(SecretError::Variable(name.clone())),
            _ => Ok(value),
        }
    }
}

impl<'de> Deserialize<'de> for SecretReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The message has nothing of the value in it, which may be the secret.
        let refused = || {
            D::Error::custom(
                "a secret must not be written in the configuration; use { env: NAME } or \
                 { file: PATH }",
            )
        };
        let Value::Object(members) = Value::deserialize(deserializer)? else {
            return Err(refused());
        };
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        match (members.len(), text("env"), text("file")) {
            (1, Some(name), _) if is_variable_name(name) => Ok(Self::Env(name.to_owned())),
            (1, _, Some(path)) if !path.is_empty() => Ok(Self::File(path.into())),
            _ => Err(refused()),
        }
    }
}

/// Whoever writes the secret itself behind `env` is refused in most cases,
/// before it can turn up in a message as the name of a variable.
fn is_variable_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let begins = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    begins && text.len() <= 100 && text.chars().all(is_part)
}

impl JsonSchema for SecretReference {
    fn schema_name() -> Cow<'static, str> {
        "SecretReference".into()
    }

    fn inline_schema() -> bool {
        true
    }

    /// A text passes the schema and is refused when it is read: a validator
    /// would print it.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A reference to a secret: { env: NAME } or { file: PATH }.",
            "type": ["object", "string"],
            "properties": {
                "env": {
                    "description": "The environment variable with the value.",
                    "type": "string"
                },
                "file": { "description": "The file with the value.", "type": "string" }
            },
            "additionalProperties": false,
            "maxProperties": 1
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn only_references_are_read_and_nothing_repeats_a_value() {
        for right in [json!({"env": "KEY_1"}), json!({"file": "/run/key"})] {
            let read: SecretReference = serde_json::from_value(right.clone()).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), right);
        }
        for wrong in [
            json!("s3cret"),
            json!({"env": "s3cret key"}),
            json!({"env": "A", "file": "s3cret"}),
            json!({"s3cret": "A"}),
            json!(["s3cret"]),
        ] {
            let refused = serde_json::from_value::<SecretReference>(wrong).unwrap_err();
            let refused = refused.to_string();
            assert!(refused.contains("use { env: NAME }"), "{refused}");
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }

    #[test]
    fn a_secret_is_read_from_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "s3cret\n").unwrap();
        assert_eq!(
            SecretReference::File(path.clone()).read().unwrap(),
            "s3cret"
        );
        std::fs::write(&path, "\n").unwrap();
        assert!(SecretReference::File(path).read().is_err());
        assert!(
            SecretReference::Env("GANNET_NEVER_SET".to_owned())
                .read()
                .is_err()
        );
        assert!(SecretReference::Env("PATH".to_owned()).read().is_ok());
    }
}
