//! One instance of a plugin, as each section of the configuration names it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A search module or an enhancement module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModuleConfig {
    /// Whether it is on.
    pub enabled: bool,
    /// Which plugin this is an instance of; the one of the same name when not
    /// set.
    pub plugin: Option<String>,
    /// Its name for people; the plugin's own when not set.
    pub label: Option<String>,
    /// What it does and when to use it: lists show it, and agents choose their
    /// tools by it; the plugin's own text when not set.
    pub description: Option<String>,
    /// The provider that it uses; `embedding.provider` when not set.
    pub provider: Option<String>,
    /// The model that it asks its provider for; the provider's own when not
    /// set.
    pub model: Option<String>,
    /// The plugin's own settings, checked against its schema.
    pub settings: Map<String, Value>,
    /// What each result of a search with this module says about it: that a
    /// block of another system names an encoder which is not configured.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PipelineConfig {
    /// Whether it is on.
    pub enabled: bool,
    /// Which plugin this is an instance of; the one of the same name when not
    /// set.
    pub plugin: Option<String>,
    /// Its name for people; the plugin's own when not set.
    pub label: Option<String>,
    /// What it does and when to use it: lists show it, and agents choose their
    /// tools by it; the plugin's own text when not set.
    pub description: Option<String>,
    /// The search modules, and other pipelines, that it searches with; every
    /// search module that is on when not set.
    #[schemars(length(min = 1))]
    pub retrieval_modules: Option<Vec<String>>,
    /// The provider of its chat model; `reasoning.provider` when not set.
    pub provider: Option<String>,
    /// The model that it asks its provider for; the provider's own when not
    /// set.
    pub model: Option<String>,
    /// The plugin's own settings, checked against its schema.
    pub settings: Map<String, Value>,
}

/// An adapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdapterConfig {
    /// Whether it is on.
    pub enabled: bool,
    /// Which plugin this is an instance of; the one of the same name when not
    /// set.
    pub plugin: Option<String>,
    /// The plugin's own settings, checked against its schema.
    pub settings: Map<String, Value>,
}

/// A provider of models.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderConfig {
    /// Which plugin this is an instance of; the one of the same name when not
    /// set.
    pub plugin: Option<String>,
    /// The plugin's own settings, checked against its schema.
    pub settings: Map<String, Value>,
}

impl Default for PipelineConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            plugin: None,
            label: None,
            description: None,
            retrieval_modules: None,
            provider: None,
            model: None,
            settings: Map::new(),
        }
    }
}

impl Default for AdapterConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            plugin: None,
            settings: Map::new(),
        }
    }
}
