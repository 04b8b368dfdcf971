//! The JSON Schema of one layer of the configuration, and the way through it.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::key_path::KeyPath;
use super::model::Config;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Config>().to_value();
    simplify(&mut schema);
    schema
});

pub(crate) fn schema_ref() -> &'static Value {
    &SCHEMA
}

/// Variants with descriptions come as `oneOf` a constant each. One `enum`
/// says the same, and a failed check of it names the values. Descriptions
/// come with the line breaks of the doc comments.
fn simplify(node: &mut Value) {
    match node {
        Value::Object(members) => {
            if let Some(values) = constants(members.get("oneOf")) {
                members.shift_remove("oneOf");
                members.insert("enum".to_owned(), Value::Array(values));
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.replace("\n\n", "\n").replace('\n', " ");
            }
            members.values_mut().for_each(simplify);
        }
        Value::Array(members) => members.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn constants(choices: Option<&Value>) -> Option<Vec<Value>> {
    let choices = choices?.as_array()?;
    choices
        .iter()
        .map(|choice| choice.get("const").cloned())
        .collect()
}

/// The part of the schema that a key's value must satisfy.
#[derive(Clone, Copy)]
pub(crate) struct Node(&'static Map<String, Value>);

impl Node {
    /// Of the whole configuration.
    pub(crate) fn root() -> Option<Self> {
        Self::resolve(schema_ref())
    }

    /// Of a key. None where there is no such key, or where a plugin's
    /// settings begin, which are not described here.
    pub(crate) fn at(path: &KeyPath) -> Option<Self> {
        path.0
            .iter()
            .try_fold(Self::root()?, |node, key| node.child(key))
    }

    /// Of a key below this one.
    pub(crate) fn child(self, key: &str) -> Option<Self> {
        let named = self.0.get("properties").and_then(|known| known.get(key));
        let any_name = || self.0.get("additionalProperties");
        let member = || self.0.get("items");
        Self::resolve(named.or_else(any_name).or_else(member)?)
    }

    /// The keys that may stand below this one by name, sorted.
    pub(crate) fn keys(self) -> Vec<&'static str> {
        let known = self.0.get("properties").and_then(Value::as_object);
        let mut keys: Vec<&str> = known
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        keys
    }

    /// Whether any instance name may stand below this key.
    #[cfg(test)]
    pub(crate) fn takes_instances(self) -> bool {
        self.0
            .get("additionalProperties")
            .is_some_and(Value::is_object)
    }

    /// Whether text is among the types of the value.
    pub(crate) fn takes_text(self) -> bool {
        self.takes("string") || self.0.contains_key("enum")
    }

    /// Whether the value may be empty.
    pub(crate) fn takes_null(self) -> bool {
        self.takes("null")
    }

    /// Whether the value is a whole number.
    fn takes_integer(self) -> bool {
        self.takes("integer")
    }

    fn takes(self, name: &str) -> bool {
        match self.0.get("type") {
            Some(Value::String(only)) => only == name,
            Some(Value::Array(types)) => types.iter().any(|one| one == name),
            _ => false,
        }
    }

    fn resolve(node: &'static Value) -> Option<Self> {
        let members = node.as_object()?;
        let Some(reference) = members.get("$ref").and_then(Value::as_str) else {
            return Some(Self(members));
        };
        Self::resolve(schema_ref().pointer(reference.strip_prefix('#')?)?)
    }
}

/// A key without a value counts as not set, unless it may be empty: whoever
/// comments out all that stands below `search_modules:` means nothing by it.
pub(crate) fn drop_unset(members: &mut Map<String, Value>, node: Option<Node>) {
    members.retain(|key, member| {
        let below = node.and_then(|node| node.child(key));
        let may_be_empty = below.is_none_or(Node::takes_null);
        !member.is_null() || may_be_empty
    });
    for (key, member) in members {
        let below = node.and_then(|node| node.child(key));
        if let (Some(below), Value::Object(members)) = (below, member) {
            drop_unset(members, Some(below));
        }
    }
}

/// `10.0` is a whole number to JSON Schema, and none to the types.
pub(crate) fn write_whole_numbers(members: &mut Map<String, Value>, node: Option<Node>) {
    let Some(node) = node else { return };
    for (key, member) in members {
        let Some(below) = node.child(key) else {
            continue;
        };
        match member {
            Value::Object(members) => write_whole_numbers(members, Some(below)),
            Value::Number(number) if below.takes_integer() => {
                let whole = number.as_f64().filter(|number| {
                    number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number)
                });
                if let (Some(whole), true) = (whole, number.is_f64()) {
                    *member = Value::from(whole as u64);
                }
            }
            _ => {}
        }
    }
}
