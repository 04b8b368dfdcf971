//! Plugins that bring a runtime of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use gannet_api::{DynSearchModule, Entry, Hit, Plugin, Result, SearchRequest, Setup};
use gannet_core::registry::Registry;
use gannet_plugin::testing::FakeHost;
use gannet_tests::dylibs::PluginFolder;
use serde_json::{Value, json};

fn loaded() -> Registry {
    let folder = PluginFolder::new();
    folder.put("gannet_test_tokio");
    folder.load(&["libgannet_test_tokio.so"])
}

fn module(name: &str, settings: Value) -> Arc<dyn DynSearchModule> {
    let registry = loaded();
    let plugins = &mut registry.iter();
    let plugin = plugins
        .find(|plugin| plugin.descriptor.name == name)
        .unwrap();
    match plugin.construct(settings, &Setup::default()).unwrap() {
        Plugin::SearchModule(module) => module,
        _ => panic!("it is a search module"),
    }
}

async fn use_tokio() -> Result<Vec<Hit>> {
    let entry = Entry::new(
        "E1",
        "log",
        "2024-01-05T08:30:00Z".parse().unwrap(),
        "RF on",
    );
    let host = FakeHost::default().with_entries([entry]);
    let context = host.context();
    module("using", json!({}))
        .search(SearchRequest::new("RF", 5), &context)
        .await
}

#[tokio::test]
async fn tasks_timers_and_sockets_work_inside_of_a_dylib() {
    assert_eq!(use_tokio().await.unwrap()[0].entry_id, "E1");
}

#[test]
fn they_work_for_a_host_that_has_no_tokio() {
    let hits = futures::executor::block_on(use_tokio()).unwrap();
    assert_eq!(hits[0].entry_id, "E1");
}

#[tokio::test(flavor = "current_thread")]
async fn a_plugin_that_blocks_its_thread_does_not_hold_the_host() {
    let blocking = module("blocking", json!({ "milliseconds": 30_000 }));
    let context = FakeHost::default().context();
    let started = Instant::now();
    let call = blocking.search(SearchRequest::new("x", 1), &context);
    let ended = tokio::time::timeout(Duration::from_millis(100), call).await;
    let took = started.elapsed();
    assert!(ended.is_err());
    println!("returned after {took:?}, with a deadline of 100 ms");
    assert!(
        took < Duration::from_secs(15),
        "it waited for the plugin: {took:?}"
    );
}
