//! Examples: uses of a plugin that are documentation and test at once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Entry;

/// A use of a plugin: what there is, what is asked, what comes of it. The
/// conformance test of `gannet-plugin` runs every example of a descriptor.
///
/// ```
/// use gannet_api::{Entry, Example};
///
/// let trip = Entry::new("E1", "log", "2024-01-05T08:30:00Z".parse()?, "CAV1 tripped");
/// let calm = Entry::new("E2", "log", "2024-01-06T08:30:00Z".parse()?, "a quiet night");
/// let example = Example::new("finds a word", "tripped")
///     .with_entries([trip, calm])
///     .finds(["E1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Example {
    /// What the example shows, as a sentence without a subject: `finds a
    /// device by pattern`.
    pub description: String,
    /// For search modules and pipelines the question, for adapters the text
    /// of the source; enhancers have none.
    pub input: String,
    /// What the host holds; for enhancers the entries that they are given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<Entry>,
    /// The instance's settings.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Parameters of the call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// What every server answers that the plugin asks by
    /// [`Context::http`](crate::Context::http), as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_response: Option<Value>,
    /// What comes of it.
    pub expected: Expected,
}

/// What comes of an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// The ids of the entries that are found or read, in order; for pipelines
    /// those that are cited.
    Entries(Vec<String>),
    /// For each entry what an enhancer adds to it: an object with the keys
    /// `keywords`, `summary`, `metadata` and `passages`, those that are left
    /// out not looked at. `passages` are the texts that get a vector, in
    /// order.
    Patches(BTreeMap<String, Value>),
}

impl Example {
    /// An example that finds nothing in nothing.
    pub fn new(description: &str, input: &str) -> Self {
        Self {
            description: description.to_owned(),
            input: input.to_owned(),
            entries: Vec::new(),
            settings: Map::new(),
            params: Map::new(),
            http_response: None,
            expected: Expected::Entries(Vec::new()),
        }
    }

    /// With these entries in the host.
    #[must_use]
    pub fn with_entries(mut self, entries: impl IntoIterator<Item = Entry>) -> Self {
        self.entries.extend(entries);
        self
    }

    /// With this setting.
    #[must_use]
    pub fn with_setting(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.settings.insert(key.to_owned(), value.into());
        self
    }

    /// With this parameter of the call.
    #[must_use]
    pub fn with_param(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// With this as what every server answers that the plugin asks by
    /// [`Context::http`](crate::Context::http).
    #[must_use]
    pub fn against_http(mut self, response: Value) -> Self {
        self.http_response = Some(response);
        self
    }

    /// These entries are found, read or cited, in this order.
    #[must_use]
    pub fn finds<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        self.expected = Expected::Entries(ids.into_iter().map(Into::into).collect());
        self
    }

    /// This is added to an entry; see [`Expected::Patches`].
    #[must_use]
    pub fn adds(mut self, entry_id: &str, patch: Value) -> Self {
        if !matches!(self.expected, Expected::Patches(_)) {
            self.expected = Expected::Patches(BTreeMap::new());
        }
        if let Expected::Patches(patches) = &mut self.expected {
            patches.insert(entry_id.to_owned(), patch);
        }
        self
    }
}
