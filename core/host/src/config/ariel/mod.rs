//! The `ariel:` block of an Osprey `config.yml`, with what belongs to it
//! beside the block: `api.providers` and `services.postgresql`. Keys that have
//! a meaning here have the same names here, so that reading the block is
//! mostly a question of what to leave out. Whatever is left out is named in a
//! line.

mod database;
mod encoder;
mod modules;
pub(crate) mod providers;
mod schema;
mod semantic_processor;

use serde_json::{Map, Value, json};

use super::key_path::KeyPath;
use super::known::Known;
use super::translation::{Notes, Translation};
use encoder::Encoder;
pub(crate) use schema::schema;

/// The key of the block.
pub(crate) const BLOCK: &str = "ariel";

/// What of `services` belongs to the block.
pub(crate) const POSTGRESQL: &str = "services.postgresql";

const MODE: &str = "default_search_mode";

/// Translates a block, which refers to what is known beside and before it.
/// `postgresql` is `services.postgresql`.
pub(crate) fn translate(
    block: Map<String, Value>,
    postgresql: Option<&Value>,
    known: &Known,
) -> Translation {
    let mut translator = Translator {
        encoder: Encoder::of(&block, known),
        known,
        on: Vec::new(),
        notes: Notes::default(),
        module_notes: Vec::new(),
    };
    let store = database::translate(block.get("database"), postgresql, &mut translator.notes);
    let value = translator.block(block);
    Translation {
        value,
        store,
        notes: translator.notes.0,
        module_notes: translator.module_notes,
    }
}

/// Why keys have no meaning here. Others are simply unknown.
const REASONS: [(&str, &str); 6] = [
    ("cache_embeddings", "vectors are always kept"),
    ("expand_by_default", "every question is expanded"),
    ("embedding_dimension", "the provider knows its dimension"),
    (
        "write",
        "set `ingestion.publish_to`, and `write` in the settings of that adapter",
    ),
    (
        "proxy_url",
        "name the proxy and its server in `outbound.proxies`",
    ),
    (
        "verify_ssl",
        "adapters have settings of their own, see `ingestion.adapters`",
    ),
];

/// The address of an entry for people; `server.entry_url` here.
const ENTRY_URL: &str = "entry_url_template";

struct Translator<'k> {
    known: &'k Known,
    encoder: Encoder,
    /// The search modules that are on, once they were read.
    on: Vec<String>,
    notes: Notes,
    module_notes: Vec<(String, String)>,
}

