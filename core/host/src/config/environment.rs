//! Layers from environment variables and from a `.env` file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::key_path::KeyPath;
use super::layer::Layer;
use super::origin::{Place, Source};
use super::schema::Node;
use super::yaml;

/// `GANNET__STORE__PATH` is `store.path`.
const PREFIX: &str = "GANNET__";

/// Variables of the systems that came before, each with the key that has its
/// meaning here. `GANNET__` wins over them.
const ALIASES: [Alias; 11] = [
    Alias::of("RETRIEVER_DEFAULT_LIMIT", "default_max_results"),
    Alias {
        values: &[("vector", "semantic"), ("hybrid", "rag")],
        ..Alias::of("RETRIEVER_DEFAULT_METHOD", "default_search_mode")
    },
    Alias::of(
        "RETRIEVER_MIN_RELEVANCE",
        "pipelines.rag.settings.min_relevance",
    ),
    Alias {
        values: &[("true", "model"), ("false", "none")],
        ..Alias::of("ENABLE_SYNTHESIS", "pipelines.rag.settings.answer")
    },
    Alias::of("SYNTHESIS_MODEL", "reasoning.model_id"),
    // One variable that means three keys here: which program, that it is one,
    // and that it is asked.
    Alias::text(ERDOS_LLM_COMMAND, COMMAND),
    Alias::constant(ERDOS_LLM_COMMAND, "providers.command.plugin", "command"),
    Alias::constant(ERDOS_LLM_COMMAND, "reasoning.provider", "command"),
    Alias::text(ERDOS_LLM_COMMAND_MATH, COMMAND),
    Alias::constant(
        ERDOS_LLM_COMMAND_MATH,
        "providers.command.plugin",
        "command",
    ),
    Alias::constant(ERDOS_LLM_COMMAND_MATH, "reasoning.provider", "command"),
];

const ERDOS_LLM_COMMAND: &str = "ERDOS_LLM_COMMAND";
/// The command for questions; it wins over the general one.
const ERDOS_LLM_COMMAND_MATH: &str = "ERDOS_LLM_COMMAND_MATH";
const COMMAND: &str = "providers.command.settings.command";

/// Variables that switch the reading of `.env` off: `0`, `false`, `no` or
/// `off`.
const LOAD_DOTENV: [&str; 2] = ["GANNET_LOAD_DOTENV", "ERDOS_LOAD_DOTENV"];

struct Alias {
    variable: &'static str,
    key: &'static str,
    /// Values with another name here.
    values: &'static [(&'static str, &'static str)],
    /// What is set whatever the value is.
    constant: Option<&'static str>,
    /// Whether the value is text, however it looks.
    is_text: bool,
}

/// Whether a `.env` file is read at all.
pub(crate) fn wants_dotenv(env: &BTreeMap<String, String>) -> bool {
    let set = LOAD_DOTENV.iter().find_map(|name| env.get(*name));
    let answer = set.map(|value| value.trim().to_ascii_lowercase());
    !matches!(answer.as_deref(), Some("0" | "false" | "no" | "off"))
}

/// One layer for each variable that sets a key, aliases first. A blank
/// variable counts as not set.
pub(crate) fn layers_of_variables(env: &BTreeMap<String, String>) -> Vec<Layer> {
    let variables = env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str(), None));
    layers(variables, |name| Source::Variable(name.to_owned()))
}

/// The same for the variables of a `.env` file, without those that the
/// environment sets.
pub(crate) fn layers_of_dotenv(
    path: &Path,
    file: &DotEnv,
    env: &BTreeMap<String, String>,
) -> Vec<Layer> {
    let is_free = |variable: &&DotEnvVariable| !env.contains_key(&variable.name);
    let variables = file.variables.iter().filter(is_free);
    layers(
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

fn layers<'v>(
    variables: impl Iterator<Item = (&'v str, &'v str, Option<Place>)>,
    source: impl Fn(&str) -> Source,
) -> Vec<Layer> {
    let mut aliased = Vec::new();
    let mut own = Vec::new();
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
        for alias in ALIASES.iter().filter(|alias| alias.variable == name) {
            let path = KeyPath::from_dotted(alias.key);
            let value = match alias.is_text {
                true => Value::String(value.trim().to_owned()),
                false => typed(&path, alias.translate(value)),
            };
            aliased.push(Layer::of_value(source(name), &path, value, place.clone()));
        }
    }
    aliased.append(&mut own);
    aliased
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

impl Alias {
    const fn of(variable: &'static str, key: &'static str) -> Self {
        Self {
            variable,
            key,
            values: &[],
            constant: None,
            is_text: false,
        }
    }

    const fn text(variable: &'static str, key: &'static str) -> Self {
        Self {
            is_text: true,
            ..Self::of(variable, key)
        }
    }

    const fn constant(variable: &'static str, key: &'static str, value: &'static str) -> Self {
        Self {
            constant: Some(value),
            ..Self::of(variable, key)
        }
    }

    fn translate<'v>(&self, value: &'v str) -> &'v str {
        if let Some(constant) = self.constant {
            return constant;
        }
        let named = self
            .values
            .iter()
            .find(|(theirs, _)| *theirs == value.trim());
        named.map_or(value, |(_, ours)| ours)
    }
}

/// A `.env` file that was read.
#[derive(Debug, Default)]
pub(crate) struct DotEnv {
    pub(crate) variables: Vec<DotEnvVariable>,
    /// Lines that are neither blank nor `NAME=VALUE` nor a comment.
    pub(crate) unread: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct DotEnvVariable {
    pub(crate) name: String,
    pub(crate) value: String,
    place: Place,
}

/// Reads lines of `NAME=VALUE`: with `export ` before or not, the value bare,
/// in single quotes (as it is) or in double quotes (`\n`, `\t`, `\"`, `\\`).
/// ` #` begins a comment. Nothing is substituted.
pub(crate) fn read_dotenv(text: &str) -> DotEnv {
    let text: Arc<str> = Arc::from(text);
    let mut read = DotEnv::default();
    let mut offset = 0;
    for (number, line) in text.split('\n').enumerate() {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            match assignment(content) {
                Some((name, value)) => read.variables.push(DotEnvVariable {
                    name,
                    value,
                    place: Place {
                        line: number + 1,
                        column: 1,
                        span: Range {
                            start: offset,
                            end: offset + line.trim_end().len(),
                        },
                        text: Arc::clone(&text),
                    },
                }),
                None => read.unread.push(number + 1),
            }
        }
        offset += line.len() + 1;
    }
    read
}

fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(())?;
    Some((name.to_owned(), unquoted(value.trim())?))
}

fn unquoted(value: &str) -> Option<String> {
    if let Some(rest) = value.strip_prefix('\'') {
        let (inside, _) = rest.split_once('\'')?;
        return Some(inside.to_owned());
    }
    if let Some(rest) = value.strip_prefix('"') {
        return unescaped(rest);
    }
    let bare = value.split(" #").next().unwrap_or(value);
    Some(bare.trim_end().to_owned())
}

/// The text up to the closing quote.
fn unescaped(quoted: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some(text),
            '\\' => text.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            other => text.push(other),
        }
    }
}
