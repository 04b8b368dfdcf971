//! The first check: each layer by itself against the schema, so that every
//! mistake is found where it was written.

use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

use super::database_uri::without_passwords;
use super::error::{ConfigError, ConfigErrorKind, quoted_list, suggestion};
use super::key_path::KeyPath;
use super::layer::{Layer, Part};
use super::schema::{Node, schema_ref};
use gannet_registry::nearest;

#[allow(
    clippy::expect_used,
    reason = "the schema is made from the types; tests use it"
)]
static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(schema_ref()).expect("the schema is a schema"));

/// Every key of a layer that is unknown, and every value that is of a wrong
/// type or not allowed.
pub(crate) fn check_shape(layer: &Layer) -> Vec<ConfigError> {
    let value = Value::Object(layer.value.clone());
    let mut errors = Vec::new();
    for error in VALIDATOR.iter_errors(&value) {
        errors.extend(describe(&error, layer));
    }
    errors.sort_by_key(|error| error.origin.start());
    errors
}

fn describe(error: &ValidationError<'_>, layer: &Layer) -> Vec<ConfigError> {
    let path = KeyPath::from_pointer(error.instance_path().as_str());
    let found = found(error.instance());
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
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .map(|name| unknown_key(layer, &path, name))
            .collect(),
        ValidationErrorKind::PropertyNames { error } => {
            vec![bad_name(
                layer,
                &path.child(error.instance().as_str().unwrap_or_default()),
            )]
        }
        ValidationErrorKind::Required { property } => {
            let wanted = property.as_str().unwrap_or_default();
            let message = format!("`{key}` has no `{wanted}`");
            let kind = ConfigErrorKind::InvalidValue;
            vec![placed(layer, &path, kind, message, None)]
        }
        ValidationErrorKind::Type { kind } => {
            let message = format!("`{key}` must be {}, found {found}", expected(kind));
            vec![placed(
                layer,
                &path,
                ConfigErrorKind::WrongType,
                message,
                None,
            )]
        }
        ValidationErrorKind::Enum { options } => vec![unknown_value(layer, &path, error, options)],
        ValidationErrorKind::Minimum { limit } => wrong_value(format!("at least {}", plain(limit))),
        ValidationErrorKind::MinItems { limit } => {
            wrong_value(format!("a list of at least {limit}"))
        }
        _ => {
            let message = without_passwords(&format!("`{key}`: {error}"));
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

fn unknown_value(
    layer: &Layer,
    path: &KeyPath,
    error: &ValidationError<'_>,
    options: &Value,
) -> ConfigError {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let known: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
    let key = layer.in_source(path);
    let found = found(error.instance());
    let message = format!("`{key}` must be {}, found {found}", quoted_list(&known));
    let meant = error
        .instance()
        .as_str()
        .and_then(|text| nearest(text, known));
    let help = suggestion(meant, &[]);
    placed(layer, path, ConfigErrorKind::InvalidValue, message, help)
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

fn expected(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(only) => type_name(*only).to_owned(),
        // Whoever writes a value has no use for hearing that it may be empty.
        TypeKind::Multiple(types) => {
            let wanted = types.iter().filter(|one| *one != JsonType::Null);
            wanted.map(type_name).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn type_name(json_type: JsonType) -> &'static str {
    match json_type {
        JsonType::Array => "a list such as `[a, b]`",
        JsonType::Boolean => "`true` or `false`",
        JsonType::Integer => "an integer",
        JsonType::Null => "nothing",
        JsonType::Number => "a number",
        JsonType::Object => "a mapping",
        JsonType::String => "a string",
    }
}

/// What stands there, for the reader.
fn found(value: &Value) -> String {
    match value {
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
fn plain(limit: &Value) -> String {
    limit
        .as_f64()
        .map_or_else(|| limit.to_string(), |limit| limit.to_string())
}
