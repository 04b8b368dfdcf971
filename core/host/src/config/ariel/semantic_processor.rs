//! ARIEL's enhancement module that asks a chat model.

use serde_json::{Map, Value, json};

use super::{Translator, providers};
use crate::config::key_path::KeyPath;

/// Why it stays off.
const NO_PROVIDER: &str = "its provider is not configured; define it under `api.providers` or \
                           `providers`, with its address and key, both outside of this block";

impl Translator<'_> {
    /// It is on where its chat model is configured. The model may be a name or
    /// a mapping with `model_id` and `max_tokens`.
    pub(super) fn semantic_processor(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        let Value::Object(mut members) = value else {
            return Some(value);
        };
        let mut module = Map::new();
        let is_on = members.shift_remove("enabled").unwrap_or(false.into());
        let provider = members.shift_remove("provider");
        let provider = provider.as_ref().and_then(Value::as_str);
        let provider = provider.map(providers::name_here);
        let provider = provider.filter(|name| self.known.has("providers", name));
        if is_on == true && provider.is_none() {
            self.notes.say(path, format!("it stays off: {NO_PROVIDER}"));
        }
        let is_off = is_on == true && provider.is_none();
        module.insert(
            "enabled".to_owned(),
            if is_off { false.into() } else { is_on },
        );
        let settings = members.shift_remove("settings");
        let mut settings = settings.map_or_else(Map::new, |settings| match settings {
            Value::Object(settings) => settings,
            _ => Map::new(),
        });
        let model = members
            .shift_remove("model")
            .or_else(|| settings.shift_remove("model"));
        let (model, tokens) = model.map_or((None, None), read_model);
        if let (Some(provider), false) = (provider, is_off) {
            module.insert("provider".to_owned(), provider.into());
            module.extend(model.map(|model| ("model".to_owned(), model)));
        }
        if let Some(tokens) = tokens {
            module.insert("settings".to_owned(), json!({ "max_tokens": tokens }));
        }
        for key in members.keys().chain(settings.keys()) {
            self.leave_out(&path.child(key));
        }
        Some(Value::Object(module))
    }
}

/// The name of a model, and how many tokens a reply may have.
fn read_model(model: Value) -> (Option<Value>, Option<Value>) {
    match model {
        Value::Object(mut members) => {
            let tokens = members.shift_remove("max_tokens");
            let tokens = tokens.filter(|tokens| tokens.as_u64().is_some_and(|number| number >= 32));
            (members.shift_remove("model_id"), tokens)
        }
        Value::String(name) => (Some(Value::String(name)), None),
        _ => (None, None),
    }
}
