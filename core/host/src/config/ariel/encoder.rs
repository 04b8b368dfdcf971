//! Which encoder the vectors of a block are made by: the one that it names,
//! where that is configured, else the one of this host.

use serde_json::{Map, Value, json};

use super::providers::name_here;
use crate::config::known::Known;

/// ARIEL's encoder where nothing is named.
const DEFAULT_PROVIDER: &str = "ollama";

/// What the vectors of a block are made by.
pub(super) struct Encoder {
    /// The provider that the block names, and whether it is configured.
    pub(super) provider: Provider,
    /// The model that `semantic` names, else the first of `text_embedding`.
    pub(super) model: Option<Value>,
    /// What the block says of that model.
    dimension: Option<Value>,
    max_tokens: Option<Value>,
    /// The embedder of this host where the block's is not configured.
    stays: String,
    /// Whether the provider comes from `api.providers`, whose embedding
    /// models are described in the block alone.
    is_ospreys: bool,
}

/// The provider of a block's encoder.
pub(super) enum Provider {
    /// It is configured.
    Configured(String),
    /// It is named and not configured.
    Missing(String),
    /// The block names none, nor a model.
    Unnamed,
}

impl Encoder {
    pub(super) fn of(block: &Map<String, Value>, known: &Known) -> Self {
        let block = Value::Object(block.clone());
        let at = |pointer: &str| block.pointer(pointer);
        let text = |pointer: &str| at(pointer).and_then(Value::as_str);
        let listed = at("/enhancement_modules/text_embedding/models");
        let listed = listed
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let model = at("/search_modules/semantic/model").filter(|model| !model.is_null());
        let of_model = |one: &&Value| model.is_none_or(|model| one.get("name") == Some(model));
        let described = listed.iter().find(of_model);
        let model = model.or_else(|| described?.get("name")).cloned();
        let named = text("/search_modules/semantic/provider")
            .or_else(|| text("/enhancement_modules/text_embedding/provider"))
            .or_else(|| text("/embedding/provider"))
            .or_else(|| model.is_some().then_some(DEFAULT_PROVIDER));
        let provider = match named.map(name_here) {
            Some(name) if known.has("providers", &name) => Provider::Configured(name),
            Some(name) => Provider::Missing(name),
            None if known.has("providers", DEFAULT_PROVIDER) => {
                Provider::Configured(DEFAULT_PROVIDER.to_owned())
            }
            None => Provider::Unnamed,
        };
        let of_described = |key: &str| {
            let value = described.and_then(|one| one.get(key))?;
            value.is_u64().then(|| value.clone())
        };
        let of_semantic = || at("/search_modules/semantic/settings/embedding_dimension").cloned();
        Self {
            is_ospreys: match &provider {
                Provider::Configured(name) => known.is_ospreys(name),
                _ => false,
            },
            provider,
            model,
            dimension: of_described("dimension").or_else(of_semantic),
            max_tokens: of_described("max_input_tokens"),
            stays: known.embedder.clone(),
        }
    }

    /// The provider and model that both modules get.
    pub(super) fn configured(&self) -> Option<&str> {
        match &self.provider {
            Provider::Configured(name) => Some(name),
            _ => None,
        }
    }

    /// What is said where a provider is not configured.
    pub(super) fn replaced(&self, name: &str) -> String {
        format!(
            "the provider `{name}` is not configured; `{}` makes the vectors",
            self.stays
        )
    }

    /// What the block says of its model, for the settings of its provider.
    pub(super) fn provider_settings(&self) -> Option<Value> {
        let (Some(name), Some(Value::String(model)), true) =
            (self.configured(), &self.model, self.is_ospreys)
        else {
            return None;
        };
        let mut embedding = Map::from_iter([("model".to_owned(), json!(model))]);
        if let Some(dimension) = &self.dimension {
            embedding.insert("dimension".to_owned(), dimension.clone());
        }
        if let Some(max_tokens) = &self.max_tokens {
            embedding.insert("max_tokens".to_owned(), max_tokens.clone());
        }
        Some(json!({ name: { "settings": { "embedding": embedding } } }))
    }
}
