//! The index against a server that keeps points in memory and refuses requests
//! that Qdrant's description of its interface does not have.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fake_filter;
mod fake_qdrant;
mod faults;
mod in_a_store;
mod settings;

use std::sync::Arc;

use fake_qdrant::FakeQdrant;
use gannet_index::{VectorEngine, configured_vector_engine};
use gannet_index_qdrant as _;
use serde_json::{Map, Value, json};

/// Settings that name the server.
fn settings_for(server: &FakeQdrant) -> Map<String, Value> {
    let Value::Object(settings) = json!({
        "url": server.url(), "timeout_seconds": 5.0, "pause_seconds": 0.0,
    }) else {
        unreachable!("it is an object")
    };
    settings
}

fn engine_for(server: &FakeQdrant) -> Arc<dyn VectorEngine> {
    configured_vector_engine("qdrant", &settings_for(server)).unwrap()
}

/// Against a Qdrant whose address `GANNET_TEST_QDRANT` is.
#[test]
fn a_real_server_keeps_the_contract_of_indexes() {
    let Ok(url) = std::env::var("GANNET_TEST_QDRANT") else {
        println!("GANNET_TEST_QDRANT is not set");
        return;
    };
    let Value::Object(settings) = json!({
        "url": url, "collection": format!("gannet-contract-{}", std::process::id()),
    }) else {
        unreachable!("it is an object")
    };
    let engine = configured_vector_engine("qdrant", &settings).unwrap();
    let folder = tempfile::tempdir().unwrap();
    gannet_index::conformance::check_vectors(engine.as_ref(), folder.path());
}

#[test]
fn it_keeps_the_contract_of_indexes() {
    let server = FakeQdrant::start();
    let folder = tempfile::tempdir().unwrap();
    gannet_index::conformance::check_vectors(engine_for(&server).as_ref(), folder.path());
    assert!(server.refused().is_empty(), "{:?}", server.refused());
    let names = server.collections();
    assert!(
        names.iter().any(|name| name.starts_with("gannet-merged-")),
        "{names:?}"
    );
}
