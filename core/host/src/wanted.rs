//! What the configuration asks of the catalogue.

use gannet_api::{PluginKind, Setup};
use gannet_registry::{Registry, Wanted};
use serde_json::Value;

use crate::config::{Config, ModuleConfig};

/// Every instance that the configuration names, on or off.
pub(crate) fn wanted(config: &Config, registry: &Registry) -> Vec<Wanted> {
    let modules = config
        .search_modules
        .iter()
        .map(|(name, module)| of_module(config, PluginKind::SearchModule, name, module));
    let enhancers = config
        .enhancement_modules
        .iter()
        .map(|(name, module)| of_module(config, PluginKind::Enhancer, name, module));
    let mut all: Vec<Wanted> = modules.chain(enhancers).collect();
    all.extend(pipelines(config));
    all.extend(adapters(config));
    all.extend(providers(config, registry));
    all
}

fn of_module(config: &Config, kind: PluginKind, name: &str, module: &ModuleConfig) -> Wanted {
    let mut wanted = instance(config, kind, name, module.plugin.as_deref());
    wanted.enabled = module.enabled;
    wanted.settings = Value::Object(module.settings.clone());
    wanted.setup.provider.clone_from(&module.provider);
    wanted.setup.model.clone_from(&module.model);
    wanted
}

fn pipelines(config: &Config) -> impl Iterator<Item = Wanted> {
    config.pipelines.iter().map(|(name, pipeline)| {
        let kind = PluginKind::Pipeline;
        let mut wanted = instance(config, kind, name, pipeline.plugin.as_deref());
        wanted.enabled = pipeline.enabled;
        wanted.settings = Value::Object(pipeline.settings.clone());
        wanted.setup.provider.clone_from(&pipeline.provider);
        wanted.setup.model.clone_from(&pipeline.model);
        wanted.setup.retrieval_modules = config.retrieval_modules(name);
        wanted
    })
}

fn adapters(config: &Config) -> impl Iterator<Item = Wanted> {
    config.ingestion.adapters.iter().map(|(name, adapter)| {
        let kind = PluginKind::Adapter;
        let mut wanted = instance(config, kind, name, adapter.plugin.as_deref());
        wanted.enabled = adapter.enabled;
        wanted.settings = Value::Object(adapter.settings.clone());
        wanted
    })
}

/// A provider's kind is that of the plugin that it names.
fn providers(config: &Config, registry: &Registry) -> impl Iterator<Item = Wanted> {
    config.providers.iter().map(|(name, provider)| {
        let plugin = provider.plugin.as_deref().unwrap_or(name);
        let kind = [PluginKind::Reranker, PluginKind::ChatModel]
            .into_iter()
            .find(|kind| registry.get(*kind, plugin).is_some())
            .unwrap_or(PluginKind::Embedder);
        let mut wanted = instance(config, kind, name, provider.plugin.as_deref());
        wanted.settings = Value::Object(provider.settings.clone());
        wanted
    })
}

fn instance(config: &Config, kind: PluginKind, name: &str, plugin: Option<&str>) -> Wanted {
    let mut wanted = Wanted::new(kind, name);
    wanted.plugin = plugin.unwrap_or(name).to_owned();
    wanted.setup = Setup {
        instance: name.to_owned(),
        timezone: config.timezone.clone(),
        ..Setup::default()
    };
    wanted
}
