//! smoke
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use gannet_abi::host::{Opening, open};
use gannet_abi::manifest::Manifest;
use gannet_api::{Plugin, SearchRequest, Setup};
use gannet_plugin::testing::FakeHost;
use std::sync::Arc;

#[tokio::test]
async fn smoke() {
    let path = std::env::current_exe().unwrap();
    let path = path.parent().unwrap().join("libgannet_test_inline.so");
    let text = "gannet plugin manifest 1\nname=gannet-test-inline\nversion=0.1.0\ncontract=1.0\nabi_stable=0.11\npanic=unwind\nruntime=none\nroot=gannet_plugin_root_v1__gannet-test-inline\n\0";
    let manifest = &Manifest::read_section(text.as_bytes()).unwrap()[0];
    let exports = open(Opening {
        path: &path,
        manifest,
        runtime_threads: 1,
        enter_host: Arc::new(|work| work()),
    })
    .unwrap();
    let Plugin::SearchModule(module) = exports[0]
        .construct(&serde_json::json!({}), &Setup::default())
        .unwrap()
    else {
        panic!()
    };
    let host = FakeHost::default();
    let context = host.context();
    let hits = module
        .search(SearchRequest::new("x", 3), &context)
        .await
        .unwrap();
    println!("{hits:?}");
    let started = std::time::Instant::now();
    for _ in 0..10000 {
        module
            .search(SearchRequest::new("x", 10), &context)
            .await
            .unwrap();
    }
    println!("{:?}", started.elapsed() / 10000);
}
