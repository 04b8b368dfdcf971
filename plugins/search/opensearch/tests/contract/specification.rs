//! What a request may be, by the published specifications: the subset that the
//! module uses, written down by hand.
//!
//! Sources: `spec/namespaces/_core.yaml`, `spec/schemas/_common.query_dsl.yaml`
//! and `spec/schemas/_common.yaml` of opensearch-project/opensearch-api-specification
//! at fbe9edebac41; `specification/_types/query_dsl/{term,fulltext,compound}.ts`
//! and `specification/_global/search/SearchRequest.ts` of
//! elastic/elasticsearch-specification at 013690c06796. Where the two differ,
//! what both allow.

use serde_json::Value;

/// Checks the body of `POST /{index}/_search`.
pub fn check_search(body: &Value) {
    for (key, value) in object(body) {
        match key.as_str() {
            "query" => check_query(value),
            "size" => assert!(value.as_u64().is_some_and(|size| size <= 10_000), "{body}"),
            "timeout" => check_duration(value.as_str().unwrap()),
            "track_total_hits" => assert!(value.is_boolean() || value.is_u64()),
            "sort" => value.as_array().unwrap().iter().for_each(check_sort),
            other => panic!("a search has no `{other}`"),
        }
    }
}

/// `Duration`: `^(?:(-1)|([0-9\.]+)(?:d|h|m|s|ms|micros|nanos))$`.
fn check_duration(text: &str) {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_unit = ["d", "h", "m", "s", "ms", "micros", "nanos"].contains(&unit);
    assert!(is_unit && unit.len() < text.len(), "no duration: {text}");
}

fn check_sort(sort: &Value) {
    let (_, options) = single(sort);
    for (key, value) in object(options) {
        match key.as_str() {
            "order" => assert!(value == "asc" || value == "desc"),
            "unmapped_type" => assert!(value.is_string()),
            other => panic!("a sort has no `{other}`"),
        }
    }
}

/// `QueryContainer`: one kind of query.
fn check_query(query: &Value) {
    let (kind, body) = single(query);
    match kind {
        "match_all" | "match_none" => assert!(object(body).is_empty()),
        "bool" => check_bool(body),
        "ids" => {
            assert_eq!(object(body).keys().collect::<Vec<_>>(), ["values"]);
            assert!(
                body["values"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(Value::is_string)
            );
        }
        "match" | "match_phrase" | "match_phrase_prefix" => {
            let (_, text) = single(body);
            assert!(text.is_string(), "{query}");
        }
        "term" | "wildcard" => {
            let (_, options) = single(body);
            for (key, value) in object(options) {
                match key.as_str() {
                    "value" => assert!(value.is_string(), "{query}"),
                    "case_insensitive" => assert!(value.is_boolean(), "{query}"),
                    other => panic!("`{kind}` has no `{other}`"),
                }
            }
        }
        "range" => {
            let (_, bounds) = single(body);
            for (key, value) in object(bounds) {
                assert!(
                    ["gt", "gte", "lt", "lte"].contains(&key.as_str()),
                    "{query}"
                );
                assert!(value.is_number() || value.is_string(), "{query}");
            }
        }
        other => panic!("`{other}` is no query of the subset"),
    }
}

fn check_bool(body: &Value) {
    for (key, value) in object(body) {
        match key.as_str() {
            "must" | "must_not" | "should" | "filter" => {
                value.as_array().unwrap().iter().for_each(check_query);
            }
            "minimum_should_match" => assert!(value.is_i64()),
            other => panic!("`bool` has no `{other}`"),
        }
    }
}

fn object(value: &Value) -> &serde_json::Map<String, Value> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("not an object: {value}"))
}

/// The one key of an object and its value.
pub fn single(value: &Value) -> (&str, &Value) {
    let object = object(value);
    assert_eq!(object.len(), 1, "one key is expected: {value}");
    let (key, value) = object.iter().next().unwrap();
    (key, value)
}
