//! Every model: of plugins, of the host itself, and those that a store has
//! vectors of, with where each comes from.

use std::collections::BTreeMap;

use gannet_api::{ModelCard, PluginKind};
use gannet_registry::Registry;
use serde::Serialize;

use crate::config::Config;
use crate::dylibs::registry;
use crate::{Gannet, HostError, InstanceState, PluginListing, recurrence, relevance};

/// The plugin that asks for recurrences.
const RECURRENCE: &str = "recurrence";

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
    /// Passages of the store with vectors of it. `None` where it is not known:
    /// the store could not be read, or another embedder has the same name.
    pub passages: Option<u64>,
}

impl Gannet {
    /// Every model that is compiled in, configured, or has vectors in a store.
    /// `passages` has their number by model, from
    /// [`StoreStats`](gannet_store::StoreStats); `None` where the store cannot be
    /// read. Plugins that state no model and are off are left out. Opens no
    /// store.
    ///
    /// # Errors
    /// Those of [`list_plugins`](Self::list_plugins), and
    /// [`HostError::Plugin`] only where a file of weights and the code disagree.
    pub fn list_models(
        config: &Config,
        passages: Option<&BTreeMap<String, u64>>,
    ) -> Result<Vec<ModelListing>, HostError> {
        let registry = registry(config)?;
        let plugins = Self::list_registered(config, &registry).plugins;
        let finds_recurrences = plugins.iter().any(|plugin| {
            (plugin.kind, plugin.state) == (PluginKind::Pipeline, InstanceState::On)
                && plugin.plugin == RECURRENCE
        });
        let recurrence_state = match finds_recurrences {
            true => InstanceState::On,
            false => InstanceState::Off,
        };
        let mut models: Vec<ModelListing> = plugins
            .into_iter()
            .flat_map(|plugin| of_plugin(plugin, config))
            .collect();
        let unused = unused(&registry, &models);
        models.extend(unused);
        models.push(of_host(relevance::card()?, InstanceState::On));
        models.push(of_host(recurrence::card()?, recurrence_state));
        count_passages(&mut models, passages);
        Ok(models)
    }
}

/// The models of a plugin. A provider that is on and states none has one, of
/// which at most the name is known.
fn of_plugin(mut plugin: PluginListing, config: &Config) -> Vec<ModelListing> {
    let mut cards = std::mem::take(&mut plugin.models);
    let has_model = matches!(
        plugin.kind,
        PluginKind::Embedder | PluginKind::Reranker | PluginKind::Reader | PluginKind::ChatModel
    );
    if cards.is_empty() && has_model && plugin.state != InstanceState::Off {
        let reasoning = &config.reasoning;
        let is_asked = plugin.kind == PluginKind::ChatModel
            && reasoning.provider.as_ref() == Some(&plugin.name);
        let asked = reasoning.model_id.as_deref().filter(|_| is_asked);
        let name = asked.or_else(|| configured_model(&plugin, config));
        cards.push(ModelCard::new(name.unwrap_or_default()));
    }
    let listed = |card: ModelCard| ModelListing {
        passages: Some(0),
        card,
        kind: Some(plugin.kind),
        instance: Some(plugin.name.clone()),
        state: Some(plugin.state),
    };
    cards.into_iter().map(listed).collect()
}

/// The model that the settings of a provider name.
fn configured_model<'c>(plugin: &PluginListing, config: &'c Config) -> Option<&'c str> {
    let settings = &config.providers.get(&plugin.name)?.settings;
    let model = match plugin.kind {
        PluginKind::Embedder => settings.get("embedding")?.get("model"),
        _ => settings.get("model"),
    };
    model?.as_str()
}

