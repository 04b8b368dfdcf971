//! One layer of the configuration, and the stack of them.

use figment::value::{Dict, Map as ProfileMap};
use figment::{Figment, Metadata, Profile, Provider};
use serde_json::{Map, Value};

use super::error::{ConfigError, ConfigErrorKind};
use super::key_path::KeyPath;
use super::origin::{Origin, Place, Source};
use super::places::Places;

/// What one source sets.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) source: Source,
    pub(crate) value: Map<String, Value>,
    /// Of a file.
    places: Option<Places>,
    /// Of a single value.
    place: Option<Place>,
    /// What stands before every key in the source (`ariel`).
    prefix: KeyPath,
    /// The key that names ARIEL's database, of a layer that is that database
    /// as a store.
    ariels_database: Option<KeyPath>,
}

/// Which part of an entry is meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Key,
    Value,
}

impl Layer {
    pub(crate) fn of_file(source: Source, value: Map<String, Value>, places: Places) -> Self {
        Self {
            source,
            value,
            places: Some(places),
            place: None,
            prefix: KeyPath::default(),
            ariels_database: None,
        }
    }

    /// A layer that sets one key.
    pub(crate) fn of_value(
        source: Source,
        path: &KeyPath,
        value: Value,
        place: Option<Place>,
    ) -> Self {
        let nested = path.0.iter().rev().fold(value, |value, key| {
            Value::Object(Map::from_iter([(key.clone(), value)]))
        });
        let value = match nested {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        Self {
            source,
            value,
            places: None,
            place,
            prefix: KeyPath::default(),
            ariels_database: None,
        }
    }

    /// Another layer of the same file, whose keys stand below `prefix` there.
    pub(crate) fn below(&self, prefix: &str, value: Map<String, Value>) -> Self {
        Self {
            value,
            prefix: KeyPath::from_dotted(prefix),
            ..self.clone()
        }
    }

    /// What ARIEL's database, which this key of the same file names, says of
    /// the store.
    pub(crate) fn of_ariels_database(&self, key: KeyPath, store: Value) -> Self {
        Self {
            value: Map::from_iter([("store".to_owned(), store)]),
            ariels_database: Some(key),
            ..self.clone()
        }
    }

    /// Where a key or its value stands.
    pub(crate) fn origin(&self, path: &KeyPath, part: Part) -> Origin {
        let path = self.in_source(path);
        let in_file = self.places.as_ref().and_then(|places| match part {
            Part::Key => places.of_key(&path),
            Part::Value => places.of_value(&path),
        });
        Origin {
            source: self.source.clone(),
            place: in_file.or_else(|| self.place.clone()),
        }
    }

    /// The key as it is called in the source.
    pub(crate) fn in_source(&self, path: &KeyPath) -> KeyPath {
        if let Some(key) = &self.ariels_database {
            return key.clone();
        }
        path.rebased(&KeyPath::default(), &self.prefix)
            .unwrap_or_default()
    }

    fn sets(&self, path: &KeyPath) -> bool {
        path.0.is_empty() || self.value_at(path).is_some()
    }

    fn value_at(&self, path: &KeyPath) -> Option<&Value> {
        let (first, rest) = path.0.split_first()?;
        let below = rest.iter().try_fold(self.value.get(first), |value, key| {
            Some(match value? {
                Value::Object(members) => members.get(key),
                Value::Array(members) => members.get(key.parse::<usize>().ok()?),
                _ => None,
            })
        });
        below.flatten()
    }
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.source.to_string())
    }

    fn data(&self) -> figment::Result<ProfileMap<Profile, Dict>> {
        let value = figment::value::Value::serialize(&self.value)?;
        let values = value.into_dict().unwrap_or_default();
        Ok(ProfileMap::from([(Profile::Default, values)]))
    }
}

/// Where each value of a loaded configuration comes from.
#[derive(Debug, Clone)]
pub struct Origins {
    layers: Vec<Layer>,
}

impl Origins {
    /// Layers in order; later ones win.
    pub(crate) fn new(layers: Vec<Layer>) -> Self {
        Self { layers }
    }

    /// Where the value of a dotted key (`pipelines.rag.retrieval_modules.0`)
    /// comes from: the last layer that sets it. The key above it when no layer
    /// does. None for the empty key and for keys that nothing is known of.
    pub fn locate(&self, key: &str) -> Option<Origin> {
        self.at(&KeyPath::from_dotted(key))
    }

    /// What was read, in order; later ones win.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.layers.iter().map(|layer| &layer.source)
    }

    /// An error about the value of a dotted key, placed where it was set; for
    /// checks that only the host's other parts can do.
    pub fn error(
        &self,
        kind: ConfigErrorKind,
        key: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) -> ConfigError {
        let asked = KeyPath::from_dotted(key);
        let part = match kind {
            ConfigErrorKind::UnknownKey => Part::Key,
            _ => Part::Value,
        };
        let (origin, name) = match self.find(asked.clone()) {
            Some((layer, path)) => (layer.origin(&path, part), layer.in_source(&asked)),
            None => (
                Origin {
                    source: Source::BuiltIn,
                    place: None,
                },
                asked,
            ),
        };
        ConfigError {
            kind,
            key: name.to_string(),
            message: message.into(),
            help,
            origin,
        }
    }

    /// Where a value comes from, by its path.
    pub(crate) fn at(&self, path: &KeyPath) -> Option<Origin> {
        let (layer, path) = self.find(path.clone())?;
        Some(layer.origin(&path, Part::Value))
    }

    pub(crate) fn source_of(&self, path: &KeyPath) -> Option<&Source> {
        self.find(path.clone()).map(|(layer, _)| &layer.source)
    }

    /// Whether a dotted key is set by the database of an `ariel:` block.
    pub(crate) fn is_of_ariel(&self, key: &str) -> bool {
        let layer = self.last_that_sets(key);
        layer.is_some_and(|layer| layer.ariels_database.is_some())
    }

    /// Whether somebody wrote a dotted key.
    pub(crate) fn is_written(&self, key: &str) -> bool {
        let layer = self.last_that_sets(key);
        layer.is_some_and(|layer| layer.source != Source::BuiltIn) && !self.is_of_ariel(key)
    }

    fn last_that_sets(&self, key: &str) -> Option<&Layer> {
        let path = KeyPath::from_dotted(key);
        let mut layers = self.layers.iter().rev();
        layers.find(|layer| layer.sets(&path))
    }

    /// All layers in one.
    pub(crate) fn merged(&self) -> Figment {
        self.layers
            .iter()
            .fold(Figment::new(), |all, layer| all.merge(layer))
    }

    /// The last layer that sets a key or the nearest one above it, and which
    /// of these it sets.
    fn find(&self, mut path: KeyPath) -> Option<(&Layer, KeyPath)> {
        while !path.0.is_empty() {
            if let Some(layer) = self.layers.iter().rev().find(|layer| layer.sets(&path)) {
                return Some((layer, path));
            }
            path = path.parent()?;
        }
        None
    }
}
