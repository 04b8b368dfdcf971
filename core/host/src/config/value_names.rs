//! Names of values, beside those that entries have.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names of values by field and value: `{state: {OH: [Ohio]}}`. The value `*`
/// stands for any value of the field.
pub type ValueNames = BTreeMap<String, BTreeMap<String, NamesOfValue>>;

/// The names of one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NamesOfValue {
    /// One name.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl NamesOfValue {
    /// The names.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}
