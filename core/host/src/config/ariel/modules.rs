//! The modules and pipelines of a block.

use serde_json::{Map, Value};

use super::Translator;
use super::encoder::Provider;
use crate::config::key_path::KeyPath;

/// Modules of ARIEL that are not here, whatever dylibs there are.
const NOT_HERE: [(&str, &str); 2] = [
    (
        "hybrid",
        "the pipeline `rag` joins what `keyword` and `semantic` find",
    ),
    ("qmd_export", "there is no index outside of the store"),
];

/// The modules whose vectors are made by the block's encoder.
const ENCODED: [&str; 2] = ["semantic", "text_embedding"];

const THRESHOLD: &str = "similarity_threshold";

/// ARIEL's threshold where nothing is set.
const DEFAULT_THRESHOLD: f64 = 0.5;

impl Translator<'_> {
    /// A section of modules. Those that it does not name are off, as in
    /// ARIEL.
    pub(super) fn section(&mut self, section: &'static str, value: Value) -> Value {
        let path = KeyPath::default().child(section);
        let mut value = self.members(&path, value, Self::module);
        let Value::Object(modules) = &mut value else {
            return value;
        };
        let known = self.known;
        let mut left_off = Vec::new();
        for (name, is_on) in known.names(section) {
            if !modules.contains_key(name) && is_on && !known.is_beside(section, name) {
                modules.insert(name.to_owned(), off());
                left_off.push(format!("`{name}`"));
            }
        }
        if !left_off.is_empty() {
            let text = format!(
                "{} is not named here, and so it is off",
                left_off.join(", ")
            );
            self.notes.say(&path, text);
        }
        value
    }

    fn module(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        let section = path.0.first().map_or("", String::as_str);
        let name = path.last().to_owned();
        let not_here = NOT_HERE.iter().find(|(other, _)| *other == name);
        let is_known = self.known.has(section, &name);
        match not_here {
            Some((_, reason)) if !is_known => return self.notes.leave(path, *reason),
            _ if is_known || self.known.has_dylibs => {}
            _ => return self.notes.leave(path, "there is none of this name here"),
        }
        if (section, name.as_str()) == ("enhancement_modules", "semantic_processor") {
            return self.semantic_processor(path, value);
        }
        let is_encoded = ENCODED.contains(&name.as_str());
        let has_models = is_encoded || !is_known || self.known.is_beside(section, &name);
        let mut module = self.members(path, value, |this, path, value| match path.last() {
            "enabled" => Some(value),
            "settings" => Some(this.members(path, value, Self::setting)),
            "provider" | "model" | "models" if is_encoded => this.encoder_key(path, value),
            "provider" | "model" if has_models || value.is_null() => Some(value),
            "provider" | "model" => this.notes.leave(path, "this module asks no model"),
            _ => this.leave_out(path),
        });
        if let Value::Object(members) = &mut module {
            members.entry("enabled").or_insert(Value::Bool(false));
            if is_encoded {
                self.encode(path, members);
            }
        }
        Some(module)
    }

    /// A key that names the encoder: it is kept where that is configured.
    /// [`Self::encode`] writes it down.
    fn encoder_key(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        if value.is_null() {
            return None;
        }
        let is_text = value.is_string();
        match (&self.encoder.provider, path.last()) {
            (Provider::Configured(_), "models") => {
                let others = value.as_array().map_or(0, Vec::len).saturating_sub(1);
                if others > 0 {
                    let reason = "a module has one model: the one that `semantic` names, else the \
                                  first";
                    self.notes.say(path, reason);
                }
                None
            }
            (_, "provider" | "model") if !is_text => Some(value),
            (Provider::Configured(_), _) => None,
            (Provider::Missing(name), "provider") => {
                let text = self.encoder.replaced(name);
                self.notes.leave(path, text)
            }
            _ => self.notes.leave(path, "its provider is not configured"),
        }
    }

    /// Writes the block's encoder into a module, or says that there is
    /// another one and takes back what was said for the block's.
    fn encode(&mut self, path: &KeyPath, members: &mut Map<String, Value>) {
        let is_search = path
            .0
            .first()
            .is_some_and(|first| first == "search_modules");
        match &self.encoder.provider {
            Provider::Configured(name) => {
                members
                    .entry("provider")
                    .or_insert_with(|| Value::from(name.clone()));
                if let Some(model) = &self.encoder.model {
                    members.entry("model").or_insert_with(|| model.clone());
                }
                if is_search {
                    let settings = members
                        .entry("settings")
                        .or_insert_with(|| Value::Object(Map::new()));
                    if let Value::Object(settings) = settings {
                        settings
                            .entry(THRESHOLD)
                            .or_insert(DEFAULT_THRESHOLD.into());
                    }
                }
            }
            Provider::Missing(name) if is_search => {
                let settings = members.get_mut("settings").and_then(Value::as_object_mut);
                let threshold = settings.and_then(|settings| {
                    let number = settings.get(THRESHOLD)?.as_f64()?;
                    // Any other value is a mistake, which is reported.
                    (0.0..=1.0).contains(&number).then_some(())?;
                    settings.shift_remove(THRESHOLD)
                });
                let mut text = self.encoder.replaced(name);
                if let Some(threshold) = threshold {
                    text = format!(
                        "{text}, and `{THRESHOLD}: {threshold}`, which is for other vectors, is \
                         not used"
                    );
                    let key = path.child("settings").child(THRESHOLD);
                    self.notes
                        .leave(&key, "it is for the vectors of another encoder");
                }
                self.module_notes.push((path.last().to_owned(), text));
            }
            _ => {}
        }
    }

    /// Settings of ARIEL's modules that a plugin here has too; a module from
    /// elsewhere has its own.
    fn setting(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        let section = path.0.first().map_or("", String::as_str);
        let module = path.0.get(1).map_or("", String::as_str);
        let is_ariels = ["keyword", "semantic", "text_embedding", "rag", "agent"].contains(&module);
        let is_own = !is_ariels || self.known.is_beside(section, module);
        match (module, path.last()) {
            ("semantic", THRESHOLD) => Some(value),
            _ if is_own => Some(value),
            _ => self.leave_out(path),
        }
    }

    pub(super) fn pipeline(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        if !self.known.has("pipelines", path.last()) && !self.known.has_dylibs {
            return self.notes.leave(path, "there is none of this name here");
        }
        Some(
            self.members(path, value, |this, path, value| match path.last() {
                "enabled" => Some(value),
                "retrieval_modules" => this.retrieval_modules(path, value),
                "settings" => Some(this.members(path, value, Self::setting)),
                _ => this.leave_out(path),
            }),
        )
    }

    /// Modules that are off or unknown are left out, as ARIEL does it.
    fn retrieval_modules(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        let Value::Array(names) = value else {
            return Some(value);
        };
        let mut kept = Vec::new();
        for (position, name) in names.into_iter().enumerate() {
            let is_on = name
                .as_str()
                .is_none_or(|name| self.on.iter().any(|on| on == name));
            if is_on {
                kept.push(name);
                continue;
            }
            let is_there = name
                .as_str()
                .is_some_and(|name| self.known.has("search_modules", name));
            let reason = match is_there {
                true => format!("the search module {name} is off"),
                false => format!("there is no search module {name} here"),
            };
            self.notes.leave(&path.child(&position.to_string()), reason);
        }
        Some(Value::Array(kept)).filter(|kept| *kept != Value::Array(Vec::new()))
    }

    /// The search modules that are on when the block and the keys beside it
    /// are read.
    pub(super) fn search_modules_on(&self, out: &Map<String, Value>) -> Vec<String> {
        let section = "search_modules";
        let of_block = out.get(section).and_then(Value::as_object);
        let known = self.known.names(section).filter_map(|(name, is_on)| {
            let in_block = of_block.and_then(|modules| modules.get(name)?.get("enabled"));
            let is_on = match in_block {
                Some(enabled) if !self.known.is_beside(section, name) => *enabled == true,
                _ => is_on,
            };
            is_on.then(|| name.to_owned())
        });
        let others = of_block.into_iter().flatten().filter_map(|(name, module)| {
            let is_new = !self.known.has(section, name);
            (is_new && module.get("enabled") == Some(&Value::Bool(true))).then(|| name.clone())
        });
        known.chain(others).collect()
    }

    /// A pipeline without a list searches with every module that is on.
    pub(super) fn open_retrieval(&self, out: &mut Map<String, Value>) {
        let pipelines = out
            .entry("pipelines")
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(pipelines) = pipelines else {
            return;
        };
        for (name, _) in self.known.names("pipelines") {
            let pipeline = pipelines
                .entry(name)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(pipeline) = pipeline {
                pipeline.entry("retrieval_modules").or_insert(Value::Null);
            }
        }
    }
}

fn off() -> Value {
    Value::Object(Map::from_iter([("enabled".to_owned(), Value::Bool(false))]))
}
