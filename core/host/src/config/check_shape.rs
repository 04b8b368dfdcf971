//! The first check: each layer by itself against the schema, so that every
//! mistake is found where it was written.

use std::sync::LazyLock;

use serde_json::{Map, Number, Value};

use super::error::{ConfigError, ConfigErrorKind, quoted_list, suggestion};
use super::key_path::KeyPath;
use super::layer::{Layer, Part};
use super::masking::without_passwords;
use super::schema::{Node, schema_ref};
use crate::secrets::ends_as_a_secret;
use gannet_registry::nearest;
use gannet_registry::schema::{ErrorKind, Fault, Schema, Type, Types};

#[allow(
    clippy::expect_used,
    reason = "the schema is made from the types; tests use it"
)]
static SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::new(schema_ref()).expect("the schema is a schema"));

/// Every key of a layer that is unknown, and every value that is of a wrong
/// type or not allowed.
pub(crate) fn check_shape(layer: &Layer) -> Vec<ConfigError> {
    let value = Value::Object(layer.value.clone());
    let mut errors = Vec::new();
    for fault in SCHEMA.faults(&value) {
        errors.extend(describe(&fault, layer));
    }
    errors.sort_by_key(|error| error.origin.start());
    errors
}

fn describe(fault: &Fault<'_>, layer: &Layer) -> Vec<ConfigError> {
    let path = KeyPath::from_pointer(&fault.place);
    let found = found(&path, fault.found);
    let key = layer.in_source(&path);
    let wrong_value = |rule: String| {
        let message = format!("`{key}` must be {rule}, found {found}");
        vec![placed(
            layer,
            &path,
            ConfigErrorKind::InvalidValue,
            message,
            None,
        )]
    };
    match &fault.kind {
        ErrorKind::AdditionalProperties { got } => got
            .iter()
            .map(|name| unknown_key(layer, &path, name))
            .collect(),
        ErrorKind::PropertyName { prop } => {
            let path = path_of_key(&layer.value, prop).unwrap_or_else(|| path.child(prop));
            vec![bad_name(layer, &path)]
        }
        ErrorKind::Required { want } => want
            .iter()
            .map(|wanted| {
                let message = format!("`{key}` has no `{wanted}`");
                let kind = ConfigErrorKind::InvalidValue;
                placed(layer, &path, kind, message, None)
            })
            .collect(),
        ErrorKind::Type { want, .. } => {
            let message = format!("`{key}` must be {}, found {found}", expected(*want));
            vec![placed(
                layer,
                &path,
                ConfigErrorKind::WrongType,
                message,
                None,
            )]
        }
        ErrorKind::Enum { want } => vec![unknown_value(layer, &path, fault.found, want)],
        ErrorKind::Minimum { want, .. } => wrong_value(format!("at least {}", plain(want))),
        ErrorKind::MinItems { want, .. } => wrong_value(format!("a list of at least {want}")),
        _ => {
            let message = without_passwords(&format!("`{key}`: {fault}"));
            vec![placed(
                layer,
                &path,
                ConfigErrorKind::InvalidValue,
                message,
                None,
            )]
        }
    }
}

fn unknown_key(layer: &Layer, parent: &KeyPath, name: &str) -> ConfigError {
    let known = Node::at(parent).map(Node::keys).unwrap_or_default();
    let path = parent.child(name);
    let message = format!("unknown key `{}`", layer.in_source(&path));
    let help = suggestion(nearest(name, known.iter().copied()), &known);
    placed(layer, &path, ConfigErrorKind::UnknownKey, message, help)
}

fn bad_name(layer: &Layer, path: &KeyPath) -> ConfigError {
    let message = format!("`{}` is not a valid name", path.last());
    let help = "names are lower-case letters and digits, with `_` between words".to_owned();
    placed(
        layer,
        path,
        ConfigErrorKind::InvalidValue,
        message,
        Some(help),
    )
}

fn unknown_value(layer: &Layer, path: &KeyPath, value: &Value, options: &[Value]) -> ConfigError {
    let known: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
    let key = layer.in_source(path);
    let found = found(path, value);
    let message = format!("`{key}` must be {}, found {found}", quoted_list(&known));
    let meant = value.as_str().and_then(|text| nearest(text, known));
    let help = suggestion(meant, &[]);
    placed(layer, path, ConfigErrorKind::InvalidValue, message, help)
}

/// The first place that has this key: boon names a key that cannot be a name
/// without its place.
fn path_of_key(mapping: &Map<String, Value>, key: &str) -> Option<KeyPath> {
    fn search(mapping: &Map<String, Value>, parent: &KeyPath, key: &str) -> Option<KeyPath> {
        if mapping.contains_key(key) {
            return Some(parent.child(key));
        }
        let inner = mapping
            .iter()
            .filter_map(|(name, value)| Some((name, value.as_object()?)));
        let mut found = inner.filter_map(|(name, value)| search(value, &parent.child(name), key));
        found.next()
    }
    search(mapping, &KeyPath::default(), key)
}

fn placed(
    layer: &Layer,
    path: &KeyPath,
    kind: ConfigErrorKind,
    message: String,
    help: Option<String>,
) -> ConfigError {
    let part = match kind {
        ConfigErrorKind::UnknownKey => Part::Key,
        _ => Part::Value,
    };
    ConfigError {
        kind,
        key: layer.in_source(path).to_string(),
        message,
        help,
        origin: layer.origin(path, part),
    }
}

/// Whoever writes a value has no use for hearing that it may be empty.
fn expected(types: Types) -> String {
    let wanted = types.iter().filter(|one| *one != Type::Null);
    wanted.map(type_name).collect::<Vec<_>>().join(" or ")
}

fn type_name(json_type: Type) -> &'static str {
    match json_type {
        Type::Array => "a list such as `[a, b]`",
        Type::Boolean => "`true` or `false`",
        Type::Integer => "an integer",
        Type::Null => "nothing",
        Type::Number => "a number",
        Type::Object => "a mapping",
        Type::String => "a string",
    }
}

/// What stands there, for the reader. What a key of a secret holds is not shown.
fn found(path: &KeyPath, value: &Value) -> String {
    let is_hidden = ends_as_a_secret(path.last());
    match value {
        Value::Number(_) if is_hidden => "a number".to_owned(),
        Value::String(_) if is_hidden => "a string".to_owned(),
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) => format!("the string `{}`", without_passwords(text)),
        Value::Array(members) if members.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}

/// `1`, also where the schema has `1.0`.
fn plain(limit: &Number) -> String {
    limit
        .as_f64()
        .map_or_else(|| limit.to_string(), |limit| limit.to_string())
}
