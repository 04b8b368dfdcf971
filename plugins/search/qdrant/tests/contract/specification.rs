//! What a request may be, by the published specification: the subset that the
//! module uses, written down by hand.
//!
//! Source: `docs/redoc/master/openapi.json` of qdrant/qdrant at 74f3e85b9473:
//! `QueryRequest`, `Filter`, `FieldCondition`, `Match`, `RangeInterface`,
//! `HasIdCondition`, `OrderByQuery`.

use gannet_plugin::http::HttpRequest;
use serde_json::{Map, Value};

/// Checks `POST /collections/{collection_name}/points/query`.
pub fn check_query(request: &HttpRequest, body: &Value) {
    for (name, value) in &request.query {
        assert_eq!(name, "timeout", "no such parameter");
        assert!(
            value.parse::<u64>().is_ok_and(|seconds| seconds >= 1),
            "{value}"
        );
    }
    for (key, value) in object(body) {
        match key.as_str() {
            "query" => check_interface(value),
            "using" => assert!(value.is_string()),
            "filter" => check_filter(value),
            "score_threshold" => assert!(value.is_f64()),
            "limit" => assert!(value.as_u64().is_some_and(|limit| limit >= 1)),
            "with_payload" => assert!(value.is_boolean()),
            other => panic!("a query has no `{other}`"),
        }
    }
}

/// `QueryInterface`: a vector, or an order.
fn check_interface(query: &Value) {
    if let Some(vector) = query.as_array() {
        assert!(!vector.is_empty() && vector.iter().all(Value::is_number));
        return;
    }
    let order = &query["order_by"];
    assert_eq!(object(query).len(), 1, "{query}");
    assert!(
        order["key"].is_string() && ["asc", "desc"].contains(&order["direction"].as_str().unwrap())
    );
}

/// `Filter`, whose `additionalProperties` are false.
fn check_filter(filter: &Value) {
    for (key, value) in object(filter) {
        let is_known = ["must", "should", "must_not"].contains(&key.as_str());
        assert!(is_known, "a filter has no `{key}`");
        value.as_array().unwrap().iter().for_each(check_condition);
    }
}

fn check_condition(condition: &Value) {
    let parts = object(condition);
    if parts.contains_key("should") {
        return check_filter(condition);
    }
    if let Some(ids) = parts.get("has_id") {
        let is_id = |id: &Value| id.is_u64() || id.as_str().is_some_and(|id| id.len() == 36);
        assert!(ids.as_array().unwrap().iter().all(is_id), "{ids}");
        return;
    }
    assert!(parts["key"].is_string() && parts.len() == 2, "{condition}");
    match (parts.get("match"), parts.get("range")) {
        (Some(matching), None) => check_match(object(matching)),
        (None, Some(range)) => {
            for (sign, bound) in object(range) {
                assert!(["lt", "gt", "lte", "gte"].contains(&sign.as_str()));
                assert!(bound.is_number() || bound.is_string(), "{range}");
            }
        }
        _ => panic!("no condition of the subset: {condition}"),
    }
}

/// `MatchValue` takes a string, an integer or a boolean.
fn check_match(matching: &Map<String, Value>) {
    let (kind, value) = matching.iter().next().unwrap();
    assert_eq!(matching.len(), 1);
    match kind.as_str() {
        "value" => assert!(value.is_string() || value.is_i64() || value.is_boolean()),
        "text" => assert!(value.is_string()),
        other => panic!("a match has no `{other}`"),
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("not an object: {value}"))
}
