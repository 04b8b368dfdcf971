//! Headers as the OpenAPI document describes them.

use serde_json::{Value, json};

use crate::ariel::LONGEST_KEY;

/// The header that makes a write happen once.
pub(super) fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "Of several requests with one key, the first one writes and the others \
                        get its answer; for a retry after a lost answer. A key expires after \
                        `server.idempotency_key_hours`.",
        "schema": { "type": "string", "minLength": 1, "maxLength": LONGEST_KEY },
    })
}

/// The headers that answers have.
pub(super) fn headers() -> Value {
    json!({
        "RequestId": {
            "description": "The id of the request, also in problems and in the log",
            "schema": { "type": "string" },
        },
        "RetryAfter": {
            "description": "Seconds after which the request may be repeated",
            "schema": { "type": "integer", "minimum": 0 },
        },
    })
}
