//! The JSON Schema of a configuration file, for editors: what one layer may
//! hold, and what the checks that follow accept besides.

use gannet_registry::Registry;
use serde_json::{Map, Value, json};

use super::plugin_schemas;
use super::schema::schema_ref;
use super::{ariel, retriever_arm};

/// The JSON Schema of a configuration file, with the settings of these
/// plugins. With the built-in plugins it stands as `docs/config.schema.json`
/// in the repository.
///
/// It accepts what `gannet config validate` accepts, but for names that must
/// mean something elsewhere in the configuration or on the machine, such as
/// those of modes, providers, models, files and time zones. Plugins from
/// dylibs are not known to it: a file that lists one may name any plugin.
pub fn schema(plugins: &Registry) -> Value {
    let mut schema = schema_ref().clone();
    let Value::Object(root) = &mut schema else {
        return schema;
    };
    let keys: Vec<Value> = members(root, "properties")
        .map(|properties| properties.keys().cloned().map(Value::String).collect())
        .unwrap_or_default();
    allow_unset(root);
    plugin_schemas::add(root, plugins);
    add_blocks(root, keys);
    schema
}

fn members<'m>(
    parent: &'m mut Map<String, Value>,
    key: &str,
) -> Option<&'m mut Map<String, Value>> {
    parent.get_mut(key)?.as_object_mut()
}

/// A key without a value counts as not set, wherever it stands in a mapping
/// that is not part of a list.
fn allow_unset(root: &mut Map<String, Value>) {
    allow_unset_members(root);
    let definitions = members(root, "$defs").into_iter().flatten();
    for (name, definition) in definitions {
        let is_of_list = name == "DylibConfig";
        if let (Value::Object(definition), false) = (definition, is_of_list) {
            allow_unset_members(definition);
        }
    }
}

fn allow_unset_members(node: &mut Map<String, Value>) {
    for (_, property) in members(node, "properties").into_iter().flatten() {
        or_null(property);
        if let Some(any_name) = property.get_mut("additionalProperties") {
            or_null(any_name);
        }
    }
}

fn or_null(node: &mut Value) {
    let Value::Object(members) = node else { return };
    if let Some(reference) = members.shift_remove("$ref") {
        let forms = json!([{ "$ref": reference }, { "type": "null" }]);
        members.insert("anyOf".to_owned(), forms);
        return;
    }
    let types = match members.get("type") {
        Some(Value::String(only)) => json!([only, "null"]),
        Some(Value::Array(types)) if !types.contains(&json!("null")) => {
            types.iter().cloned().chain([json!("null")]).collect()
        }
        _ => return,
    };
    members.insert("type".to_owned(), types);
}

/// The blocks of other systems. A file with one of them has keys for others
/// too.
fn add_blocks(root: &mut Map<String, Value>, keys: Vec<Value>) {
    root.shift_remove("additionalProperties");
    if let Some(properties) = members(root, "properties") {
        properties.insert(ariel::BLOCK.to_owned(), ariel::schema());
        properties.insert(retriever_arm::BLOCK.to_owned(), retriever_arm::schema());
    }
    let blocks = [ariel::BLOCK, retriever_arm::BLOCK];
    let has_block: Vec<Value> = blocks
        .iter()
        .map(|block| json!({ "required": [block] }))
        .collect();
    root.insert("if".to_owned(), json!({ "anyOf": has_block }));
    root.insert("then".to_owned(), json!(true));
    root.insert(
        "else".to_owned(),
        json!({ "propertyNames": { "enum": keys } }),
    );
}
