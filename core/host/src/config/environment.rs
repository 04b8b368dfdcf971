//! Layers from environment variables, and which variables there are.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::dotenv::{DotEnv, DotEnvVariable};
use super::key_path::KeyPath;
use super::layer::Layer;
use super::origin::{Origin, Place, Source};
use super::schema::Node;
use super::variables::{Meaning, VARIABLES};
use super::yaml;

pub(crate) use super::variables::{FALSE, TRUE, mode_of_method};

/// `GANNET__STORE__PATH` is `store.path`.
const PREFIX: &str = "GANNET__";

/// Variables that switch the reading of `.env` off: `0`, `false`, `no` or
/// `off`.
const LOAD_DOTENV: [&str; 2] = ["GANNET_LOAD_DOTENV", "ERDOS_LOAD_DOTENV"];

/// What variables say.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// One layer for each key that a variable sets, those of other systems
    /// first: `GANNET__` wins over them.
    pub(crate) layers: Vec<Layer>,
    /// A line for each variable that sets nothing.
    pub(crate) notices: Vec<String>,
}

/// Whether a `.env` file is read at all.
pub(crate) fn wants_dotenv(env: &BTreeMap<String, String>) -> bool {
    let set = LOAD_DOTENV.iter().find_map(|name| env.get(*name));
    let answer = set.map(|value| value.trim().to_ascii_lowercase());
    !answer.is_some_and(|answer| FALSE.contains(&answer.as_str()))
}

/// What the environment says. A blank variable counts as not set.
pub(crate) fn of_variables(env: &BTreeMap<String, String>) -> Read {
    let variables = env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str(), None));
    read(variables, |name| Source::Variable(name.to_owned()))
}

/// What the variables of a `.env` file say, without those that the
/// environment sets.
pub(crate) fn of_dotenv(path: &Path, file: &DotEnv, env: &BTreeMap<String, String>) -> Read {
    let is_free = |variable: &&DotEnvVariable| !env.contains_key(&variable.name);
    let variables = file.variables.iter().filter(is_free);
    read(
        variables.map(|one| {
            (
                one.name.as_str(),
                one.value.as_str(),
                Some(one.place.clone()),
            )
        }),
        |name| Source::EnvFile {
            path: path.to_owned(),
            variable: name.to_owned(),
        },
    )
}

fn read<'v>(
    variables: impl Iterator<Item = (&'v str, &'v str, Option<Place>)>,
    source: impl Fn(&str) -> Source,
) -> Read {
    let mut read = Read::default();
    let mut own = Vec::new();
    // Of two variables for one key the later one in the table wins.
    let mut aliased: Vec<(usize, Layer)> = Vec::new();
    for (name, value, place) in variables {
        if value.trim().is_empty() {
            continue;
        }
        if let Some(key) = name.strip_prefix(PREFIX) {
            let path = KeyPath(key.to_lowercase().split("__").map(str::to_owned).collect());
            let value = typed(&path, value);
            own.push(Layer::of_value(source(name), &path, value, place));
            continue;
        }
        let Some(rank) = VARIABLES.iter().position(|known| known.name == name) else {
            continue;
        };
        match VARIABLES[rank].meaning {
            Meaning::Elsewhere(_) => {}
            Meaning::None(reason) => {
                let origin = Origin {
                    source: source(name),
                    place,
                };
                read.notices
                    .push(format!("{origin}: it sets nothing: {reason}"));
            }
            Meaning::Keys(settings) => {
                for setting in settings {
                    let path = KeyPath::from_dotted(setting.key);
                    match setting.value_of(name, value, |text| typed(&path, text)) {
                        Ok(value) => {
                            let layer = Layer::of_value(source(name), &path, value, place.clone());
                            aliased.push((rank, layer));
                        }
                        Err(reason) => {
                            let origin = Origin {
                                source: source(name),
                                place: place.clone(),
                            };
                            read.notices
                                .push(format!("{origin}: it sets nothing: {reason}"));
                        }
                    }
                }
            }
        }
    }
    aliased.sort_by_key(|(rank, _)| *rank);
    read.layers = aliased.into_iter().map(|(_, layer)| layer).collect();
    read.layers.append(&mut own);
    read
}

/// The layer of one `KEY=VALUE` of the command line.
pub(crate) fn layer_of_flag(key: &str, value: &str) -> Layer {
    let path = KeyPath::from_dotted(key);
    let source = Source::CommandLine(key.to_owned());
    Layer::of_value(source, &path, typed(&path, value), None)
}

/// Text stays text where text is wanted (`GANNET__STORE__PATH=2024`);
/// elsewhere it is read as YAML.
fn typed(path: &KeyPath, value: &str) -> Value {
    if Node::at(path).is_some_and(Node::takes_text) {
        return Value::String(value.to_owned());
    }
    yaml::parse_inline(value)
}
