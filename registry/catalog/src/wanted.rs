//! What a configuration asks for.

use gannet_api::{Descriptor, PluginKind, Setup};
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
    /// Its name for people; the plugin's own when missing.
    pub label: Option<String>,
    /// What it does and when to use it; the plugin's own text when missing.
    pub description: Option<String>,
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
            label: None,
            description: None,
            settings: Value::Object(Map::new()),
            setup: Setup::default().with_instance(name).with_timezone("UTC"),
            key: format!("{}.{name}", section(kind)),
        }
    }
}

impl Wanted {
    /// The descriptor of this instance, from that of its plugin: with its own
    /// name, label and description, and with its settings as the defaults of
    /// the parameters of the same names. Without the examples, which are
    /// large.
    pub fn describe(&self, plugin: &Descriptor, settings: &Value) -> Descriptor {
        let mut descriptor = plugin.clone();
        descriptor.name.clone_from(&self.setup.instance);
        descriptor.examples.clear();
        if let Some(label) = &self.label {
            descriptor.label.clone_from(label);
        }
        if let Some(description) = &self.description {
            descriptor.description.clone_from(description);
            descriptor.tool_description = None;
        }
        for parameter in &mut descriptor.parameters {
            match settings.get(&parameter.name) {
                Some(value) if parameter.parameter_type.takes(value) => {
                    parameter.default.clone_from(value);
                }
                _ => {}
            }
        }
        descriptor
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
