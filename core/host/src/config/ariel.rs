//! The `ariel:` block of an Osprey `config.yml`. Its keys that have a meaning
//! here have the same names here, so that reading it is mostly a question of
//! what to leave out. Whatever is left out is told in a line.

use serde_json::{Map, Value, json};

use super::key_path::KeyPath;
use super::model::Config;

/// The key of the block.
pub(crate) const BLOCK: &str = "ariel";

/// The key of its database.
pub(crate) const DATABASE_URI: &str = "ariel.database.uri";

const MODE: &str = "default_search_mode";

/// What a block sets here, and what has no meaning here.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    pub(crate) value: Map<String, Value>,
    /// Its database, as the store.
    pub(crate) store: Option<Value>,
    /// Keys within the block, and why each is left out.
    pub(crate) left_out: Vec<(KeyPath, String)>,
}

/// Translates a block, which belongs to the modules, pipelines, adapters and
/// providers of the built-in configuration.
pub(crate) fn translate(block: Map<String, Value>) -> Translation {
    let mut translator = Translator {
        known: Config::default(),
        store: None,
        left_out: Vec::new(),
    };
    let value = translator.block(block);
    Translation {
        value,
        store: translator.store,
        left_out: translator.left_out,
    }
}

/// Why keys have no meaning here. Others are simply unknown.
const REASONS: [(&str, &str); 10] = [
    ("cache_embeddings", "vectors are always stored"),
    ("entry_url_template", "entries are cited by id"),
    ("vocabulary", "queries are not expanded"),
    ("embedding_dimension", "the provider knows its dimension"),
    ("models", "the provider has one model"),
    (
        "poll_interval_seconds",
        "sources are read when `gannet ingest` is run",
    ),
    ("watch", "sources are read when `gannet ingest` is run"),
    ("write", "facility logbooks are not written to"),
    (
        "proxy_url",
        "adapters have settings of their own, see `ingestion.adapters`",
    ),
    (
        "verify_ssl",
        "adapters have settings of their own, see `ingestion.adapters`",
    ),
];

/// Settings of ARIEL's modules that a plugin here has too.
const SETTINGS: [(&str, &str); 1] = [("semantic", "similarity_threshold")];

/// What of ARIEL's database is read.
const DATABASE: [&str; 5] = [
    "uri",
    "connection_string",
    "username",
    "port_host",
    "database_name",
];

struct Translator {
    known: Config,
    store: Option<Value>,
    left_out: Vec<(KeyPath, String)>,
}

impl Translator {
    fn block(&mut self, mut block: Map<String, Value>) -> Map<String, Value> {
        let rag_is_off = block
            .get("pipelines")
            .and_then(|pipelines| pipelines.pointer("/rag/enabled"))
            .is_some_and(|enabled| enabled == false);
        let mode = block.shift_remove(MODE);
        let mut out = Map::new();
        for (key, value) in block {
            let path = KeyPath::default().child(&key);
            if let Some(value) = self.top(&path, value) {
                out.insert(key, value);
            }
        }
        self.open_retrieval(&mut out);
        let mode = mode.and_then(|mode| self.mode(mode));
        if let Some(mode) = mode.or(rag_is_off.then(|| Value::from("keyword"))) {
            out.insert(MODE.to_owned(), mode);
        }
        out
    }

    fn top(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match path.last() {
            "default_max_results" => Some(value),
            "database" => {
                self.database(path, value);
                None
            }
            "search_modules" | "pipelines" | "enhancement_modules" => {
                Some(self.members(path, value, Self::module))
            }
            "ingestion" => Some(self.members(path, value, Self::ingestion)),
            "embedding" => Some(self.members(path, value, Self::embedding)),
            "reasoning" => Some(self.members(path, value, Self::reasoning)),
            _ => self.leave_out(path),
        }
    }

