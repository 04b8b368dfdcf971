//! Checks a plugin's settings against the schema that it declares.

use gannet_api::Descriptor;
use serde_json::{Map, Value};

use crate::schema::Schema;
use crate::{CatalogError, did_you_mean};

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
    let mut errors = Vec::new();
    for fault in schema.faults(settings) {
        let unknown = fault.unknown_keys();
        if unknown.is_empty() {
            errors.push(CatalogError::Settings {
                key: dotted(key, &fault.place),
                message: fault.to_string(),
            });
        }
        errors.extend(unknown.into_iter().map(|(place, name)| {
            let known = known_keys_at(&descriptor.settings_schema, place);
            CatalogError::Settings {
                key: dotted(key, place),
                message: format!("unknown key `{name}`{}", did_you_mean(name, known)),
            }
        }));
    }
    let known = known_keys(&descriptor.settings_schema);
    errors.extend(unread(descriptor, settings, key, &known));
    errors
}

/// Settings that nothing would read, where the author's type does not refuse
/// them itself.
fn unread(
    descriptor: &Descriptor,
    settings: &Value,
    key: &str,
    known: &[String],
) -> Vec<CatalogError> {
    let schema = &descriptor.settings_schema;
    let takes_others = [
        "additionalProperties",
        "patternProperties",
        "$ref",
        "allOf",
        "anyOf",
    ]
    .iter()
    .any(|keyword| schema.get(keyword).is_some());
    if takes_others || schema.get("properties").is_none() {
        return Vec::new();
    }
    let members = settings.as_object().into_iter().flatten();
    let names = members.map(|(name, _)| name);
    let whose = format!("`{}` has no setting", descriptor.name);
    unknown(names, known, &format!("{key}.settings"), &whose)
}

/// An error for each of the names that is not a known setting; `whose` says
/// that there is none.
pub(crate) fn unknown<'n>(
    names: impl Iterator<Item = &'n String>,
    known: &[String],
    key: &str,
    whose: &str,
) -> Vec<CatalogError> {
    let unknown = names.filter(|name| !known.contains(name));
    let error = |name: &String| {
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        CatalogError::Settings {
            key: format!("{key}.{name}"),
            message: format!("{whose} `{name}`{hint}"),
        }
    };
    unknown.map(error).collect()
}

/// The addresses of servers among the settings, wherever they lie in them, and
/// among the defaults of those that are not set.
pub(crate) fn addresses(schema: &Value, settings: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect_addresses(settings, &mut found);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let unset = properties.filter(|(name, _)| settings.get(name).is_none());
    for default in unset.filter_map(|(_, property)| property.get("default")) {
        collect_addresses(default, &mut found);
    }
    found
}

fn collect_addresses(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("http://") || text.starts_with("https://") => {
            found.push(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|one| collect_addresses(one, found)),
        Value::Object(members) => members
            .values()
            .for_each(|one| collect_addresses(one, found)),
        _ => {}
    }
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

/// How deep references and forms within each other are followed: a schema of a
/// plugin may refer to itself.
const MAX_FORMS: u8 = 4;

/// The keys that a schema knows at a place of the settings, a JSON pointer.
fn known_keys_at<'s>(schema: &'s Value, place: &str) -> Vec<&'s str> {
    let mut nodes = vec![schema];
    for name in place.split('/').skip(1) {
        let forms = nodes
            .iter()
            .copied()
            .flat_map(|node| forms(schema, node, MAX_FORMS));
        nodes = forms.filter_map(|form| member(form, name)).collect();
    }
    let forms = nodes
        .iter()
        .copied()
        .flat_map(|node| forms(schema, node, MAX_FORMS));
    let properties = forms.filter_map(|form| form.get("properties")?.as_object());
    properties.flat_map(Map::keys).map(String::as_str).collect()
}

/// The forms that a value of a schema's node may have: the node itself, what it
/// refers to, and what it is put together of or may be one of.
fn forms<'s>(schema: &'s Value, node: &'s Value, depth: u8) -> Vec<&'s Value> {
    let Some(depth) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let reference = node.get("$ref").and_then(Value::as_str);
    let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
    let definition = pointer.and_then(|pointer| schema.pointer(pointer));
    let lists = ["allOf", "anyOf", "oneOf"].into_iter();
    let listed = lists.filter_map(|keyword| node.get(keyword)?.as_array());
    let inner = definition.into_iter().chain(listed.flatten());
    let inner = inner.flat_map(|form| forms(schema, form, depth));
    [node].into_iter().chain(inner).collect()
}

/// The schema of a member of an object, or of a list.
fn member<'s>(form: &'s Value, name: &str) -> Option<&'s Value> {
    let named = form.get("properties").and_then(|all| all.get(name));
    let any_name = named.or_else(|| form.get("additionalProperties"));
    any_name.or_else(|| form.get("items"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is wrong with settings of a plugin with this schema.
    fn told(schema: Value, settings: Value) -> Vec<String> {
        let mut descriptor = Descriptor::pipeline("rag", "Rag", "Answers.");
        descriptor.settings_schema = schema;
        let errors = check(&descriptor, &settings, "pipelines.rag");
        errors.iter().map(ToString::to_string).collect()
    }

    fn nested() -> Value {
        let fusion = json!({
            "type": "object",
            "properties": { "method": {}, "weights": { "type": "object" } },
            "additionalProperties": false,
        });
        json!({
            "type": "object",
            "$defs": { "Fusion": fusion },
            "properties": {
                "fusion": { "$ref": "#/$defs/Fusion" },
                "second": { "anyOf": [{ "$ref": "#/$defs/Fusion" }, { "type": "null" }] },
                "stages": { "type": "array", "items": { "$ref": "#/$defs/Fusion" } },
                "named": {
                    "type": "object",
                    "additionalProperties": { "$ref": "#/$defs/Fusion" },
                },
            },
            "additionalProperties": false,
        })
    }

    #[test]
    fn an_unknown_key_is_told_with_the_nearest_one_of_its_own_object() {
        let place = "pipelines.rag.settings";
        for (settings, place) in [
            (json!({"fusion": {"metod": 1}}), format!("{place}.fusion")),
            (json!({"second": {"metod": 1}}), format!("{place}.second")),
            (
                json!({"stages": [{"metod": 1}]}),
                format!("{place}.stages.0"),
            ),
            (
                json!({"named": {"x": {"metod": 1}}}),
                format!("{place}.named.x"),
            ),
        ] {
            let expected = format!("`{place}`: unknown key `metod`; did you mean `method`?");
            assert_eq!(told(nested(), settings), [expected]);
        }
    }

    #[test]
    fn each_of_several_unknown_keys_is_told() {
        let mut told = told(nested(), json!({"fusoin": {}, "stags": [], "quux": 1}));
        told.sort();
        assert_eq!(
            told,
            [
                "`pipelines.rag.settings`: unknown key `fusoin`; did you mean `fusion`?",
                "`pipelines.rag.settings`: unknown key `quux`",
                "`pipelines.rag.settings`: unknown key `stags`; did you mean `stages`?",
            ]
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_followed_to_an_end() {
        let schema = json!({"anyOf": [{"$ref": "#"}], "properties": {"a": {"$ref": "#"}}});
        let known = known_keys_at(&schema, "/a/a/a");
        assert!(known.contains(&"a"), "{known:?}");
    }
}
