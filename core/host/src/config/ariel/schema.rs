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
    let module = json!({
        "type": ["object", "null"],
        "properties": { "enabled": flag, "settings": mapping }
    });
    let encoded = json!({
        "type": ["object", "null"],
        "properties": {
            "enabled": flag,
            "provider": text,
            "model": text,
            "settings": {
                "type": ["object", "null"],
                "properties": {
                    "similarity_threshold": { "type": "number", "minimum": 0, "maximum": 1 }
                }
            }
        }
    });
    let enhancer = json!({
        "type": ["object", "null"],
        "properties": { "enabled": flag, "provider": text, "model": text, "settings": mapping }
    });
    let pipeline = json!({
        "type": ["object", "null"],
        "properties": {
            "enabled": flag,
            "retrieval_modules": { "type": ["array", "null"], "items": { "type": "string" } },
            "settings": mapping
        }
    });
    json!({
        "description": "The block of an Osprey configuration. Keys without a meaning here are \
                        named in a notice.",
        "type": ["object", "null"],
        "properties": {
            "default_max_results": { "type": ["integer", "null"], "minimum": 1, "maximum": 1000 },
            "default_search_mode": text,
            "database": { "properties": { "uri": address, "connection_string": address } },
            "search_modules": {
                "type": ["object", "null"],
                "properties": { "keyword": module, "semantic": encoded }
            },
            "enhancement_modules": {
                "type": ["object", "null"],
                "properties": { "text_embedding": enhancer }
            },
            "pipelines": {
                "type": ["object", "null"],
                "properties": { "rag": pipeline, "agent": pipeline }
            },
            "ingestion": {
                "type": ["object", "null"],
                "properties": { "adapter": text, "source_url": text }
            },
            "embedding": {
                "type": ["object", "null"],
                "properties": { "provider": text }
            },
            "reasoning": {
                "type": ["object", "null"],
                "properties": {
                    "provider": text,
                    "model_id": text,
                    "max_iterations": count,
                    "temperature": { "type": ["number", "null"], "minimum": 0, "maximum": 2 },
                    "tool_timeout_seconds": count,
                    "total_timeout_seconds": count
                }
            }
        }
    })
}