    /// ARIEL's database is searched as it is, until the configuration says
    /// otherwise. Without an address ARIEL makes one of its parts.
    fn database(&mut self, path: &KeyPath, value: Value) {
        let Value::Object(members) = value else {
            self.leave(path, "it is not a mapping with a `uri`".to_owned());
            return;
        };
        let part = |key: &str, default: &str| match members.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => default.to_owned(),
        };
        let uri = members
            .get("uri")
            .or_else(|| members.get("connection_string"))
            .filter(|uri| !uri.is_null() && *uri != "")
            .cloned()
            .unwrap_or_else(|| {
                Value::from(format!(
                    "postgresql://{}:${{ARIEL_DB_PASSWORD:-ariel}}@localhost:{}/{}",
                    part("username", "ariel"),
                    part("port_host", "5432"),
                    part("database_name", "ariel"),
                ))
            });
        self.store = Some(json!({ "kind": "postgres", "uri": uri, "adopt": "ariel" }));
        for key in members
            .keys()
            .filter(|key| !DATABASE.contains(&key.as_str()))
        {
            self.leave_out(&path.child(key));
        }
    }

    /// Names of modes are compared without case in ARIEL. Comes after the
    /// modules, so that it is known which of them are left out.
    fn mode(&mut self, value: Value) -> Option<Value> {
        let Value::String(name) = &value else {
            return Some(value);
        };
        let name = name.trim().to_lowercase();
        let is_left_out = |section| {
            self.left_out
                .iter()
                .any(|(path, _)| path.0 == [section, name.as_str()])
        };
        if is_left_out("search_modules") || is_left_out("pipelines") {
            let stays = &self.known.default_search_mode;
            let reason = format!("there is no `{name}` here; it stays `{stays}`");
            return self.leave(&KeyPath::from_dotted(MODE), reason);
        }
        Some(Value::String(name))
    }

    fn module(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        let section = path.0.first().map_or("", String::as_str);
        let name = path.last();
        let is_known = match section {
            "search_modules" => self.known.search_modules.contains_key(name),
            "pipelines" => self.known.pipelines.contains_key(name),
            _ => self.known.enhancement_modules.contains_key(name),
        };
        if !is_known {
            return self.leave(path, "there is none of this name".to_owned());
        }
        let has_provider = value
            .get("provider")
            .and_then(Value::as_str)
            .is_none_or(|provider| self.known.providers.contains_key(provider));
        let key_of_module = move |this: &mut Self, path: &KeyPath, value: Value| match path.last() {
            "enabled" => Some(value),
            "retrieval_modules" => this.retrieval_modules(path, value),
            "settings" => Some(this.members(path, value, Self::setting)),
            "provider" => this.provider(path, value),
            "model" if !has_provider => this.leave(path, "its provider is ignored".to_owned()),
            "model" => Some(value),
            _ => this.leave_out(path),
        };
        Some(self.members(path, value, key_of_module))
    }

    fn retrieval_modules(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        let Value::Array(names) = value else {
            return Some(value);
        };
        let mut kept = Vec::new();
        for (position, name) in names.into_iter().enumerate() {
            let is_known = name
                .as_str()
                .is_none_or(|name| self.known.search_modules.contains_key(name));
            if is_known {
                kept.push(name);
            } else {
                let reason = format!("there is no search module {name} here");
                self.left_out
                    .push((path.child(&position.to_string()), reason));
            }
        }
        Some(Value::Array(kept)).filter(|kept| *kept != Value::Array(Vec::new()))
    }

    fn setting(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        let module = path.0.get(1).map_or("", String::as_str);
        if SETTINGS.contains(&(module, path.last())) {
            return Some(value);
        }
        self.leave_out(path)
    }

    fn ingestion(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match (path.last(), value.as_str()) {
            ("source_url", _) | ("adapter", None) => Some(value),
            // ARIEL's default, which is not the name of any of its adapters.
            ("adapter", Some("generic")) => Some(Value::from("generic_json")),
            ("adapter", Some(name)) if self.known.ingestion.adapters.contains_key(name) => {
                Some(value)
            }
            ("adapter", Some(name)) => {
                let stays = &self.known.ingestion.adapter;
                let reason = format!("there is no adapter `{name}` here; it stays `{stays}`");
                self.leave(path, reason)
            }
            _ => self.leave_out(path),
        }
    }

    fn embedding(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match path.last() {
            "provider" => self.provider(path, value),
            _ => self.leave_out(path),
        }
    }

    /// Its provider is named outside of the block, with address and key.
    fn reasoning(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match path.last() {
            "max_iterations" | "temperature" | "tool_timeout_seconds" | "total_timeout_seconds" => {
                Some(value)
            }
            "provider" | "model_id" => {
                let reason = "name it under `providers`, with its address and key, and in \
                              `reasoning`, both outside of this block";
                self.leave(path, reason.to_owned())
            }
            _ => self.leave_out(path),
        }
    }

    fn provider(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match value.as_str() {
            Some(name) if !self.known.providers.contains_key(name) => {
                let stays = &self.known.embedding.provider;
                let reason =
                    format!("there is no provider `{name}` here; vectors are made by `{stays}`");
                self.leave(path, reason)
            }
            _ => Some(value),
        }
    }

    /// A pipeline without a list searches with every module that is on.
    fn open_retrieval(&self, out: &mut Map<String, Value>) {
        let pipelines = out
            .entry("pipelines")
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(pipelines) = pipelines else {
            return;
        };
        for name in self.known.pipelines.keys() {
            let pipeline = pipelines
                .entry(name.clone())
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(pipeline) = pipeline {
                pipeline.entry("retrieval_modules").or_insert(Value::Null);
            }
        }
    }

    /// Translates each member of a mapping. What is no mapping stays, for the
    /// check of types to find.
    fn members(
        &mut self,
        path: &KeyPath,
        value: Value,
        translate: impl Fn(&mut Self, &KeyPath, Value) -> Option<Value>,
    ) -> Value {
        let Value::Object(members) = value else {
            return value;
        };
        let mut out = Map::new();
        for (key, member) in members {
            if let Some(member) = translate(self, &path.child(&key), member) {
                out.insert(key, member);
            }
        }
        Value::Object(out)
    }

    fn leave_out(&mut self, path: &KeyPath) -> Option<Value> {
        let known = REASONS.iter().find(|(key, _)| *key == path.last());
        let reason = known.map_or("it has no effect", |(_, reason)| reason);
        self.leave(path, reason.to_owned())
    }

    fn leave(&mut self, path: &KeyPath, reason: String) -> Option<Value> {
        self.left_out.push((path.clone(), reason));
        None
    }
}
