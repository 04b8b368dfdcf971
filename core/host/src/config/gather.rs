//! Collects the layers of a load from all sources, in order.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::LoadOptions;
use super::dotenv::{DotEnv, read_dotenv};
use super::environment;
use super::error::{ConfigError, ConfigErrorKind};
use super::foreign::Blocks;
use super::layer::Layer;
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
    /// What each result of a search with a module is to say, by its name.
    pub(crate) module_notes: Vec<(String, String)>,
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
        let dotenv = gathered.read_dotenv(options);
        // A file that is named as well is read once, in the higher place.
        let others = [options.system_config.clone(), user_file(&options.env)];
        for path in others.into_iter().flatten() {
            if options.config_file.as_ref() != Some(&path) {
                gathered.file_if_there(&path);
            }
        }
        match &options.config_file {
            Some(given) => gathered.file(given),
            None => gathered.file_if_there(&options.working_dir.join("config.yml")),
        }
        if let Some((path, file)) = &dotenv {
            let read = environment::of_dotenv(path, file, &options.env);
            gathered.add_variables(read);
        }
        gathered.add_variables(environment::of_variables(&options.env));
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

    /// The `.env` file. What files refer to may stand in it, so it is read
    /// before them.
    fn read_dotenv(&mut self, options: &LoadOptions) -> Option<(PathBuf, DotEnv)> {
        if !environment::wants_dotenv(&options.env) {
            return None;
        }
        let path = options.working_dir.join(".env");
        let text = match read_text(&path) {
            Ok(text) => text,
            Err(error) if is_absent(&error) => return None,
            Err(error) => {
                self.unreadable(&path, &error);
                return None;
            }
        };
        let file = read_dotenv(&text);
        for line in &file.unread {
            let path = path.display();
            self.notices
                .push(format!("{path}:{line}:1: not `NAME=VALUE`, ignored"));
        }
        for variable in &file.variables {
            let value = variable.value.clone();
            self.variables.entry(variable.name.clone()).or_insert(value);
        }
        Some((path, file))
    }

    fn add_variables(&mut self, read: environment::Read) {
        self.layers.extend(read.layers);
        self.notices.extend(read.notices);
    }

    fn text(&mut self, source: Source, text: &str) {
        match yaml::parse(text) {
            Ok(mut document) => {
                let blocks = Blocks::take(&mut document.value);
                let mut file = Layer::of_file(source, document.value, document.places);
                self.foreign_blocks(&mut file, blocks);
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

    fn unreadable(&mut self, path: &Path, error: &std::io::Error) {
        self.errors.push(ConfigError {
            kind: ConfigErrorKind::Unreadable,
            key: String::new(),
            message: format!("cannot be read: {error}"),
            // A folder without access hides whether there is such a file.
            help: (error.kind() == std::io::ErrorKind::PermissionDenied).then(|| {
                "let the user of this command read it, or run it in another folder".to_owned()
            }),
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
