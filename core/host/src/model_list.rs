//! Every model: of plugins, of the host itself, and those that a store has
//! vectors of, with where each comes from.

use std::collections::BTreeMap;

use gannet_api::{ModelCard, PluginKind};
use gannet_registry::Registry;
use serde::Serialize;

use crate::config::Config;
use crate::dylibs::registry;
use crate::{Gannet, HostError, InstanceState, PluginListing, recurrence, relevance};

/// A model, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelListing {
    /// What it is and where it comes from, as its provider or the header of its
    /// file states it.
    #[serde(flatten)]
    pub card: ModelCard,
    /// The sort of plugin that has it; `None` for a model of the host, and for
    /// one that only a store knows.
    pub kind: Option<PluginKind>,
    /// The instance that uses it.
    pub instance: Option<String>,
    /// Whether that is on. `None` for a model that only a store knows.
    pub state: Option<InstanceState>,
    /// Passages of the store with vectors of it.
    pub passages: u64,
}

impl Gannet {
    /// Every model that is compiled in, configured, or has vectors in a store.
    /// `passages` has their number by model, from
    /// [`StoreStats`](gannet_store::StoreStats). Plugins that state no model and
    /// are off are left out. Opens no store.
    ///
    /// # Errors
    /// Those of [`list_plugins`](Self::list_plugins), and
    /// [`HostError::Plugin`] only where a file of weights and the code disagree.
    pub fn list_models(
        config: &Config,
        passages: &BTreeMap<String, u64>,
    ) -> Result<Vec<ModelListing>, HostError> {
        let registry = registry(config)?;
        let plugins = Self::list_registered(config, &registry).plugins;
        let mut models: Vec<ModelListing> = plugins
            .into_iter()
            .flat_map(|plugin| of_plugin(plugin, config, passages))
            .collect();
        let unused = unused(&registry, &models, passages);
        models.extend(unused);
        models.extend([relevance::card()?, recurrence::card()?].map(of_host));
        for (name, count) in passages {
            if models.iter().all(|model| model.card.name != *name) {
                models.push(ModelListing {
                    card: ModelCard::new(name),
                    kind: None,
                    instance: None,
                    state: None,
                    passages: *count,
                });
            }
        }
        Ok(models)
    }
}

/// The models of a plugin. A provider that is on and states none has one, of
/// which at most the name is known.
fn of_plugin(
    plugin: PluginListing,
    config: &Config,
    passages: &BTreeMap<String, u64>,
) -> Vec<ModelListing> {
    let mut cards = plugin.models;
    let has_model = matches!(
        plugin.kind,
        PluginKind::Embedder | PluginKind::Reranker | PluginKind::Reader | PluginKind::ChatModel
    );
    if cards.is_empty() && has_model && plugin.state != InstanceState::Off {
        let reasoning = &config.reasoning;
        let is_asked = plugin.kind == PluginKind::ChatModel
            && reasoning.provider.as_ref() == Some(&plugin.name);
        let name = reasoning.model_id.clone().filter(|_| is_asked);
        cards.push(ModelCard::new(name.unwrap_or_default()));
    }
    let listed = |card: ModelCard| ModelListing {
        passages: count(plugin.kind, &card.name, passages),
        card,
        kind: Some(plugin.kind),
        instance: Some(plugin.name.clone()),
        state: Some(plugin.state),
    };
    cards.into_iter().map(listed).collect()
}

/// The models of linked plugins that no instance uses, since its settings name
/// another one or are refused: their weights are in the program all the same.
fn unused(
    registry: &Registry,
    used: &[ModelListing],
    passages: &BTreeMap<String, u64>,
) -> Vec<ModelListing> {
    let linked = registry
        .iter()
        .filter(|plugin| plugin.origin.file.is_none());
    let compiled = linked.flat_map(|plugin| {
        let descriptor = &plugin.descriptor;
        let cards = descriptor.models.iter().cloned();
        cards.map(|card| (descriptor.kind, card))
    });
    let is_used = |kind: PluginKind, name: &str| {
        let same = |model: &ModelListing| model.kind == Some(kind) && model.card.name == name;
        used.iter().any(same)
    };
    let listed = compiled
        .filter(|(kind, card)| !is_used(*kind, &card.name))
        .map(|(kind, card)| ModelListing {
            passages: count(kind, &card.name, passages),
            card,
            kind: Some(kind),
            instance: None,
            state: Some(InstanceState::Off),
        });
    listed.collect()
}

/// Passages with vectors of a model; those of embedders have some.
fn count(kind: PluginKind, name: &str, passages: &BTreeMap<String, u64>) -> u64 {
    match kind {
        PluginKind::Embedder => passages.get(name).copied().unwrap_or(0),
        _ => 0,
    }
}

fn of_host(card: ModelCard) -> ModelListing {
    ModelListing {
        card,
        kind: None,
        instance: None,
        state: Some(InstanceState::On),
        passages: 0,
    }
}