impl Translator<'_> {
    fn block(&mut self, mut block: Map<String, Value>) -> Map<String, Value> {
        let rag_is_off = block
            .get("pipelines")
            .and_then(|pipelines| pipelines.pointer("/rag/enabled"))
            .is_some_and(|enabled| enabled == false);
        let mode = block.shift_remove(MODE);
        block.shift_remove("database");
        let mut out = Map::new();
        if let Some(url) = block.shift_remove(ENTRY_URL) {
            out.extend(self.server(url));
        }
        // Pipelines refer to search modules.
        if let Some(modules) = block.shift_remove("search_modules") {
            let modules = self.section("search_modules", modules);
            out.insert("search_modules".to_owned(), modules);
        }
        self.on = self.search_modules_on(&out);
        for (key, value) in block {
            let path = KeyPath::default().child(&key);
            if let Some(value) = self.top(&path, value) {
                out.insert(key, value);
            }
        }
        self.open_retrieval(&mut out);
        if let Some(provider) = self.encoder.provider_settings() {
            out.insert("providers".to_owned(), provider);
        }
        let mode = mode.and_then(|mode| self.mode(mode));
        if let Some(mode) = mode.or(rag_is_off.then(|| Value::from("keyword"))) {
            out.insert(MODE.to_owned(), mode);
        }
        out
    }

    /// ARIEL gives entries no address where it cannot use the template.
    fn server(&mut self, template: Value) -> Option<(String, Value)> {
        let is_usable = |text: &str| text.starts_with("http") && text.contains("{entry_id}");
        match template.as_str().is_some_and(is_usable) {
            true => Some(("server".to_owned(), json!({ "entry_url": template }))),
            false => {
                let reason = "it is not an address with `{entry_id}`";
                self.notes.leave(&KeyPath::from_dotted(ENTRY_URL), reason);
                None
            }
        }
    }

    fn top(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match path.last() {
            "default_max_results" => Some(value),
            "enhancement_modules" => Some(self.section("enhancement_modules", value)),
            "pipelines" => Some(self.members(path, value, Self::pipeline)),
            "ingestion" => Some(self.members(path, value, Self::ingestion)),
            "vocabulary" => Some(self.members(path, value, Self::vocabulary)),
            "embedding" => Some(self.members(path, value, Self::embedding)),
            "reasoning" => Some(self.reasoning(path, value)),
            _ => self.leave_out(path),
        }
    }

    /// Names of modes are compared without case in ARIEL. Comes after the
    /// modules, so that it is known which of them are left out.
    fn mode(&mut self, value: Value) -> Option<Value> {
        let Value::String(name) = &value else {
            return Some(value);
        };
        let name = name.trim().to_lowercase();
        let is_left_out = |section| self.notes.has_left_out(section, &name);
        if is_left_out("search_modules") || is_left_out("pipelines") {
            let stays = &self.known.default_mode;
            let reason = format!("there is no `{name}` here; it stays `{stays}`");
            return self.notes.leave(&KeyPath::from_dotted(MODE), reason);
        }
        Some(Value::String(name))
    }

    fn ingestion(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match (path.last(), value.as_str()) {
            ("source_url" | "poll_interval_seconds", _) | ("adapter", None) => Some(value),
            ("watch", _) => Some(self.members(path, value, Self::watch)),
            // ARIEL's default, which is not the name of any of its adapters.
            ("adapter", Some("generic")) => Some(Value::from("generic_json")),
            ("adapter", Some(name)) if self.known.has("adapters", name) => Some(value),
            ("adapter", Some(name)) => {
                let stays = &self.known.default_adapter;
                let reason = format!("there is no adapter `{name}` here; it stays `{stays}`");
                self.notes.leave(path, reason)
            }
            _ => self.leave_out(path),
        }
    }

    fn vocabulary(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match path.last() {
            "enabled"
            | "path"
            | "expand_modes"
            | "canonical_to_acronym"
            | "canonical_to_shorthand" => Some(value),
            _ => self.leave_out(path),
        }
    }

    fn watch(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match path.last() {
            "require_initial_ingest"
            | "max_consecutive_failures"
            | "backoff_multiplier"
            | "max_interval_seconds" => Some(value),
            _ => self.leave_out(path),
        }
    }

    fn embedding(&mut self, path: &KeyPath, value: Value) -> Option<Value> {
        match (path.last(), value.as_str()) {
            ("provider", Some(name)) => {
                let name = providers::name_here(name);
                match self.known.has("providers", &name) {
                    true => Some(Value::String(name)),
                    false => self.notes.leave(path, self.encoder.replaced(&name)),
                }
            }
            ("provider", None) => Some(value),
            _ => self.leave_out(path),
        }
    }

    /// Its provider is defined outside of the block, with address and key.
    fn reasoning(&mut self, path: &KeyPath, value: Value) -> Value {
        let named = value.get("provider").and_then(Value::as_str);
        let has_model = value.get("model_id").is_some_and(Value::is_string);
        // ARIEL's default.
        let named = named.or(has_model.then_some("openai"));
        let provider = named.map(providers::name_here);
        let is_known = provider
            .as_ref()
            .is_some_and(|provider| self.known.has("providers", provider));
        let mut reasoning = self.members(path, value, |this, path, value| match path.last() {
            "max_iterations" | "temperature" | "tool_timeout_seconds" | "total_timeout_seconds" => {
                Some(value)
            }
            "provider" | "model_id" if is_known || !value.is_string() => Some(value),
            "provider" | "model_id" => {
                let reason = "its provider is not configured; define it under `api.providers` or \
                              `providers`, with its address and key, both outside of this block";
                this.notes.leave(path, reason)
            }
            _ => this.leave_out(path),
        });
        if let (true, Some(provider), Value::Object(members)) = (is_known, provider, &mut reasoning)
        {
            members.insert("provider".to_owned(), Value::String(provider));
        }
        reasoning
    }

    /// Translates each member of a mapping. What is not a mapping stays, for
    /// the check of types to find.
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
        let reason = known.map_or("there is nothing that it could set", |(_, reason)| reason);
        self.notes.leave(path, reason)
    }
}
