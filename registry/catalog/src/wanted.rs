//! What a configuration asks for.

use gannet_api::{Descriptor, InstanceDescription, PluginKind, Result, Setup};
use serde_json::{Map, Value};

use crate::Registered;
use crate::bounded::bounded_instance;

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
    /// The descriptor of this instance: that of its plugin, with what the
    /// plugin says of an instance with these settings, and on top of it the
    /// label and the description of the configuration. The settings are the
    /// defaults of the parameters of the same names. Without the examples,
    /// which are large.
    ///
    /// # Errors
    /// What the plugin says of the settings, and
    /// [`Panicked`](gannet_api::Error::Panicked) when its code panicked.
    pub fn describe(&self, plugin: &Registered) -> Result<Descriptor> {
        let settings = plugin.settings(&self.settings);
        let said = bounded_instance(plugin.describe(settings)?);
        Ok(self
            .configured(plugin)
            .with_instance(said)
            .with_instance(self.own_description()))
    }

    /// The descriptor of this instance as far as it is known without the
    /// plugin's code: see [`describe`](Self::describe).
    pub fn describe_from_configuration(&self, plugin: &Registered) -> Descriptor {
        let configured = self.configured(plugin);
        configured.with_instance(self.own_description())
    }

    /// What the configuration says of this instance.
    fn own_description(&self) -> InstanceDescription {
        let mut own = InstanceDescription::default();
        own.label.clone_from(&self.label);
        own.description.clone_from(&self.description);
        own
    }

    /// The plugin's descriptor with the name and the settings of this
    /// instance.
    fn configured(&self, plugin: &Registered) -> Descriptor {
        let settings = plugin.settings(&self.settings);
        let mut descriptor = plugin.descriptor.clone();
        descriptor.name.clone_from(&self.setup.instance);
        descriptor.examples.clear();
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
        PluginKind::Embedder
        | PluginKind::Reranker
        | PluginKind::Reader
        | PluginKind::ChatModel => "providers",
    }
}
