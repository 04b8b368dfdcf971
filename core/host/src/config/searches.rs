//! Saved searches of the configuration.

use std::collections::BTreeMap;

use gannet_api::DEFAULT_TENANT;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A search that new entries are matched against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SavedSearchConfig {
    /// Whether entries are matched against it.
    pub enabled: bool,
    /// The query, in the query language. It may be empty where there is a
    /// filter.
    pub query: String,
    /// Only entries with these values.
    pub filter: BTreeMap<String, String>,
    /// What an entry has in common with the query.
    pub by: MatchBy,
    /// The least cosine similarity of a match by meaning.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_similarity: f32,
    /// Whose entries are matched.
    #[schemars(length(min = 1))]
    pub tenant: String,
    /// Where matches are delivered: names of `deliveries`.
    pub deliver_to: Vec<String>,
}

/// What an entry has in common with a saved query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchBy {
    /// All of its words.
    #[default]
    Keyword,
    /// The meaning: a passage has a vector that is near to that of the query.
    Meaning,
    /// The words or the meaning.
    Either,
}

impl MatchBy {
    /// Whether words make a match.
    pub fn has_keyword(self) -> bool {
        self != Self::Meaning
    }

    /// Whether the meaning makes a match.
    pub fn has_meaning(self) -> bool {
        self != Self::Keyword
    }
}

impl SavedSearchConfig {
    /// The least cosine similarity where none is set.
    pub const MIN_SIMILARITY: f32 = 0.5;
}

impl Default for SavedSearchConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            query: String::new(),
            filter: BTreeMap::new(),
            by: MatchBy::default(),
            min_similarity: Self::MIN_SIMILARITY,
            tenant: DEFAULT_TENANT.to_owned(),
            deliver_to: Vec::new(),
        }
    }
}
