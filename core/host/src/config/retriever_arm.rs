//! The `retriever_arm:` block of OctoLLM's retriever. What has a meaning here
//! becomes keys of this configuration; the rest is named in a notice.

use serde_json::{Map, Value, json};

use super::environment::{FALSE, TRUE, mode_of_method};
use super::key_path::KeyPath;
use super::translation::{Notes, Translation};
use super::variables::{NO_SWITCH, RERANKER};

/// The key of the block.
pub(crate) const BLOCK: &str = "retriever_arm";

const RAG: &str = "pipelines.rag.settings";

/// Translates a block.
pub(crate) fn translate(block: Map<String, Value>) -> Translation {
    let mut translator = Translator::default();
    translator.members(&KeyPath::default(), block);
    Translation {
        value: translator.value,
        notes: translator.notes.0,
        ..Translation::default()
    }
}

/// The types of the keys that are read. What is said of another key goes into
/// a notice, whatever its value is.
pub(crate) fn schema() -> Value {
    let count = json!({ "type": ["integer", "null"], "minimum": 1 });
    json!({
        "description": "The block of a configuration of OctoLLM's retriever. Keys without a \
                        meaning here are named in a notice.",
        "type": ["object", "null"],
        "properties": {
            "port": { "type": ["integer", "null"], "minimum": 0, "maximum": 65535 },
            "default_limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 1000 },
            "min_relevance_score": { "type": ["number", "null"] },
            "fusion": { "properties": {
                "method": { "enum": ["rrf", "linear", null] },
                "k": { "type": ["number", "null"] }
            } },
            "synthesis": { "properties": {
                "model": { "type": ["string", "null"] },
                "max_tokens": count,
                "max_sources": count,
                "temperature": { "type": ["number", "null"], "minimum": 0, "maximum": 2 }
            } }
        }
    })
}

#[derive(Default)]
struct Translator {
    value: Map<String, Value>,
    notes: Notes,
}

impl Translator {
    fn members(&mut self, path: &KeyPath, members: Map<String, Value>) {
        for (key, value) in members {
            self.member(&path.child(&key), value);
        }
    }

    fn member(&mut self, path: &KeyPath, value: Value) {
        let flag = flag(&value);
        match (path.to_string().as_str(), value) {
            (_, Value::Null) => {}
            (
                "vector_search" | "keyword_search" | "synthesis" | "fusion",
                Value::Object(members),
            ) => self.members(path, members),
            ("reranking", Value::Object(members)) => self.reranking(path, &members),
            ("default_method", Value::String(method)) => {
                self.set("default_search_mode", Value::from(mode_of_method(&method)));
            }
            ("port", port) => self.set("server.port", port),
            ("default_limit", limit) => self.set("default_max_results", limit),
            ("min_relevance_score", least) => self.set(&rag("min_relevance"), least),
            ("fusion.method", method) => self.set(&rag("fusion.method"), method),
            ("fusion.k", k) => self.set(&rag("fusion.k"), k),
            ("synthesis.enabled" | "synthesis", _) if flag.is_some() => {
                let answer = if flag == Some(true) { "model" } else { "none" };
                self.set(&rag("answer"), answer.into());
            }
            ("synthesis.model", model) => self.set("reasoning.model_id", model),
            ("synthesis.max_tokens", most) => self.set(&rag("max_tokens"), most),
            ("synthesis.max_sources", most) => {
                self.set(&rag("budget.policy"), "top_n".into());
                self.set(&rag("budget.top_n"), most);
            }
            ("synthesis.temperature", temperature) => self.set(&rag("temperature"), temperature),
            ("reranking", switch) => self.rerank(path, &switch),
            ("vector_search.enabled", _) if flag.is_some() => {
                self.set("search_modules.semantic.enabled", flag.into());
            }
            ("keyword_search.enabled", _) if flag.is_some() => {
                self.set("search_modules.keyword.enabled", flag.into());
            }
            ("keyword_search.algorithm", Value::String(name)) if name == "bm25" => {}
            (key, _) => {
                let known = REASONS.iter().find(|(prefix, _)| key.starts_with(prefix));
                let reason = known.map_or("there is nothing that it could set", |known| known.1);
                self.notes.leave(path, reason);
            }
        }
    }

    /// One line for the whole block: none of its keys but `enabled` is read.
    fn reranking(&mut self, path: &KeyPath, members: &Map<String, Value>) {
        match members.get("enabled").filter(|switch| !switch.is_null()) {
            Some(Value::Bool(true)) => self.rerank(path, &Value::Bool(true)),
            Some(switch) => self.rerank(&path.child("enabled"), switch),
            None if members.values().all(Value::is_null) => {}
            None => self.rerank(path, &Value::Bool(true)),
        }
    }

    fn rerank(&mut self, path: &KeyPath, switch: &Value) {
        match flag(switch) {
            Some(false) => self.set(&rag("rerank"), Value::Null),
            Some(true) => drop(self.notes.leave(path, RERANKER)),
            None => drop(self.notes.leave(path, NO_SWITCH)),
        }
    }

    fn set(&mut self, key: &str, value: Value) {
        let mut keys = key.split('.').peekable();
        let mut members = &mut self.value;
        while let Some(key) = keys.next() {
            if keys.peek().is_none() {
                members.insert(key.to_owned(), value);
                return;
            }
            let below = members
                .entry(key)
                .or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(below) = below else { return };
            members = below;
        }
    }
}

/// Why keys have no meaning here. Others are simply unknown.
const REASONS: [(&str, &str); 2] = [
    (
        "vector_search",
        "vectors are in the store; the search module `qdrant` asks a collection",
    ),
    (
        "keyword_search",
        "the text index is in the store; the search module `opensearch` asks another index",
    ),
];

fn rag(setting: &str) -> String {
    format!("{RAG}.{setting}")
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if TRUE.contains(&text.to_lowercase().as_str()) => Some(true),
        Value::String(text) if FALSE.contains(&text.to_lowercase().as_str()) => Some(false),
        _ => None,
    }
}
