//! Plugins that bring a runtime of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use gannet_api::{DynSearchModule, Entry, Hit, Plugin, Result, SearchRequest, Setup};
use gannet_core::SearchInput;
use gannet_core::enter_host;
use gannet_core::registry::Registry;
use gannet_core::registry::loading::DylibWish;
use gannet_plugin::testing::FakeHost;
use gannet_tests::Host;
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
    let lasting = module("lasting", json!({ "milliseconds": 30_000 }));
    let context = FakeHost::default().context();
    let started = Instant::now();
    let call = lasting.search(SearchRequest::new("x", 1), &context);
    let ended = tokio::time::timeout(Duration::from_millis(100), call).await;
    assert!(ended.is_err());
    println!(
        "returned after {:?}, with a deadline of 100 ms",
        started.elapsed()
    );
    drop((lasting, context));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(15), "it waited: {took:?}");
}

/// Opens a host with a plugin that is not done in time, asks it, and closes
/// the host. The dylib's registry ends with it, so that the call that was left
/// behind is the last to hold what the plugin needs.
async fn ask_and_close(settings: Value) -> Duration {
    let settings = [
        ("search_modules.lasting.enabled", "true".to_owned()),
        ("search_modules.lasting.settings", settings.to_string()),
    ];
    let settings = settings
        .each_ref()
        .map(|(key, value)| (*key, value.as_str()));
    let folder = PluginFolder::new();
    folder.put("gannet_test_tokio");
    let mut registry = Registry::linked().unwrap();
    let wish = DylibWish::of("libgannet_test_tokio.so");
    registry
        .load(&[wish], &folder.rules(), &enter_host())
        .unwrap();
    let host = Host::with_plugins(&settings, &registry).await;
    drop(registry);
    let mut input = SearchInput::new("x");
    input.mode = Some("lasting".to_owned());
    input.timeout = Some(Duration::from_millis(5));
    let _ = host.gannet.search(input).await;
    let started = Instant::now();
    host.gannet.close().await.unwrap();
    started.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_can_be_closed_while_calls_are_left_behind() {
    let left_behind = [
        json!({ "way": "waits" }),
        json!({ "way": "blocks", "milliseconds": 50 }),
        json!({ "way": "leaves_work", "milliseconds": 60_000 }),
    ];
    for settings in left_behind.iter().cycle().take(18) {
        let took = ask_and_close(settings.clone()).await;
        assert!(took < Duration::from_secs(15), "{settings}: {took:?}");
    }
}
