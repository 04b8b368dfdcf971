//! The Retriever's request and response, over the whole host; with the cases
//! of its source.

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::{HostError, RetrieverMethod, RetrieverRequest, RetrieverResponse};
use gannet_tests::{Host, cases};
use serde_json::{Value, json};

/// A host with a few entries and their vectors.
async fn fixture() -> Host {
    let host = Host::new().await;
    let record = |id: &str, day: u32, shift: &str, severity: f64, text: &str| {
        json!({
            "id": id,
            "timestamp": format!("2024-01-{day:02}T08:00:00Z"),
            "text": text,
            "metadata": { "shift": shift, "severity": severity },
        })
    };
    let records = [
        record(
            "A",
            3,
            "Owl",
            9.5,
            "The cavity tripped on reflected power. It was reset.",
        ),
        record(
            "B",
            5,
            "Day",
            4.0,
            "Leak at the flange of sector 7, tightened.",
        ),
        record(
            "C",
            7,
            "Day",
            9.0,
            "The cavity tripped again because of a worn circulator.",
        ),
    ];
    host.ingest_lines(&records).await;
    host.enhance().await;
    host
}

/// The response to a request, of all relevance where it names no least one.
async fn asked(host: &Host, mut body: Value) -> RetrieverResponse {
    if body.get("min_relevance_score").is_none() {
        body["min_relevance_score"] = json!(0.0);
    }
    let request: RetrieverRequest = serde_json::from_value(body).unwrap();
    host.gannet.retrieve(request, DEFAULT_TENANT).await.unwrap()
}

