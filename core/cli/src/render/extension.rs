//! An answer with what its pipeline tells beside it, as JSON.

use gannet_core::SearchResult;
use serde_json::{Map, Value, json};

/// The answer of a result between the keys of what was asked and those of an
/// extension, as one object.
pub fn with_extension(asked: Value, result: &SearchResult, extension: Value) -> Value {
    let answer = json!({
        "answer": result.answer,
        "answer_status": result.answer_status,
        "citations": result.citations,
        "diagnostics": result.diagnostics,
        "degraded": result.degraded,
        "took_ms": result.took_ms,
    });
    let objects = [asked, answer, extension].into_iter();
    let keys = objects.filter_map(|object| match object {
        Value::Object(keys) => Some(keys),
        _ => None,
    });
    Value::Object(keys.flatten().collect::<Map<_, _>>())
}
