//! The address of a database, which may hold a password: it can be written
//! down by reference, and is never shown.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::masking::hide_passwords;
use super::percent::encoded;

/// `postgres://user:password@host:port/database`, or where that is kept.
///
/// It is shown, serialised and printed for debugging without the password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUri(Written);

#[derive(Clone, PartialEq, Eq)]
enum Written {
    Text(String),
    Variable(String),
    File(PathBuf),
}

impl DatabaseUri {
    /// An address that is written out.
    pub fn new(uri: impl Into<String>) -> Self {
        Self(Written::Text(uri.into()))
    }

    /// The address with its password. After a configuration is loaded, every
    /// reference in it is resolved; before that, one gives nothing.
    pub fn reveal(&self) -> &str {
        match &self.0 {
            Written::Text(text) => text,
            Written::Variable(_) | Written::File(_) => "",
        }
    }

    /// Puts what variables and files hold in the place of their names. A file
    /// is looked for from this folder.
    pub(super) fn resolve(
        &self,
        variables: &BTreeMap<String, String>,
        folder: Option<&Path>,
    ) -> Result<Self, String> {
        let text = match &self.0 {
            Written::Text(text) => substituted(text, variables)?,
            Written::Variable(name) => variable(name, variables)?.to_owned(),
            Written::File(path) => {
                let path = folder.map_or_else(|| path.clone(), |folder| folder.join(path));
                let text = std::fs::read_to_string(&path);
                text.map_err(|error| format!("cannot read {}: {error}", path.display()))?
            }
        };
        Ok(Self::new(text.trim()))
    }
}

/// What cannot stand as it is in the user or password of an address.
const BREAKS_USER: [char; 8] = ['/', '@', '#', '?', ':', '[', ']', ' '];

/// `${NAME}` and `${NAME:-text}` replaced; a password is encoded where it
/// would break the address. A `$` without a brace stays: it may be part of a
/// password.
pub(super) fn substituted(
    text: &str,
    variables: &BTreeMap<String, String>,
) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((reference, after)) = after.split_once('}') else {
            return Err("`${` is not closed; write ${NAME}".to_owned());
        };
        out.push_str(before);
        let value = match reference.split_once(":-") {
            Some((name, default)) => variable(name, variables).unwrap_or(default),
            None => variable(reference, variables)?,
        };
        let is_of_user = out.contains("://") && after.contains('@');
        match is_of_user && value.contains(BREAKS_USER) {
            true => out.push_str(&encoded(value, &[])),
            false => out.push_str(value),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn variable<'v>(name: &str, variables: &'v BTreeMap<String, String>) -> Result<&'v str, String> {
    let value = variables.get(name).filter(|value| !value.is_empty());
    value
        .map(String::as_str)
        .ok_or_else(|| format!("the environment variable {name} is not set; set it"))
}

impl fmt::Display for DatabaseUri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Written::Text(text) => {
                formatter.write_str(&hide_passwords(text, &|_: &str| "***".to_owned()))
            }
            Written::Variable(name) => write!(formatter, "${{{name}}}"),
            Written::File(path) => write!(formatter, "{}", path.display()),
        }
    }
}

impl fmt::Debug for DatabaseUri {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "DatabaseUri({self})")
    }
}

impl Serialize for DatabaseUri {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DatabaseUri {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The message has no value in it, since that may be a password.
        let refused = || D::Error::custom("write an address, { env: NAME } or { file: PATH }");
        let written = match Value::deserialize(deserializer)? {
            Value::String(text) => Written::Text(text),
            Value::Object(members) if members.len() == 1 => {
                let text = |key: &str| members.get(key).and_then(Value::as_str);
                match (text("env"), text("file")) {
                    (Some(name), _) => Written::Variable(name.to_owned()),
                    (_, Some(path)) => Written::File(path.into()),
                    _ => return Err(refused()),
                }
            }
            _ => return Err(refused()),
        };
        Ok(Self(written))
    }
}

impl JsonSchema for DatabaseUri {
    fn schema_name() -> Cow<'static, str> {
        "DatabaseUri".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "object"],
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
            "minProperties": 1,
            "maxProperties": 1
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn variables() -> BTreeMap<String, String> {
        BTreeMap::from([
            ("DB_PASSWORD".to_owned(), "s3cret".to_owned()),
            ("ODD".to_owned(), "p@s/s%w#1".to_owned()),
        ])
    }

    fn resolved(text: &str) -> Result<String, String> {
        let uri = DatabaseUri::new(text).resolve(&variables(), None)?;
        Ok(uri.reveal().to_owned())
    }

    #[test]
    fn variables_stand_in_the_place_of_their_names() {
        assert_eq!(
            resolved("postgres://g:${DB_PASSWORD}@${DB_HOST:-localhost}/g").unwrap(),
            "postgres://g:s3cret@localhost/g"
        );
        assert_eq!(
            resolved("postgres://g:a$b@h/g").unwrap(),
            "postgres://g:a$b@h/g"
        );
    }

    #[test]
    fn a_password_in_a_variable_may_hold_anything() {
        assert_eq!(
            resolved("postgres://g:${ODD}@h/g").unwrap(),
            "postgres://g:p%40s%2Fs%25w%231@h/g"
        );
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let refused = resolved("postgres://g:${NOT_SET}@h/g").unwrap_err();
        assert_eq!(
            refused,
            "the environment variable NOT_SET is not set; set it"
        );
        assert!(resolved("postgres://g:${DB").is_err());
    }

    #[test]
    fn no_form_of_it_shows_the_password() {
        for text in [
            "postgres://gannet:s3cret@db:5432/gannet",
            "postgres://gannet:s3:c/r@e@t s3cret@db/gannet",
            "postgres://db/gannet?user=g&password=s3cret&sslmode=require",
        ] {
            let uri = DatabaseUri::new(text);
            for shown in [
                uri.to_string(),
                format!("{uri:?}"),
                serde_json::to_string(&uri).unwrap(),
            ] {
                assert!(!shown.contains("cret"), "{shown}");
            }
        }
        let shown = DatabaseUri::new("postgres://gannet:s3cret@db:5432/gannet").to_string();
        assert_eq!(shown, "postgres://gannet:***@db:5432/gannet");
        let shown = DatabaseUri::new("postgres://db:5432/gannet").to_string();
        assert_eq!(shown, "postgres://db:5432/gannet");
    }
}
