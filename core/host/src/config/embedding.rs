//! Who makes vectors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who makes vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingConfig {
    /// The provider that is used when a module names none: one of
    /// `providers`.
    pub provider: String,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            provider: "builtin".to_owned(),
        }
    }
}
