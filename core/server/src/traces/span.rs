//! A span that has ended.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::context::SpanContext;

/// What sort of work a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// Work within this process.
    Internal = 1,
    /// A request that this process answers.
    Server = 2,
}

/// A span that has ended.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(super) context: SpanContext,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) started: SystemTime,
    pub(super) took: Duration,
    /// Names and values: texts, numbers and truth values.
    pub(super) attributes: Vec<(String, Value)>,
    /// Whether the work failed.
    pub(super) is_error: bool,
}

impl Span {
    /// The span as OTLP writes it in JSON: 64-bit numbers are strings.
    pub(super) fn to_json(&self) -> Value {
        let ended = self.started + self.took;
        let attributes = self.attributes.iter();
        let attributes = attributes.filter_map(|(name, value)| attribute(name, value));
        let mut span = json!({
            "traceId": self.context.trace_id,
            "spanId": self.context.span_id,
            "name": self.name,
            "kind": self.kind as u8,
            "startTimeUnixNano": nanoseconds(self.started),
            "endTimeUnixNano": nanoseconds(ended),
            "attributes": attributes.collect::<Vec<_>>(),
            // 0: not set; 2: error.
            "status": if self.is_error { json!({ "code": 2 }) } else { json!({}) },
        });
        if let Some(parent) = &self.context.parent_id {
            span["parentSpanId"] = parent.as_str().into();
        }
        if !self.context.state.is_empty() {
            span["traceState"] = self.context.state.as_str().into();
        }
        span
    }
}

/// An attribute as OTLP writes it; `None` for lists and objects.
pub(super) fn attribute(name: &str, value: &Value) -> Option<Value> {
    let value = match value {
        Value::String(text) => json!({ "stringValue": text }),
        Value::Bool(is) => json!({ "boolValue": is }),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => json!({ "intValue": whole.to_string() }),
            None => json!({ "doubleValue": number }),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(json!({ "key": name, "value": value }))
}

fn nanoseconds(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_written_as_otlp_has_it() {
        let span = Span {
            context: SpanContext {
                trace_id: "0af7651916cd43dd8448eb211c80319c".to_owned(),
                span_id: "b7ad6b7169203331".to_owned(),
                parent_id: Some("00f067aa0ba902b7".to_owned()),
                state: "vendor=1".to_owned(),
                is_sampled: true,
            },
            name: "GET /api/entries".to_owned(),
            kind: SpanKind::Server,
            started: UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            took: Duration::from_micros(1500),
            attributes: vec![
                ("http.request.method".to_owned(), "GET".into()),
                ("http.response.status_code".to_owned(), 503.into()),
                ("score".to_owned(), 0.5.into()),
                ("degraded".to_owned(), true.into()),
                ("list".to_owned(), json!([1])),
            ],
            is_error: true,
        };
        let expected = json!({
            "traceId": "0af7651916cd43dd8448eb211c80319c",
            "spanId": "b7ad6b7169203331",
            "parentSpanId": "00f067aa0ba902b7",
            "traceState": "vendor=1",
            "name": "GET /api/entries",
            "kind": 2,
            "startTimeUnixNano": "1700000000000000000",
            "endTimeUnixNano": "1700000000001500000",
            "attributes": [
                { "key": "http.request.method", "value": { "stringValue": "GET" } },
                { "key": "http.response.status_code", "value": { "intValue": "503" } },
                { "key": "score", "value": { "doubleValue": 0.5 } },
                { "key": "degraded", "value": { "boolValue": true } },
            ],
            "status": { "code": 2 },
        });
        assert_eq!(span.to_json(), expected);
    }
}
