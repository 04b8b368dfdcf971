//! What a configuration asks for.

use gannet_api::{PluginKind, Setup};
use serde_json::{Map, Value};

/// One instance of a plugin that a configuration names.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Of which kind.
    pub kind: PluginKind,
    /// The plugin's own name; often that of the instance.
    pub plugin: String,
    /// Whether it is on.
    pub enabled: bool,
    /// Its settings; an object.
    pub settings: Value,
    /// What else it is told; `setup.instance` is its name.
    pub setup: Setup,
    /// Where it stands in the configuration, dotted.
    pub key: String,
}

impl Wanted {
    /// A plugin under its own name, switched on, without settings.
    pub fn new(kind: PluginKind, name: &str) -> Self {
        Self {
            kind,
            plugin: name.to_owned(),
            enabled: true,
            settings: Value::Object(Map::new()),
            setup: Setup {
                instance: name.to_owned(),
                timezone: "UTC".to_owned(),
                ..Setup::default()
            },
            key: format!("{}.{name}", section(kind)),
        }
    }
}

/// The section of the configuration that a kind stands in.
fn section(kind: PluginKind) -> &'static str {
    match kind {
        PluginKind::SearchModule => "search_modules",
        PluginKind::Pipeline => "pipelines",
        PluginKind::Adapter => "ingestion.adapters",
        PluginKind::Enhancer => "enhancement_modules",
        PluginKind::Embedder | PluginKind::Reranker | PluginKind::ChatModel => "providers",
    }
}
