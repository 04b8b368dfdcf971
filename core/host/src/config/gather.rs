//! Collects the layers of a load from all sources, in order.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::LoadOptions;
use super::ariel;
use super::environment;
use super::error::{ConfigError, ConfigErrorKind, quoted_list};
use super::key_path::KeyPath;
use super::layer::{Layer, Part};
use super::origin::{Origin, Source};
use super::schema::{Node, drop_unset};
use super::yaml;

/// The reference configuration, which is the default.
const BUILT_IN: &str = include_str!("../../../../config.yml");

/// Layers in order, and what was noticed on the way.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) layers: Vec<Layer>,
    pub(crate) notices: Vec<String>,
    pub(crate) errors: Vec<ConfigError>,
    /// What references to variables stand for: the environment, and what
    /// `.env` adds to it.
    pub(crate) variables: BTreeMap<String, String>,
}

impl Gathered {
    /// The layer that is compiled in.
    pub(crate) fn built_in() -> Self {
        let mut gathered = Self::default();
        gathered.text(Source::BuiltIn, BUILT_IN);
        gathered
    }

    /// Every layer, those that win last.
    pub(crate) fn all(options: &LoadOptions) -> Self {
        let mut gathered = Self::built_in();
        gathered.variables = options.env.clone();
        if let Some(system) = &options.system_config {
            gathered.file_if_there(system);
        }
        if let Some(user) = user_file(&options.env) {
            gathered.file_if_there(&user);
        }
        match &options.config_file {
            Some(given) => gathered.file(given),
            None => gathered.file_if_there(&options.working_dir.join("config.yml")),
        }
        if environment::wants_dotenv(&options.env) {
            gathered.dotenv(&options.working_dir.join(".env"), &options.env);
        }
        gathered
            .layers
            .extend(environment::layers_of_variables(&options.env));
        for (key, value) in &options.overrides {
            gathered.layers.push(environment::layer_of_flag(key, value));
        }
        gathered
    }

    fn file(&mut self, path: &Path) {
        match read_text(path) {
            Ok(text) => self.text(Source::File(path.to_owned()), &text),
            Err(error) => self.unreadable(path, &error),
        }
    }

    fn file_if_there(&mut self, path: &Path) {
        match read_text(path) {
            Ok(text) => self.text(Source::File(path.to_owned()), &text),
            Err(error) if is_absent(&error) => {}
            Err(error) => self.unreadable(path, &error),
        }
    }

    fn dotenv(&mut self, path: &Path, env: &BTreeMap<String, String>) {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) if is_absent(&error) => return,
            Err(error) => return self.unreadable(path, &error),
        };
        let file = environment::read_dotenv(&text);
        for line in &file.unread {
            let path = path.display();
            self.notices
                .push(format!("{path}:{line}:1: no `NAME=VALUE`, left out"));
        }
        self.layers
            .extend(environment::layers_of_dotenv(path, &file, env));
        for variable in file.variables {
            let value = variable.value;
            self.variables.entry(variable.name).or_insert(value);
        }
    }

    fn text(&mut self, source: Source, text: &str) {
        match yaml::parse(text) {
            Ok(mut document) => {
                let block = document.value.shift_remove(ariel::BLOCK);
                let mut file = Layer::of_file(source, document.value, document.places);
                if let Some(block) = block {
                    self.osprey(&mut file, block);
                }
                drop_unset(&mut file.value, Node::root());
                self.layers.push(file);
            }
            Err(refusal) => self.errors.push(ConfigError {
                kind: refusal.kind,
                key: String::new(),
                message: refusal.message,
                help: None,
                origin: Origin {
                    source,
                    place: refusal.place,
                },
            }),
        }
    }

    /// A file with an `ariel:` block is Osprey's, and has keys for others.
    fn osprey(&mut self, file: &mut Layer, block: Value) {
        let known = Node::root().map(Node::keys).unwrap_or_default();
        let foreign: Vec<String> = file
            .value
            .keys()
            .filter(|key| !known.contains(&key.as_str()))
            .cloned()
            .collect();
        if !foreign.is_empty() {
            let names: Vec<&str> = foreign.iter().map(String::as_str).collect();
            let notice = format!(
                "{}: {} stand outside `ariel:` and are not read",
                file.source,
                quoted_list(&names)
            );
            self.notices.push(notice);
            file.value.retain(|key, _| known.contains(&key.as_str()));
        }
        match block {
            Value::Object(block) => self.ariel_block(file, block),
            Value::Null => {}
            _ => self.errors.push(ConfigError {
                kind: ConfigErrorKind::WrongType,
                key: ariel::BLOCK.to_owned(),
                message: "`ariel` must be a mapping".to_owned(),
                help: None,
                origin: file.origin(&KeyPath::from_dotted(ariel::BLOCK), Part::Value),
            }),
        }
    }

    fn ariel_block(&mut self, file: &Layer, mut block: Map<String, Value>) {
        drop_unset(&mut block, Node::root());
        let translation = ariel::translate(block);
        let layer = file.below(ariel::BLOCK, translation.value);
        let mut left_out: Vec<(Origin, KeyPath, String)> = translation
            .left_out
            .into_iter()
            .map(|(path, reason)| {
                (
                    layer.origin(&path, Part::Key),
                    layer.in_source(&path),
                    reason,
                )
            })
            .collect();
        left_out.sort_by_key(|(origin, ..)| origin.start());
        for (origin, key, reason) in left_out {
            self.notices
                .push(format!("{origin}: `{key}` has no meaning here: {reason}"));
        }
        if let Some(store) = translation.store {
            self.layers.push(file.of_ariels_database(store));
        }
        self.layers.push(layer);
    }

    fn unreadable(&mut self, path: &Path, error: &std::io::Error) {
        self.errors.push(ConfigError {
            kind: ConfigErrorKind::Unreadable,
            key: String::new(),
            message: format!("cannot be read: {error}"),
            help: None,
            origin: Origin {
                source: Source::File(path.to_owned()),
                place: None,
            },
        });
    }
}

/// Reads no more than is needed to see that a file is too large. Only of
/// files: opening a pipe would wait until somebody writes to it.
fn read_text(path: &Path) -> std::io::Result<String> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(std::io::Error::other(
            "it is a pipe or a device; write it to a file and name that",
        ));
    }
    let mut text = String::new();
    let most = yaml::MAX_BYTES as u64 + 1;
    File::open(path)?.take(most).read_to_string(&mut text)?;
    Ok(text)
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// `$XDG_CONFIG_HOME/gannet/config.yml`, else `~/.config/gannet/config.yml`.
fn user_file(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    let set = |name: &str| env.get(name).filter(|value| !value.is_empty());
    let folder = match set("XDG_CONFIG_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(set("HOME")?).join(".config"),
    };
    Some(folder.join("gannet").join("config.yml"))
}
