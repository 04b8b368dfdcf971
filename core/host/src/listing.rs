//! Every plugin that there is, every instance that is configured, and what
//! became of the dylibs.

use std::path::PathBuf;

use gannet_api::{ModelCard, ParameterDescriptor, PluginKind, Prompts};
use gannet_registry::loading::FileReport;
use gannet_registry::{Catalog, CatalogError, Registered, Registry, Wanted};
use serde::Serialize;

use crate::bounded_drop::BoundedDrop;
use crate::config::Config;
use crate::dylibs::registry;
use crate::instance_specs::instance_specs;
use crate::{Gannet, HostError};

/// The plugins, and the dylibs that some of them come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginsListing {
    /// Every plugin and instance, sorted by kind and name.
    pub plugins: Vec<PluginListing>,
    /// Every dylib of the configuration, in its order.
    pub files: Vec<FileReport>,
}

/// One line of the list of plugins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PluginListing {
    /// What sort of plugin.
    pub kind: PluginKind,
    /// The instance's name; the plugin's own when it is not configured.
    pub name: String,
    /// The plugin's own name.
    pub plugin: String,
    /// Its name for people.
    pub label: String,
    /// What it does.
    pub description: String,
    /// What can be set, per call or in the configuration.
    pub parameters: Vec<ParameterDescriptor>,
    /// Its models, with where they come from. Of an embedder that states none:
    /// the name of its model, where it is on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelCard>,
    /// The version of the crate that it comes from.
    pub version: String,
    /// That crate.
    pub from: String,
    /// The dylib that holds it; `None` when it is linked in.
    pub file: Option<PathBuf>,
    /// Whether it is on.
    pub state: InstanceState,
}

/// Whether a plugin is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InstanceState {
    /// It is switched on.
    On,
    /// It is there and not switched on.
    Off,
    /// It is configured, and no plugin of its name is there.
    Missing,
    /// It is switched on, and an instance of it cannot be made.
    Failed,
}

impl InstanceState {
    /// Its name for people and programs.
    pub fn label(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Missing => "missing",
            Self::Failed => "failed",
        }
    }
}

impl Gannet {
    /// Every plugin and instance, and every dylib. Loads the dylibs, makes the
    /// instances and opens no store.
    ///
    /// # Errors
    /// [`HostError::Catalog`] when two plugins of one kind have one name, or
    /// a required dylib is refused.
    pub fn list_plugins(config: &Config) -> Result<PluginsListing, HostError> {
        Ok(Self::list_registered(config, &registry(config)?))
    }

    /// Those of a registry.
    pub(crate) fn list_registered(config: &Config, registry: &Registry) -> PluginsListing {
        let configured = instance_specs(config, registry, &Prompts::default());
        let (catalog, errors) = match Catalog::build(registry, configured.clone()) {
            Ok(catalog) => (Some(BoundedDrop::new(catalog)), Vec::new()),
            Err(errors) => (None, errors),
        };
        let left_out = catalog.as_ref().map(|catalog| catalog.left_out());
        let failed = failed(left_out.unwrap_or(&errors));
        let mut plugins: Vec<PluginListing> = configured
            .iter()
            .map(|spec| match registry.get(spec.kind, &spec.plugin) {
                Some(_) if is_failed(spec, &failed) => without(spec, InstanceState::Failed),
                Some(registered) => line(registered, Some(spec)),
                None => without(spec, InstanceState::Missing),
            })
            .collect();
        plugins.extend(not_configured(registry, &configured).map(|plugin| line(plugin, None)));
        if let Some(catalog) = &catalog {
            plugins
                .iter_mut()
                .for_each(|line| name_model(line, catalog));
        }
        plugins.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        PluginsListing {
            plugins,
            files: registry.files().to_vec(),
        }
    }
}

/// What keeps instances from being made, as places in the configuration.
fn failed(errors: &[CatalogError]) -> Vec<String> {
    let keys = errors.iter().filter_map(CatalogError::key);
    keys.map(str::to_owned).collect()
}

/// Whether one of these places is this instance, or one of its settings. Only
/// instances that are on are made.
fn is_failed(spec: &Wanted, failed: &[String]) -> bool {
    let is_within = |key: &String| {
        let rest = key.strip_prefix(spec.key.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    spec.enabled && failed.iter().any(is_within)
}

/// Gives the model of an embedder the name that the embedder says: vectors are
/// stored under it.
fn name_model(line: &mut PluginListing, catalog: &Catalog) {
    let is_on = (line.kind, line.state) == (PluginKind::Embedder, InstanceState::On);
    let Some(embedder) = catalog.embedder(&line.name).filter(|_| is_on) else {
        return;
    };
    let name = embedder.model().name;
    match line.models.as_mut_slice() {
        [] => line.models.push(ModelCard::new(name)),
        [one] => one.name = name,
        _ => {}
    }
}

fn not_configured<'a>(
    registry: &'a Registry,
    configured: &'a [Wanted],
) -> impl Iterator<Item = &'a Registered> {
    registry.iter().filter(|registered| {
        let descriptor = &registered.descriptor;
        !configured
            .iter()
            .any(|spec| spec.kind == descriptor.kind && spec.plugin == descriptor.name)
    })
}

fn line(registered: &Registered, spec: Option<&Wanted>) -> PluginListing {
    let descriptor = match spec {
        // Settings of an instance that is off may be wrong, and nobody is told.
        Some(spec) => spec
            .describe(registered)
            .unwrap_or_else(|_| spec.describe_from_configuration(registered)),
        None => registered.descriptor.clone(),
    };
    let origin = &registered.origin;
    PluginListing {
        kind: descriptor.kind,
        name: descriptor.name,
        plugin: registered.descriptor.name.clone(),
        label: descriptor.label,
        description: descriptor.description,
        parameters: descriptor.parameters,
        models: descriptor.models,
        version: origin.version.clone(),
        from: origin.package.clone(),
        file: origin.file.clone(),
        state: match spec {
            Some(spec) if spec.enabled => InstanceState::On,
            _ => InstanceState::Off,
        },
    }
}

fn without(spec: &Wanted, state: InstanceState) -> PluginListing {
    PluginListing {
        kind: spec.kind,
        name: spec.setup.instance.clone(),
        plugin: spec.plugin.clone(),
        label: String::new(),
        description: String::new(),
        parameters: Vec::new(),
        models: Vec::new(),
        version: String::new(),
        from: String::new(),
        file: None,
        state,
    }
}