/// The models of linked plugins that no instance uses, since its settings name
/// another one or are refused: their weights are in the program all the same.
/// Another one may have the same name.
fn unused(registry: &Registry, used: &[ModelListing]) -> Vec<ModelListing> {
    let linked = registry
        .iter()
        .filter(|plugin| plugin.origin.file.is_none());
    let compiled = linked.flat_map(|plugin| {
        let descriptor = &plugin.descriptor;
        let cards = descriptor.models.iter().cloned();
        cards.map(|card| (descriptor.kind, card))
    });
    let is_used = |kind: PluginKind, card: &ModelCard| {
        let same = |model: &ModelListing| {
            let of_model = (&model.card.name, &model.card.source);
            model.kind == Some(kind) && of_model == (&card.name, &card.source)
        };
        used.iter().any(same)
    };
    let listed = compiled
        .filter(|(kind, card)| !is_used(*kind, card))
        .map(|(kind, card)| ModelListing {
            passages: Some(0),
            card,
            kind: Some(kind),
            instance: None,
            state: Some(InstanceState::Off),
        });
    listed.collect()
}

/// Counts the passages of the embedders, and adds what only the store knows: a
/// model of another name, and one of a name that several embedders have.
fn count_passages(models: &mut Vec<ModelListing>, passages: Option<&BTreeMap<String, u64>>) {
    let embedders = models
        .iter()
        .filter(|model| model.kind == Some(PluginKind::Embedder));
    let sources: Vec<(String, String)> = embedders
        .map(|model| (model.card.name.clone(), model.card.source.clone()))
        .collect();
    let is_one = |name: &str| {
        let mut same = sources.iter().filter(|(other, _)| other == name);
        let first = same.next();
        first.is_some_and(|first| same.all(|other| other == first))
    };
    let count = |name: &str| passages.map(|all| all.get(name).copied().unwrap_or(0));
    for model in models.iter_mut() {
        if model.kind == Some(PluginKind::Embedder) {
            let name = &model.card.name;
            model.passages = count(name).filter(|_| is_one(name));
        }
    }
    let stored = passages.into_iter().flatten();
    let others = stored.filter(|(name, _)| !is_one(name));
    models.extend(others.map(|(name, count)| ModelListing {
        card: ModelCard::new(name),
        kind: None,
        instance: None,
        state: None,
        passages: Some(*count),
    }));
}

fn of_host(card: ModelCard, state: InstanceState) -> ModelListing {
    ModelListing {
        card,
        kind: None,
        instance: None,
        state: Some(state),
        passages: Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(kind: Option<PluginKind>, name: &str, source: &str) -> ModelListing {
        ModelListing {
            card: ModelCard::new(name).with_source(source),
            kind,
            instance: None,
            state: Some(InstanceState::On),
            passages: Some(0),
        }
    }

    fn counted(mut models: Vec<ModelListing>) -> Vec<(String, bool, Option<u64>)> {
        let stored = BTreeMap::from([("minilm".to_owned(), 7), ("relevance".to_owned(), 2)]);
        count_passages(&mut models, Some(&stored));
        models
            .into_iter()
            .map(|model| (model.card.name, model.state.is_none(), model.passages))
            .collect()
    }

    #[test]
    fn passages_are_those_of_the_embedder_of_the_name() {
        let embedder = Some(PluginKind::Embedder);
        let models = vec![
            listing(embedder, "minilm", "a"),
            listing(embedder, "minilm", "a"),
            listing(None, "relevance", "host"),
        ];
        let expected = [
            ("minilm".to_owned(), false, Some(7)),
            ("minilm".to_owned(), false, Some(7)),
            ("relevance".to_owned(), false, Some(0)),
            ("relevance".to_owned(), true, Some(2)),
        ];
        assert_eq!(counted(models), expected);
    }

    #[test]
    fn of_two_embedders_of_one_name_the_store_does_not_say_whose_they_are() {
        let embedder = Some(PluginKind::Embedder);
        let models = vec![
            listing(embedder, "minilm", "a"),
            listing(embedder, "minilm", "b"),
        ];
        let found = counted(models);
        assert_eq!(found[0], ("minilm".to_owned(), false, None));
        assert_eq!(found[1], ("minilm".to_owned(), false, None));
        assert_eq!(found[2], ("minilm".to_owned(), true, Some(7)));
    }

    #[test]
    fn without_a_store_the_passages_are_not_known() {
        let mut models = vec![listing(Some(PluginKind::Embedder), "minilm", "a")];
        count_passages(&mut models, None);
        assert_eq!(models[0].passages, None);
        assert_eq!(models.len(), 1);
    }
}
