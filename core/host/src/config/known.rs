//! Which names the configuration has before a block of another system is
//! read: what the block can refer to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::layer::Layer;
use super::model::Config;

/// The instances of the layers below a block, and of the keys beside it.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Names by section, each with whether it is on.
    sections: BTreeMap<&'static str, BTreeMap<String, bool>>,
    /// Names by section of the keys beside the block, which win over it.
    beside: BTreeMap<&'static str, BTreeSet<String>>,
    /// The providers of `api.providers`.
    ospreys: BTreeSet<String>,
    /// Whether a dylib may bring plugins of other names.
    pub(crate) has_dylibs: bool,
    /// The embedder where none is named.
    pub(crate) embedder: String,
    /// What stays where a block names something else in vain.
    pub(crate) default_mode: String,
    /// The same for adapters.
    pub(crate) default_adapter: String,
}

const SECTIONS: [&str; 5] = [
    "search_modules",
    "pipelines",
    "enhancement_modules",
    "providers",
    "adapters",
];

impl Known {
    /// What these layers and the file's own keys name.
    pub(crate) fn of(layers: &[Layer], file: &Map<String, Value>) -> Self {
        let default = Config::default();
        let mut known = Self {
            embedder: default.embedding.provider,
            default_mode: default.default_search_mode,
            default_adapter: default.ingestion.adapter,
            ..Self::default()
        };
        for layer in layers {
            known.add(&layer.value);
        }
        known.add(file);
        for section in SECTIONS {
            let names = names(file, section).map(|(name, _)| name.clone());
            known.beside.insert(section, names.collect());
        }
        known
    }

    fn add(&mut self, value: &Map<String, Value>) {
        for section in SECTIONS {
            let known = self.sections.entry(section).or_default();
            for (name, instance) in names(value, section) {
                let is_on = known
                    .entry(name.clone())
                    .or_insert(is_on_unless_said(section));
                if let Some(enabled) = instance.get("enabled").and_then(Value::as_bool) {
                    *is_on = enabled;
                }
            }
        }
        let text = |pointer: &str| Some(at(value, pointer)?.as_str()?.to_owned());
        if let Some(embedder) = text("embedding/provider") {
            self.embedder = embedder;
        }
        let load = at(value, "plugins/load").and_then(Value::as_array);
        self.has_dylibs |= load.is_some_and(|files| !files.is_empty());
    }

    /// Adds a provider of `api.providers`.
    pub(crate) fn add_ospreys_provider(&mut self, name: &str) {
        let providers = self.sections.entry("providers").or_default();
        providers.insert(name.to_owned(), true);
        self.ospreys.insert(name.to_owned());
    }

    /// Whether a provider is described in `api.providers` alone.
    pub(crate) fn is_ospreys(&self, name: &str) -> bool {
        self.ospreys.contains(name) && !self.is_beside("providers", name)
    }

    pub(crate) fn has(&self, section: &str, name: &str) -> bool {
        self.sections
            .get(section)
            .is_some_and(|names| names.contains_key(name))
    }

    /// Whether the keys beside the block name it.
    pub(crate) fn is_beside(&self, section: &str, name: &str) -> bool {
        self.beside
            .get(section)
            .is_some_and(|names| names.contains(name))
    }

    /// The names of a section, and whether each is on.
    pub(crate) fn names(&self, section: &str) -> impl Iterator<Item = (&str, bool)> {
        let names = self.sections.get(section).into_iter().flatten();
        names.map(|(name, is_on)| (name.as_str(), *is_on))
    }
}

/// Search and enhancement modules are off, the others on, where nothing is
/// said.
fn is_on_unless_said(section: &str) -> bool {
    !matches!(section, "search_modules" | "enhancement_modules")
}

fn names<'v>(
    value: &'v Map<String, Value>,
    section: &str,
) -> impl Iterator<Item = (&'v String, &'v Value)> {
    let members = match section {
        "adapters" => at(value, "ingestion/adapters"),
        section => value.get(section),
    };
    members.and_then(Value::as_object).into_iter().flatten()
}

fn at<'v>(value: &'v Map<String, Value>, path: &str) -> Option<&'v Value> {
    let mut keys = path.split('/');
    let first = value.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}
