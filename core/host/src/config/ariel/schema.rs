//! The JSON Schema of the block: the types of the keys that are read.

use serde_json::{Value, json};

/// What is said of a key that is not here goes into a notice, whatever its
/// value is.
pub(crate) fn schema() -> Value {
    let flag = json!({ "type": ["boolean", "null"] });
    let text = json!({ "type": ["string", "null"] });
    let count = json!({ "type": ["integer", "null"], "minimum": 1 });
    let mapping = json!({ "type": ["object", "null"] });
    let address = json!({
        "type": ["string", "object", "null"],
        "properties": { "env": { "type": "string" }, "file": { "type": "string" } },
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1
    });
    let module = object(json!({ "enabled": flag, "settings": mapping }));
    let encoded = object(json!({
        "enabled": flag,
        "provider": text,
        "model": text,
        "settings": object(json!({
            "similarity_threshold": { "type": "number", "minimum": 0, "maximum": 1 }
        }))
    }));
    let enhancer = object(json!({
        "enabled": flag, "provider": text, "model": text, "settings": mapping
    }));
    let pipeline = object(json!({
        "enabled": flag,
        "retrieval_modules": { "type": ["array", "null"], "items": { "type": "string" } },
        "settings": mapping
    }));
    let reasoning = object(json!({
        "provider": text,
        "model_id": text,
        "max_iterations": count,
        "temperature": { "type": ["number", "null"], "minimum": 0, "maximum": 2 },
        "tool_timeout_seconds": count,
        "total_timeout_seconds": count
    }));
    let watch = object(json!({
        "require_initial_ingest": flag,
        "max_consecutive_failures": count,
        "backoff_multiplier": { "type": ["number", "null"], "minimum": 1 },
        "max_interval_seconds": count
    }));
    json!({
        "description": "The block of an Osprey configuration. Keys without a meaning here are \
                        named in a notice.",
        "type": ["object", "null"],
        "properties": {
            "default_max_results": { "type": ["integer", "null"], "minimum": 1, "maximum": 1000 },
            "default_search_mode": text,
            "entry_url_template": text,
            "database": { "properties": { "uri": address, "connection_string": address } },
            "search_modules": object(json!({ "keyword": module, "semantic": encoded })),
            "enhancement_modules": object(json!({ "text_embedding": enhancer })),
            "pipelines": object(json!({ "rag": pipeline, "agent": pipeline })),
            "ingestion": object(json!({
                "adapter": text,
                "source_url": text,
                "poll_interval_seconds": count,
                "watch": watch
            })),
            "vocabulary": object(json!({
                "enabled": flag,
                "path": text,
                "expand_modes": { "type": ["array", "null"], "items": { "type": "string" } },
                "canonical_to_acronym": flag,
                "canonical_to_shorthand": flag
            })),
            "embedding": object(json!({ "provider": text })),
            "reasoning": reasoning
        }
    })
}

/// The schema of a mapping with these keys, or of null, which is what YAML
/// reads where a key has no value.
fn object(properties: Value) -> Value {
    json!({ "type": ["object", "null"], "properties": properties })
}