fn sources(response: &RetrieverResponse) -> Vec<&str> {
    let results = response.results.iter();
    results.map(|result| result.source.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_method_asks_its_modules_and_says_so() {
    let host = fixture().await;
    for method in ["vector", "keyword", "hybrid"] {
        let body = json!({ "query": "why did the cavity trip?", "method": method, "limit": 5 });
        let response = asked(&host, body).await;
        assert_eq!(json!(response.method_used), method);
        assert!(response.total_results > 0 && response.total_results <= 5);
        assert_eq!(response.total_results, response.results.len());
        let ranks: Vec<usize> = response.results.iter().map(|result| result.rank).collect();
        assert_eq!(ranks, (1..=ranks.len()).collect::<Vec<_>>());
        let scores: Vec<f64> = response.results.iter().map(|r| r.relevance_score).collect();
        let is_probability = |score: &f64| (0.0..=1.0).contains(score);
        assert!(scores.iter().all(is_probability), "{method}: {scores:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synthesis_cites_results_by_their_place() {
    let host = fixture().await;
    let response = asked(&host, json!({ "query": "why did the cavity trip?" })).await;
    let synthesis = response.synthesis.unwrap();
    assert!(!synthesis.contains("[#"), "{synthesis}");
    let cited = (1..=response.citations.len()).any(|n| synthesis.contains(&format!("[{n}]")));
    assert!(cited, "{synthesis}");
    assert_eq!(response.citations.len(), response.results.len());

    let without = json!({ "query": "cavity", "synthesize": false, "include_citations": false });
    let response = asked(&host, without).await;
    assert_eq!(response.synthesis, None);
    assert_eq!(response.citations, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_values_lists_bounds_and_comparisons() {
    let host = fixture().await;
    let found = async |filters: Value| {
        let body = json!({ "query": "cavity flange", "method": "keyword", "filters": filters });
        let response = asked(&host, body).await;
        let mut found: Vec<String> = sources(&response).into_iter().map(str::to_owned).collect();
        found.sort();
        found.join(" ")
    };
    assert_eq!(found(json!({ "shift": "Owl" })).await, "A");
    assert_eq!(found(json!({ "shift": ["Owl", "Day"] })).await, "A B C");
    assert_eq!(found(json!({ "date_from": "2024-01-05" })).await, "B C");
    assert_eq!(found(json!({ "published_after": "2024-01-06" })).await, "C");
    assert_eq!(found(json!({ "severity": ">= 9.0" })).await, "A C");
    assert_eq!(
        found(json!({ "severity": ">= 9.0", "shift": "Day" })).await,
        "C"
    );
    assert_eq!(found(json!({})).await, "A B C");
    let refused: RetrieverRequest =
        serde_json::from_value(json!({ "query": "x", "filters": { "shift": { "a": 1 } } }))
            .unwrap();
    let error = host
        .gannet
        .retrieve(refused, DEFAULT_TENANT)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("filters.shift"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_least_score_keeps_what_is_relevant_and_nothing_else() {
    let host = fixture().await;
    for method in ["vector", "keyword", "hybrid"] {
        let found = async |query: &str| {
            let body = json!({ "query": query, "method": method, "min_relevance_score": 0.5 });
            sources(&asked(&host, body).await).join(" ")
        };
        let kept = found("cavity tripped because of a worn circulator").await;
        assert!(kept.starts_with('C'), "{method}: {kept}");
        assert_eq!(found("nonexistent topic zzqx").await, "", "{method}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_found_is_an_answer() {
    let host = fixture().await;
    let body = json!({ "query": "zzyzx", "method": "keyword" });
    let response = serde_json::to_value(asked(&host, body).await).unwrap();
    for case in cases("seeds.jsonl", "response.no_results") {
        for field in ["results", "total_results", "synthesis", "citations"] {
            assert_eq!(response[field], case["expected"][field], "{field}");
        }
    }
    assert_eq!(response["synthesis"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blank_query_is_refused_with_the_limits() {
    let host = fixture().await;
    let refused = host
        .gannet
        .retrieve(RetrieverRequest::new(""), DEFAULT_TENANT)
        .await;
    let Err(HostError::Plugin(error)) = refused else {
        panic!("it was taken");
    };
    assert!(error.to_string().contains("1 to 500 characters"), "{error}");
}

#[test]
fn requests_of_the_source_are_taken_and_refused_alike() {
    for case in cases("seeds.jsonl", "request.validation.sdk") {
        let mut input = case["input"].clone();
        // `'x' x501` stands for 501 times x.
        if let Some(times) = input["query"]
            .as_str()
            .and_then(|q| q.strip_prefix("'x' x"))
        {
            input["query"] = "x".repeat(times.parse().unwrap()).into();
        }
        let read = serde_json::from_value::<RetrieverRequest>(input.clone());
        let taken = read.map_err(|error| error.to_string()).and_then(|request| {
            request.check().map_err(|error| error.to_string())?;
            Ok(request)
        });
        let expected = &case["expected"];
        match (&taken, expected["ok"].as_object()) {
            (Ok(request), Some(ok)) => {
                assert_eq!(json!(request.method), ok["method"], "{case}");
                assert_eq!(json!(request.limit), ok["max_results"], "{case}");
                assert_eq!(
                    json!(request.min_relevance_score),
                    ok["min_score"],
                    "{case}"
                );
                assert!(request.filters.is_empty());
            }
            (Err(message), None) => {
                let field = expected["errors"][0]["loc"][0].as_str().unwrap();
                let ours = match field {
                    "min_score" => "min_relevance_score",
                    // serde names the value and those there are.
                    "method" => "hybrid",
                    other => other,
                };
                assert!(message.contains(ours), "{message}: {case}");
            }
            _ => panic!("{taken:?}: {case}"),
        }
    }
}

#[test]
fn the_schema_of_a_request_has_the_documented_limits() {
    let schema = gannet_core::api::schema_of::<RetrieverRequest>();
    let of = |field: &str, key: &str| schema["properties"][field][key].clone();
    let as_number = |value: &Value| value.as_f64().unwrap();
    for case in cases("seeds.jsonl", "request.schema.openapi") {
        let field = case["input"]["field"].as_str().unwrap();
        for (key, value) in case["expected"].as_object().unwrap() {
            match key.as_str() {
                "minimum" | "maximum" => {
                    assert_eq!(as_number(&of(field, key)), as_number(value), "{case}");
                }
                "default" => assert_eq!(&of(field, key), value, "{case}"),
                "type" => assert_eq!(&of(field, key), value, "{case}"),
                "enum" => {
                    let methods = [
                        RetrieverMethod::Vector,
                        RetrieverMethod::Keyword,
                        RetrieverMethod::Hybrid,
                    ];
                    assert_eq!(&json!(methods), value, "{case}");
                }
                other => panic!("{other}: {case}"),
            }
        }
    }
}
