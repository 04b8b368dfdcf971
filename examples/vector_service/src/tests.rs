#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::{Error, Result, Setup};
use gannet_plugin::provider::{EmbedPurpose, Embedder};
use gannet_plugin::testing::{self, FakeHost};
use pollster::block_on;
use serde_json::{Value, json};

use crate::VectorService;

fn embed(host: &FakeHost, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
    let settings = json!({"url": "http://vectors.example/embed", "model": "m", "dimension": 2,
        "batch": 2});
    let settings = testing::settings(settings).unwrap();
    let service = VectorService::new(settings, &Setup::default()).unwrap();
    let texts = texts.iter().map(|&text| text.to_owned()).collect();
    block_on(service.embed(texts, EmbedPurpose::Query, &host.context()))
}

/// A service whose vectors point to the length of the text.
fn lengths() -> FakeHost {
    FakeHost::default().on_http(|request| {
        let asked: Value = serde_json::from_slice(&request.body).unwrap();
        let texts = asked["texts"].as_array().unwrap().iter();
        let vectors: Vec<Value> = texts
            .map(|text| json!([text.as_str().unwrap().len(), 0]))
            .collect();
        Ok(HttpResponse::new(
            200,
            json!({"vectors": vectors}).to_string(),
        ))
    })
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn texts_are_asked_in_batches_and_vectors_have_length_one() {
    let host = lengths();
    let vectors = embed(&host, &["a", "abc", "ab"]).unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]);
    assert_eq!(host.calls().http.len(), 2);
}

#[test]
fn a_vector_without_a_direction_and_a_service_that_is_away_are_errors() {
    let nothing = embed(&lengths(), &[""]);
    assert!(matches!(nothing, Err(Error::Provider { .. })));
    let away = FakeHost::default().on_http(|_| Ok(HttpResponse::new(502, "")));
    assert!(matches!(
        embed(&away, &["a"]),
        Err(Error::Provider {
            retryable: true,
            ..
        })
    ));
}
