//! `api.providers` of an Osprey `config.yml`: addresses and keys, as
//! `providers`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::config::database_uri::substituted;
use crate::config::key_path::KeyPath;
use crate::config::translation::{Notes, Translation};

/// What of the file is read.
pub(crate) const KEY: &str = "api";

/// The plugin and preset of the providers that Osprey has by name.
const PLUGINS: [(&str, &str, Option<&str>); 4] = [
    ("ollama", "ollama", None),
    ("openai", "openai", Some("openai")),
    ("cborg", "openai", Some("cborg")),
    ("vllm", "openai", Some("vllm")),
];

/// Providers with a protocol of their own.
const OTHER_PROTOCOLS: [&str; 3] = ["anthropic", "google", "gemini"];

/// The name of a provider here, where names have no hyphens.
pub(crate) fn name_here(name: &str) -> String {
    name.trim().to_lowercase().replace('-', "_")
}

/// Translates the members of `api`. Keys stay references: to environment
/// variables, as they are in Osprey.
pub(crate) fn translate(api: &Value, variables: &BTreeMap<String, String>) -> Translation {
    let mut notes = Notes::default();
    let mut out = Map::new();
    let path = KeyPath::from_dotted("providers");
    let providers = api.get("providers").and_then(Value::as_object);
    for (name, provider) in providers.into_iter().flatten() {
        let path = path.child(name);
        if let Some(provider) = translate_one(&path, provider, variables, &mut notes) {
            out.insert(name_here(name), provider);
        }
    }
    let value = match out.is_empty() {
        true => Map::new(),
        false => Map::from_iter([("providers".to_owned(), Value::Object(out))]),
    };
    Translation {
        value,
        notes: notes.0,
        ..Translation::default()
    }
}

fn translate_one(
    path: &KeyPath,
    provider: &Value,
    variables: &BTreeMap<String, String>,
    notes: &mut Notes,
) -> Option<Value> {
    let name = name_here(path.last());
    let Value::Object(members) = provider else {
        return notes.leave(path, "it is not a mapping with `base_url` and `api_key`");
    };
    if OTHER_PROTOCOLS.contains(&name.as_str()) {
        return notes.leave(path, "there is no provider plugin for its protocol");
    }
    let known = PLUGINS.iter().find(|(known, ..)| *known == name);
    let (plugin, preset) = known.map_or(("openai", None), |(_, plugin, preset)| (*plugin, *preset));
    let mut settings = Map::new();
    if let Some(preset) = preset {
        settings.insert("preset".to_owned(), json!(preset));
    }
    for (key, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        let path = path.child(key);
        match (key.as_str(), value) {
            ("base_url", Value::String(url)) => match substituted(url, variables) {
                Ok(url) => {
                    let url = address(plugin, &url);
                    settings.insert("base_url".to_owned(), json!(url));
                }
                Err(reason) => {
                    notes.leave(&path, reason);
                }
            },
            ("api_key", key) => {
                if let Some(key) = reference(&path, plugin, key, notes) {
                    settings.insert("api_key".to_owned(), key);
                }
            }
            ("timeout", Value::Number(seconds)) if seconds.as_u64().is_some_and(|s| s > 0) => {
                settings.insert("timeout_seconds".to_owned(), value.clone());
            }
            ("default_model_id" | "model_id", Value::String(_)) => {
                settings.insert("model".to_owned(), value.clone());
            }
            _ => {
                notes.leave(&path, "there is nothing that it could set");
            }
        }
    }
    if known.is_none() && !settings.contains_key("base_url") {
        return notes.leave(path, "its address is not known; give it a `base_url`");
    }
    Some(json!({ "plugin": plugin, "settings": settings }))
}

/// Ollama's own form has no `/v1`.
fn address(plugin: &str, url: &str) -> String {
    let url = url.trim_end_matches('/');
    match plugin {
        "ollama" => url.trim_end_matches("/v1").to_owned(),
        _ => url.to_owned(),
    }
}

/// Where a key is: a variable, or a reference as it is written here.
fn reference(path: &KeyPath, plugin: &str, key: &Value, notes: &mut Notes) -> Option<Value> {
    let text = match key {
        Value::Object(_) => return Some(key.clone()),
        Value::String(text) => text.trim(),
        _ => "",
    };
    let braced = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    let bare = || text.strip_prefix('$');
    let variable = braced
        .or_else(bare)
        .map(|name| name.split(":-").next().unwrap_or(name));
    match variable {
        Some(name) if !name.is_empty() => Some(json!({ "env": name })),
        _ if plugin == "ollama" || text.is_empty() => None,
        _ => notes.leave(
            path,
            "a key is not written down; write `${NAME}` or `{ env: NAME }`",
        ),
    }
}
