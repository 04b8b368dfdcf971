//! Blocks of other systems in a configuration file: Osprey's `ariel:`, and
//! the `retriever_arm:` of OctoLLM.

use serde_json::{Map, Value};

use super::error::{ConfigError, ConfigErrorKind, quoted_list};
use super::gather::Gathered;
use super::key_path::KeyPath;
use super::known::Known;
use super::layer::{Layer, Part};
use super::origin::Origin;
use super::schema::{Node, drop_unset};
use super::translation::{Note, Translation};
use super::{ariel, retriever_arm};

/// The blocks of one file.
pub(crate) struct Blocks {
    ariel: Option<Value>,
    retriever: Option<Value>,
}

impl Blocks {
    /// Takes the blocks out of a file.
    pub(crate) fn take(file: &mut Map<String, Value>) -> Self {
        Self {
            ariel: file.shift_remove(ariel::BLOCK),
            retriever: file.shift_remove(retriever_arm::BLOCK),
        }
    }
}

impl Gathered {
    /// Adds the layers of a file's blocks, which stand below the file's own
    /// keys. A file with a block has keys for others too.
    pub(crate) fn foreign_blocks(&mut self, file: &mut Layer, blocks: Blocks) {
        if blocks.ariel.is_none() && blocks.retriever.is_none() {
            return;
        }
        let known = Node::root().map(Node::keys).unwrap_or_default();
        let is_foreign = |key: &&String| !known.contains(&key.as_str());
        let keys: Vec<String> = file.value.keys().filter(is_foreign).cloned().collect();
        let mut foreign = Map::new();
        for key in keys {
            if let Some(value) = file.value.shift_remove(&key) {
                foreign.insert(key, value);
            }
        }
        if let Some(block) = blocks.retriever {
            self.retriever_block(file, block);
        }
        if let Some(block) = blocks.ariel {
            self.osprey(file, block, &mut foreign);
        }
        if !foreign.is_empty() {
            let names: Vec<&str> = foreign.keys().map(String::as_str).collect();
            let notice = format!("{}: {} not read", file.source, are(&names));
            self.notices.push(notice);
        }
    }

    fn retriever_block(&mut self, file: &Layer, block: Value) {
        if let Some(block) = self.block(file, retriever_arm::BLOCK, block) {
            self.add(file, retriever_arm::BLOCK, retriever_arm::translate(block));
        }
    }

    /// The block, and what belongs to it among the file's other keys.
    fn osprey(&mut self, file: &Layer, block: Value, foreign: &mut Map<String, Value>) {
        let Some(mut block) = self.block(file, ariel::BLOCK, block) else {
            return;
        };
        let mut known = Known::of(&self.layers, &file.value);
        if foreign
            .get(ariel::providers::KEY)
            .is_some_and(Value::is_object)
            && let Some(api) = foreign.shift_remove(ariel::providers::KEY)
        {
            let providers = ariel::providers::translate(&api, &self.variables);
            let names = providers.value.get("providers").and_then(Value::as_object);
            for name in names.into_iter().flat_map(Map::keys) {
                known.add_ospreys_provider(name);
            }
            self.add(file, ariel::providers::KEY, providers);
        }
        let services = foreign.get_mut("services").and_then(Value::as_object_mut);
        let postgresql = services.and_then(|services| services.shift_remove("postgresql"));
        if foreign
            .get("services")
            .and_then(Value::as_object)
            .is_some_and(Map::is_empty)
        {
            foreign.shift_remove("services");
        }
        drop_unset(&mut block, Node::root());
        let translation = ariel::translate(block, postgresql.as_ref(), &known);
        self.add(file, ariel::BLOCK, translation);
    }

    /// A block that is a mapping; one without a value sets nothing.
    fn block(&mut self, file: &Layer, key: &str, block: Value) -> Option<Map<String, Value>> {
        match block {
            Value::Object(block) => return Some(block),
            Value::Null => {}
            _ => self.errors.push(ConfigError {
                kind: ConfigErrorKind::WrongType,
                key: key.to_owned(),
                message: format!("`{key}` must be a mapping"),
                help: None,
                origin: file.origin(&KeyPath::from_dotted(key), Part::Value),
            }),
        }
        None
    }

    fn add(&mut self, file: &Layer, prefix: &str, translation: Translation) {
        let layer = file.below(prefix, translation.value);
        let mut notes: Vec<(Origin, KeyPath, Note)> = translation
            .notes
            .into_iter()
            .map(|(path, note)| {
                let origin = layer.origin(&path, Part::Key);
                (origin, layer.in_source(&path), note)
            })
            .collect();
        notes.sort_by_key(|(origin, ..)| origin.start());
        for (origin, key, note) in notes {
            self.notices.push(format!("{origin}: {}", note.line(&key)));
        }
        if let Some((key, store)) = translation.store {
            self.layers.push(file.of_ariels_database(key, store));
        }
        self.layers.push(layer);
        self.module_notes.extend(translation.module_notes);
    }
}

fn are(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", quoted_list(names))
}
