//! What one instance says of itself.

use serde::{Deserialize, Serialize};

use super::{Descriptor, ModelCard};
use crate::Writing;
use crate::readable::known_or_none;
use crate::setters::setters;

/// What an instance is called and what it does, where its settings decide
/// that. What is missing is as the plugin's descriptor says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct InstanceDescription {
    /// Its name for people.
    pub label: Option<String>,
    /// What it does and when to use it; an agent decides by this text.
    pub description: Option<String>,
    /// Of an adapter: that it writes entries, and how.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_or_none"
    )]
    pub writing: Option<Writing>,
    /// The models of the instance, where its settings decide which they are;
    /// an empty list where nothing is known of them. Since contract 2.1.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_or_none"
    )]
    pub models: Option<Vec<ModelCard>>,
}

impl InstanceDescription {
    /// With [`label`](field@Self::label).
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// With [`description`](field@Self::description).
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

setters!(InstanceDescription {
    with_writing(writing: impl Into<Option<Writing>>),
    with_models(models: Vec<ModelCard>),
});

impl Descriptor {
    /// With what an instance says of itself. A description of its own is for
    /// agents too.
    #[must_use]
    pub fn with_instance(mut self, instance: InstanceDescription) -> Self {
        if let Some(label) = instance.label {
            self.label = label;
        }
        if let Some(description) = instance.description {
            self.description = description;
            self.tool_description = None;
        }
        self.writing = instance.writing.or(self.writing);
        self.models = instance.models.unwrap_or(self.models);
        self
    }
}
