//! Aliases: other names of a thing, resolved to the one that stands for all.

use std::collections::BTreeMap;

use gannet_plugin::filter::fold;

use crate::entity::EntityType;
use crate::entries::holds_phrase;
use crate::names::kind_of;

/// The names that the configuration knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aliases {
    things: Vec<Thing>,
}

/// A thing and its names.
#[derive(Debug, Clone)]
pub(crate) struct Thing {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) kind: EntityType,
}

impl Aliases {
    /// Those of a configuration. What is neither a device nor a process
    /// variable by the form of its name is a place.
    pub(crate) fn of(configured: &BTreeMap<String, Vec<String>>) -> Self {
        let things = configured.iter().map(|(name, aliases)| Thing {
            name: name.clone(),
            aliases: aliases.clone(),
            kind: kind_of(name).unwrap_or(EntityType::Place),
        });
        Self {
            things: things.collect(),
        }
    }

    /// The thing of this name, under whichever of its names.
    pub(crate) fn resolve(&self, name: &str) -> Option<&Thing> {
        let name = fold(name.trim());
        self.things
            .iter()
            .find(|thing| thing.names().any(|own| fold(own) == name))
    }

    /// The things that a text names, with the name that it uses.
    pub(crate) fn named_in<'a>(&'a self, text: &str) -> Vec<(&'a Thing, &'a str)> {
        let text = fold(text);
        let named = self.things.iter().filter_map(|thing| {
            let mut names = thing.names();
            let used = names.find(|name| holds_phrase(&text, &fold(name)))?;
            Some((thing, used))
        });
        named.collect()
    }
}

impl Thing {
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name)
            .chain(&self.aliases)
            .map(String::as_str)
    }
}
