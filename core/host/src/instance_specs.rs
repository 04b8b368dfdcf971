//! The instances that the configuration asks of the catalogue.

use gannet_api::{Category, Descriptor, PluginKind, Prompts, Setup};
use gannet_registry::{Registry, Wanted, nearest};
use serde_json::{Map, Value};

use crate::config::{Config, ModuleConfig, ReasoningConfig};
use crate::models::{embedder_of, embedders_by_model};
use crate::reading::BUILTIN_READER;

/// The kinds of plugins that stand under `providers`.
const PROVIDER_KINDS: [PluginKind; 4] = [
    PluginKind::Embedder,
    PluginKind::Reranker,
    PluginKind::Reader,
    PluginKind::ChatModel,
];

/// Every instance that the configuration names, on or off.
pub(crate) fn instance_specs(
    config: &Config,
    registry: &Registry,
    prompts: &Prompts,
) -> Vec<Wanted> {
    let modules = config
        .search_modules
        .iter()
        .map(|(name, module)| of_module(config, registry, PluginKind::SearchModule, name, module));
    let enhancers = config
        .enhancement_modules
        .iter()
        .map(|(name, module)| of_module(config, registry, PluginKind::Enhancer, name, module));
    let mut all: Vec<Wanted> = modules.chain(enhancers).collect();
    all.extend(pipeline_specs(config, registry));
    all.extend(adapters(config));
    all.extend(providers(config, registry));
    all.extend(builtin_reader(config, registry));
    all.extend(embedders_by_model(config, registry));
    for spec in &mut all {
        spec.setup.prompts.clone_from(prompts);
    }
    all
}

fn of_module(
    config: &Config,
    registry: &Registry,
    kind: PluginKind,
    name: &str,
    module: &ModuleConfig,
) -> Wanted {
    let mut spec = instance(config, kind, name, module.plugin.as_deref());
    let plugin = registry.get(kind, &spec.plugin);
    let needs_embedder = plugin.is_some_and(|plugin| plugin.descriptor.needs.embedder);
    spec.enabled = module.enabled;
    spec.label.clone_from(&module.label);
    spec.description.clone_from(&module.description);
    spec.settings = Value::Object(module.settings.clone());
    spec.setup.provider = match needs_embedder && module.model.is_some() {
        true => Some(embedder_of(config, module)),
        false => module.provider.clone(),
    };
    spec.setup.model.clone_from(&module.model);
    let needs_chat = plugin.is_some_and(|plugin| plugin.descriptor.needs.chat);
    if needs_chat && !needs_embedder && module.provider.is_none() {
        let reasoning = &config.reasoning;
        spec.setup.provider.clone_from(&reasoning.provider);
        spec.setup.model = spec.setup.model.or_else(|| reasoning.model_id.clone());
    }
    spec
}

/// Every pipeline that the configuration names, with the chat model that it
/// is to ask.
pub(crate) fn pipeline_specs(config: &Config, registry: &Registry) -> impl Iterator<Item = Wanted> {
    config.pipelines.iter().map(|(name, pipeline)| {
        let kind = PluginKind::Pipeline;
        let mut spec = instance(config, kind, name, pipeline.plugin.as_deref());
        spec.enabled = pipeline.enabled;
        spec.label.clone_from(&pipeline.label);
        spec.description.clone_from(&pipeline.description);
        spec.setup.retrieval_modules = config.retrieval_modules(name);
        let mut settings = pipeline.settings.clone();
        let mut model = (pipeline.provider.clone(), pipeline.model.clone());
        if let Some(plugin) = registry.get(kind, &spec.plugin) {
            let reasoning = &config.reasoning;
            add_limits(&mut settings, &plugin.descriptor, reasoning);
            if model.0.is_none() && plugin.descriptor.category == Category::Llm {
                model.0.clone_from(&reasoning.provider);
                model.1 = model.1.or_else(|| reasoning.model_id.clone());
            }
        }
        spec.settings = Value::Object(settings);
        (spec.setup.provider, spec.setup.model) = model;
        spec
    })
}

/// The limits of `reasoning` for settings that a pipeline has and that the
/// configuration does not set there.
fn add_limits(
    settings: &mut Map<String, Value>,
    descriptor: &Descriptor,
    reasoning: &ReasoningConfig,
) {
    let known = descriptor.settings_schema.get("properties");
    for (name, limit) in reasoning.limits() {
        let is_known = known.is_some_and(|properties| properties.get(name).is_some());
        if is_known && !settings.contains_key(name) {
            settings.insert(name.to_owned(), limit);
        }
    }
}

fn adapters(config: &Config) -> impl Iterator<Item = Wanted> {
    config.ingestion.adapters.iter().map(|(name, adapter)| {
        let kind = PluginKind::Adapter;
        let mut spec = instance(config, kind, name, adapter.plugin.as_deref());
        spec.enabled = adapter.enabled;
        spec.settings = Value::Object(adapter.settings.clone());
        spec
    })
}

/// A provider is of every kind that its plugin has: one server may chat and
/// embed. One that no plugin is known for is reported as an error later.
fn providers(config: &Config, registry: &Registry) -> impl Iterator<Item = Wanted> {
    config.providers.iter().flat_map(|(name, provider)| {
        let plugin = provider.plugin.as_deref().unwrap_or(name);
        let mut kinds = PROVIDER_KINDS.to_vec();
        let is_known = |kind: PluginKind| registry.get(kind, plugin).is_some();
        kinds.retain(|kind| is_known(*kind) && !is_builtin_reader(*kind, plugin));
        if kinds.is_empty() {
            kinds.push(probable_kind(plugin, registry));
        }
        kinds.into_iter().map(|kind| {
            let mut spec = instance(config, kind, name, provider.plugin.as_deref());
            spec.settings = Value::Object(provider.settings.clone());
            spec
        })
    })
}

/// The built-in reader needs no configuration and takes none: what stands under
/// its name is for the embedder of that name.
fn builtin_reader(config: &Config, registry: &Registry) -> Option<Wanted> {
    let kind = PluginKind::Reader;
    registry.get(kind, BUILTIN_READER)?;
    let mut spec = instance(config, kind, BUILTIN_READER, None);
    // No place of the configuration, so that a fault there is not its own.
    spec.key = "the built-in reader".to_owned();
    Some(spec)
}

fn is_builtin_reader(kind: PluginKind, plugin: &str) -> bool {
    kind == PluginKind::Reader && plugin == BUILTIN_READER
}

/// Of which kind a plugin was probably meant to be that there is none of.
fn probable_kind(plugin: &str, registry: &Registry) -> PluginKind {
    let names = |kind: &PluginKind| registry.names(*kind);
    let all: Vec<String> = PROVIDER_KINDS
        .iter()
        .flat_map(names)
        .map(str::to_owned)
        .collect();
    let meant = nearest(plugin, all.iter().map(String::as_str));
    let has = |kind: &PluginKind| meant.is_some_and(|meant| registry.get(*kind, meant).is_some());
    PROVIDER_KINDS
        .into_iter()
        .find(has)
        .unwrap_or(PluginKind::ChatModel)
}

/// An instance of a plugin, with what the whole configuration says of it.
pub(crate) fn instance(
    config: &Config,
    kind: PluginKind,
    name: &str,
    plugin: Option<&str>,
) -> Wanted {
    let mut spec = Wanted::new(kind, name);
    spec.plugin = plugin.unwrap_or(name).to_owned();
    spec.setup = Setup::default()
        .with_instance(name)
        .with_timezone(config.timezone.clone());
    spec
}
