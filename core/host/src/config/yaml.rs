//! YAML in and out. `serde_yaml`, which is no longer maintained, is used in
//! [`read`] alone.

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::error::ConfigErrorKind;
use super::key_path::KeyPath;
use super::origin::Place;
use super::places::{Places, Refusal};

/// Bytes in a configuration file at most.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// A configuration file that was read.
pub(crate) struct Document {
    pub(crate) value: Map<String, Value>,
    pub(crate) places: Places,
}

/// Reads a text whose root is a mapping, or which is empty.
pub(crate) fn parse(text: &str) -> Result<Document, Refusal> {
    if text.len() > MAX_BYTES {
        return Err(refusal(
            ConfigErrorKind::TooLarge,
            format!("larger than {MAX_BYTES} bytes"),
            None,
        ));
    }
    let text: Arc<str> = Arc::from(text.trim_start_matches('\u{feff}'));
    let places = Places::of(&text)?;
    let yaml = read(&text).map_err(|error| {
        let place = error.location().map(|location| place_of(&text, &location));
        refusal(
            ConfigErrorKind::Syntax,
            format!("not valid YAML: {error}"),
            place,
        )
    })?;
    let value = to_json(yaml, &KeyPath::default()).map_err(|(path, message)| {
        refusal(ConfigErrorKind::Syntax, message, places.of_value(&path))
    })?;
    match value {
        Value::Object(value) => Ok(Document { value, places }),
        Value::Null => Ok(Document {
            value: Map::new(),
            places,
        }),
        _ => Err(refusal(
            ConfigErrorKind::WrongType,
            "a configuration is a mapping: lines of `key: value`".to_owned(),
            places.of_value(&KeyPath::default()),
        )),
    }
}

/// Reads the text of an environment variable or a flag: `5`, `true`,
/// `[keyword, semantic]`. What is no YAML is text.
pub(crate) fn parse_inline(text: &str) -> Value {
    let as_text = || Value::String(text.to_owned());
    if text.len() > MAX_BYTES || Places::of(&Arc::from(text)).is_err() {
        return as_text();
    }
    let Ok(yaml) = read(text) else {
        return as_text();
    };
    to_json(yaml, &KeyPath::default()).unwrap_or_else(|_| as_text())
}

/// Reads a data file that is compiled in: no places are kept for messages.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_data(text: &str) -> Result<Value, String> {
    let yaml = read(text).map_err(|error| error.to_string())?;
    to_json(yaml, &KeyPath::default()).map_err(|(_, message)| message)
}

/// Writes a value in one line.
pub(crate) fn write_inline(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::Array(members) => {
            let members: Vec<String> = members.iter().map(write_inline).collect();
            format!("[{}]", members.join(", "))
        }
        // JSON is YAML.
        other => other.to_string(),
    }
}

/// Whether a text reads back as itself without quotes, in a list too.
fn is_plain(text: &str) -> bool {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    text.chars().all(is_harmless) && parse_inline(text) == Value::String(text.to_owned())
}

fn read(text: &str) -> Result<serde_yaml::Value, serde_yaml::Error> {
    serde_yaml::from_str(text)
}

/// Errors are the path of a value and what is wrong with it.
fn to_json(yaml: serde_yaml::Value, path: &KeyPath) -> Result<Value, (KeyPath, String)> {
    use serde_yaml::Value as Yaml;
    match yaml {
        Yaml::Null => Ok(Value::Null),
        Yaml::Bool(flag) => Ok(Value::Bool(flag)),
        Yaml::String(text) => Ok(Value::String(text)),
        Yaml::Number(number) => number_to_json(&number)
            .ok_or_else(|| (path.clone(), format!("`{number}` is not a number here"))),
        Yaml::Sequence(members) => members
            .into_iter()
            .enumerate()
            .map(|(position, member)| to_json(member, &path.child(&position.to_string())))
            .collect(),
        Yaml::Mapping(members) => members
            .into_iter()
            .map(|(key, member)| {
                let key = key_text(&key, path)?;
                let member = to_json(member, &path.child(&key))?;
                Ok((key, member))
            })
            .collect(),
        Yaml::Tagged(tagged) => Err((
            path.clone(),
            format!("the tag `{}` is not supported", tagged.tag),
        )),
    }
}

fn number_to_json(number: &serde_yaml::Number) -> Option<Value> {
    let whole = number.as_u64().map(Number::from);
    let negative = || number.as_i64().map(Number::from);
    let fraction = || number.as_f64().and_then(Number::from_f64);
    whole.or_else(negative).or_else(fraction).map(Value::Number)
}

fn key_text(key: &serde_yaml::Value, path: &KeyPath) -> Result<String, (KeyPath, String)> {
    match key {
        serde_yaml::Value::String(text) => Ok(text.clone()),
        serde_yaml::Value::Bool(flag) => Ok(flag.to_string()),
        serde_yaml::Value::Number(number) => Ok(number.to_string()),
        _ => Err((path.clone(), "a key must be a plain name".to_owned())),
    }
}

fn place_of(text: &Arc<str>, location: &serde_yaml::Location) -> Place {
    let offset = location.index().min(text.len());
    Place {
        line: location.line(),
        column: location.column(),
        span: offset..offset,
        text: Arc::clone(text),
    }
}

fn refusal(kind: ConfigErrorKind, message: String, place: Option<Place>) -> Refusal {
    Refusal {
        kind,
        message,
        place,
    }
}
