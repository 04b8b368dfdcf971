//! A value of the configuration that stands elsewhere: keys of model servers,
//! passwords, tokens in headers.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{Error, Result};

/// A secret by reference: `{ env: NAME }` or `{ file: PATH }`. The value
/// itself cannot be written into a configuration, and nothing prints it.
///
/// ```
/// use gannet_api::Secret;
/// use serde_json::json;
///
/// let key: Secret = serde_json::from_value(json!({ "env": "LAB_API_KEY" }))?;
/// assert_eq!(format!("{key:?}"), "Secret(env LAB_API_KEY)");
///
/// let refused = serde_json::from_value::<Secret>(json!("k-123")).unwrap_err();
/// assert!(refused.to_string().contains("{ env: NAME }"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Secret(Reference);

#[derive(Clone, PartialEq, Eq, Serialize)]
enum Reference {
    #[serde(rename = "env")]
    Variable(String),
    #[serde(rename = "file")]
    File(PathBuf),
}

impl Secret {
    /// The value of an environment variable.
    pub fn variable(name: impl Into<String>) -> Self {
        Self(Reference::Variable(name.into()))
    }

    /// The content of a file, without the line end that it ends with.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(Reference::File(path.into()))
    }

    /// The path of the file, where it is one.
    pub fn path_mut(&mut self) -> Option<&mut PathBuf> {
        match &mut self.0 {
            Reference::Variable(_) => None,
            Reference::File(path) => Some(path),
        }
    }

    /// Reads it, anew at each call, so that a changed file counts at once.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the variable or the file is not there, is
    /// empty, or is no UTF-8.
    pub fn read(&self) -> Result<String> {
        let (value, what) = match &self.0 {
            Reference::Variable(name) => {
                let what = format!("the environment variable {}", shown(name));
                let value = std::env::var(name).map_err(|error| match error {
                    std::env::VarError::NotPresent => {
                        unavailable(format!("{what} is not set; set it"))
                    }
                    std::env::VarError::NotUnicode(_) => {
                        unavailable(format!("{what} is not UTF-8"))
                    }
                })?;
                (value, what)
            }
            Reference::File(path) => (
                std::fs::read_to_string(path).map_err(|error| {
                    unavailable(format!("{} cannot be read: {error}", path.display()))
                })?,
                path.display().to_string(),
            ),
        };
        let value = value.trim_end_matches(['\r', '\n']);
        match value.is_empty() {
            true => Err(unavailable(format!("{what} is empty"))),
            false => Ok(value.to_owned()),
        }
    }
}

fn unavailable(message: String) -> Error {
    Error::Unavailable { message }
}

/// Where it stands, never what it is.
impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reference::Variable(name) => write!(formatter, "Secret(env {})", shown(name)),
            Reference::File(path) => write!(formatter, "Secret(file {})", path.display()),
        }
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        // The message has nothing of the value in it, which may be the secret.
        let refused = || {
            D::Error::custom(
                "a secret must not be written in the configuration; use { env: NAME } or { file: PATH }",
            )
        };
        let Value::Object(members) = Value::deserialize(deserializer)? else {
            return Err(refused());
        };
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        match (members.len(), text("env"), text("file")) {
            (1, Some(name), _) if is_variable_name(name) => Ok(Self::variable(name)),
            (1, _, Some(path)) if !path.is_empty() => Ok(Self::file(path)),
            _ => Err(refused()),
        }
    }
}

/// Characters of a variable's name at most.
const LONGEST_NAME: usize = 100;

/// Whoever writes the secret itself behind `env` is refused in most cases,
/// before it can turn up in a message as the name of a variable.
fn is_variable_name(text: &str) -> bool {
    let mut letters = text.chars();
    text.len() <= LONGEST_NAME
        && letters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The name of a variable, unless it looks like a key that was written in its
/// place.
fn shown(name: &str) -> &str {
    let is_long = name.len() > 40 && !name.contains('_');
    match is_long || name.starts_with("sk-") || name.starts_with("sk_") {
        true => "(a name that looks like a key and is not shown)",
        false => name,
    }
}

impl JsonSchema for Secret {
    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
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
                "file": {
                    "description": "The file with the value.",
                    "type": "string"
                }
            },
            "additionalProperties": false,
            "maxProperties": 1
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    fn read_as(value: Value) -> std::result::Result<Secret, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn only_references_are_read() {
        assert_eq!(
            read_as(json!({"env": "KEY_1"})).unwrap(),
            Secret::variable("KEY_1")
        );
        let file = json!({"file": "/run/key"});
        let read = read_as(file.clone()).unwrap();
        assert_eq!(read, Secret::file("/run/key"));
        assert_eq!(serde_json::to_value(read).unwrap(), file);
        for wrong in [
            json!("sk-s3cret"),
            json!({"env": "sk-s3cret"}),
            json!({"env": ""}),
            json!({"env": "1s3cret"}),
            json!({"env": "s3cret KEY"}),
            json!({"env": format!("s3cret_{}", "x".repeat(94))}),
            json!({"file": ""}),
            json!({"env": "A", "file": "s3cret"}),
            json!({"key": "s3cret"}),
            json!({}),
            json!(["s3cret"]),
            json!(5),
        ] {
            let refused = read_as(wrong.clone()).unwrap_err();
            assert!(
                refused.contains("use { env: NAME } or { file: PATH }"),
                "{wrong}"
            );
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let refused = Secret::variable("GANNET_NEVER_SET").read().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the environment variable GANNET_NEVER_SET is not set; set it"
        );
        assert!(!Secret::variable("PATH").read().unwrap().is_empty());
    }

    #[test]
    fn a_name_that_looks_like_a_key_is_not_repeated() {
        let long = "s3cret0123456789".repeat(3);
        for name in [long.as_str(), "sk-s3cret", "sk_s3cret"] {
            let secret = Secret::variable(name);
            let refused = secret.read().unwrap_err();
            let told = format!("{refused} {refused:?} {secret:?}");
            assert!(!told.contains("s3cret"), "{told}");
            assert!(told.contains("looks like a key"), "{told}");
        }
        let named = Secret::variable("LAB_KEY_OF_THE_SERVER_IN_THE_OTHER_BUILDING");
        assert!(format!("{named:?}").contains("OTHER_BUILDING"));
    }

    #[test]
    fn a_file_is_read_without_its_last_line_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for (written, read) in [("k 1\r\n", "k 1"), ("k2", "k2"), (" k3 \n", " k3 ")] {
            std::fs::write(&path, written).unwrap();
            assert_eq!(Secret::file(&path).read().unwrap(), read);
        }
        std::fs::write(&path, "\n").unwrap();
        assert!(
            Secret::file(&path)
                .read()
                .unwrap_err()
                .to_string()
                .ends_with("is empty")
        );
        std::fs::remove_file(&path).unwrap();
        let missing = Secret::file(&path).read().unwrap_err().to_string();
        assert!(
            missing.starts_with(&path.display().to_string()),
            "{missing}"
        );
    }

    #[test]
    fn no_form_of_it_shows_the_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "s3cret\n").unwrap();
        let secret = Secret::file(&path);
        assert_eq!(
            format!("{secret:?}"),
            format!("Secret(file {})", path.display())
        );
    }
}
