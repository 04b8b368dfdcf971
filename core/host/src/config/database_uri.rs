//! The address of a database, which may hold a password: it can be written
//! down by reference, and is never shown.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

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
            Written::Text(text) => formatter.write_str(&hide_passwords(text, |_| "***".into())),
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

/// A text in which each password of an address has become as many `*`, so
/// that places in it stay what they are. For texts of configuration files
/// that are shown.
pub fn without_passwords(text: &str) -> String {
    hide_passwords(text, |password| "*".repeat(password.len()))
}

/// In each line from the first `:` behind `://` to the last `@`, since a
/// password may hold any character; what follows `password=`; and the text of
/// a key such as `api_key:`, where a reference to a secret is wanted.
fn hide_passwords(text: &str, mask: impl Fn(&str) -> String) -> String {
    let line = |line: &str| {
        let hidden = hide_between(line, &mask);
        hide_key(&hide_parameter(&hidden, &mask), &mask)
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn hide_between(line: &str, mask: impl Fn(&str) -> String) -> String {
    let Some(start) = line.find("://").map(|at| at + 3) else {
        return line.to_owned();
    };
    let Some(end) = line.rfind('@').filter(|end| *end > start) else {
        return line.to_owned();
    };
    if let Some(token) = token_of_web_address(line, start) {
        let masked = mask(&line[token.clone()]);
        return format!("{}{masked}{}", &line[..token.start], &line[token.end..]);
    }
    match line[start..end].split_once(':') {
        Some((user, password)) => {
            let masked = mask(password);
            format!("{}{user}:{masked}{}", &line[..start], &line[end..])
        }
        None => line.to_owned(),
    }
}

/// Where the user of `https://TOKEN@host` stands, which has no password beside
/// it: services take tokens so.
fn token_of_web_address(line: &str, start: usize) -> Option<Range<usize>> {
    let scheme = line[..start].trim_end_matches("://").to_ascii_lowercase();
    if !scheme.ends_with("http") && !scheme.ends_with("https") {
        return None;
    }
    let rest = &line[start..];
    let length = rest.find(['/', '?', '#', ' ', '"', '\'']);
    let authority = &rest[..length.unwrap_or(rest.len())];
    let (user, _) = authority.rsplit_once('@')?;
    (!user.contains(':')).then(|| start..start + user.len())
}

fn hide_parameter(line: &str, mask: impl Fn(&str) -> String) -> String {
    const PARAMETER: &str = "password=";
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(PARAMETER) {
        let (before, value) = rest.split_at(at + PARAMETER.len());
        let end = value.find(['&', ' ']).unwrap_or(value.len());
        out.push_str(before);
        out.push_str(&mask(&value[..end]));
        rest = &value[end..];
    }
    out + rest
}

fn hide_key(line: &str, mask: impl Fn(&str) -> String) -> String {
    const KEYS: [&str; 4] = ["api_key:", "token:", "secret:", "password:"];
    let value_of = |key: &&str| Some(line.find(*key)? + key.len());
    let Some(start) = KEYS.iter().filter_map(value_of).min() else {
        return line.to_owned();
    };
    let (before, value) = line.split_at(start);
    let text = value.trim_start_matches([' ', '"', '\'']);
    let first = text.split([' ', ',', '}']).next();
    if text.starts_with('{') || matches!(first, None | Some("" | "null" | "~")) {
        return line.to_owned();
    }
    let space = &value[..value.len() - text.len()];
    let end = text.find([',', '}', '"', '\'']).unwrap_or(text.len());
    format!("{before}{space}{}{}", mask(&text[..end]), &text[end..])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

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

    #[test]
    fn a_key_that_is_written_out_is_hidden_and_a_reference_is_shown() {
        for (text, shown) in [
            ("  api_key: sk-abc", "  api_key: ******"),
            ("{api_key: \"s3\", model: m}", "{api_key: \"**\", model: m}"),
            ("api_key: { env: KEY }", "api_key: { env: KEY }"),
            ("password: null  # unset", "password: null  # unset"),
            ("password: nullable", "password: ********"),
            ("headers: {x-token: abc}", "headers: {x-token: ***}"),
            ("url: https://abc@log/a@b", "url: https://***@log/a@b"),
            ("url: https://log/a@b", "url: https://log/a@b"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    proptest! {
        #[test]
        fn hiding_moves_nothing_and_hides_any_password(password in "[^\n]{1,20}") {
            let text = format!("a: 1\nuri: postgres://u:{password}@h/d # note\nb: 2");
            let hidden = without_passwords(&text);
            prop_assert_eq!(hidden.len(), text.len());
            let line = hidden.lines().nth(1).unwrap();
            prop_assert!(line.starts_with("uri: postgres://u:*"));
            prop_assert!(line.ends_with("@h/d # note"));
            prop_assert!(line["uri: postgres://u:".len()..].trim_start_matches('*').starts_with('@'));
        }
    }
}
