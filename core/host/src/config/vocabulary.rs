//! The facility's vocabulary.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which file has the facility's short forms, and how questions are expanded
/// by them. The names are ARIEL's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VocabularyConfig {
    /// Whether questions are expanded.
    pub enabled: bool,
    /// The file.
    pub path: Option<PathBuf>,
    /// The search modules and pipelines whose searches are expanded; all when
    /// empty.
    pub expand_modes: Vec<String>,
    /// Whether the words of an acronym also find the acronym.
    pub canonical_to_acronym: bool,
    /// Whether words also find their shorthand.
    pub canonical_to_shorthand: bool,
}

impl Default for VocabularyConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            path: None,
            expand_modes: Vec::new(),
            canonical_to_acronym: true,
            canonical_to_shorthand: false,
        }
    }
}
