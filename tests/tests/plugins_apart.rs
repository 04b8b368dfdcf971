//! P2: a plugin that is built apart, with other optimisation and other
//! versions of tokio and serde, loads and works, and uses tokio and an HTTP
//! client inside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

use gannet_api::{DynSearchModule, Plugin};
use gannet_api::{Entry, Error, PluginKind, SearchRequest, Setup};
use gannet_plugin::testing::FakeHost;
use gannet_registry::Registry;
use gannet_tests::dylibs::{PluginFolder, file_name};
use gannet_tests::root;
use serde_json::{Value, json};

#[tokio::test]
async fn a_plugin_that_is_built_apart_loads_and_works() {
    let registry = load();
    let module = module(&registry, json!({"words": ["tripped"]}));
    let time = "2024-01-05T08:30:00Z".parse().unwrap();
    let host = FakeHost::default().with_entries([
        Entry::new("E1", "log", time, "RF cavity tripped"),
        Entry::new("E2", "log", time, "RF cavity fine"),
    ]);
    let request = SearchRequest::new("cavity", 10);
    let hits = module.search(request, &host.context()).await.unwrap();
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].entry_id, "E1");
    assert_eq!(host.calls().text_searches[0].query, "cavity tripped");
}

/// Its serde reads the settings and writes the errors; ours reads those.
#[test]
fn a_plugin_that_is_built_apart_reads_its_own_settings() {
    let registry = load();
    let registered = registry.get(PluginKind::SearchModule, "apart").unwrap();
    let schema = &registered.descriptor.settings_schema;
    assert_eq!(schema["properties"]["words"]["type"], "array", "{schema}");
    let refused = registered.construct(json!({"words": 1}), &Setup::default());
    let Err(Error::Configuration { message, .. }) = refused else {
        panic!("the settings are wrong");
    };
    assert!(message.contains("expected a sequence"), "{message}");
}

/// It would be no proof if both were built with the same.
#[test]
fn the_plugin_that_is_built_apart_has_other_versions() {
    let theirs = lock_file(&apart().join("Cargo.lock"));
    let ours = lock_file(&root().join("Cargo.lock"));
    for name in ["tokio", "serde", "serde_core"] {
        let line = format!("name = \"{name}\"\n");
        let version = |lock: &str| -> String {
            let (_, after) = lock.split_once(&line).unwrap();
            after.lines().next().unwrap().to_owned()
        };
        assert_ne!(version(&theirs), version(&ours), "{name}");
    }
}

fn load() -> Registry {
    let folder = PluginFolder::new();
    folder.put_as("libapart.so", &std::fs::read(build()).unwrap());
    let registry = folder.load(&["libapart.so"]);
    let report = &registry.files()[0];
    assert_eq!(report.reason, None);
    assert_eq!(report.manifest.as_ref().unwrap().runtime, "tokio");
    registry
}

fn module(registry: &Registry, settings: Value) -> std::sync::Arc<dyn DynSearchModule> {
    let registered = registry.get(PluginKind::SearchModule, "apart").unwrap();
    match registered.construct(settings, &Setup::default()).unwrap() {
        Plugin::SearchModule(module) => module,
        _ => panic!("it is a search module"),
    }
}

/// Builds it as `check` does before the tests; then this does nothing.
fn build() -> PathBuf {
    let target = target_folder().join("plugins-apart");
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--release",
            "--locked",
            "--quiet",
            "--manifest-path",
        ])
        .arg(apart().join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status()
        .unwrap();
    assert!(status.success());
    target.join("release").join(file_name("gannet_test_apart"))
}

fn apart() -> PathBuf {
    root().join("tests/plugins/apart")
}

fn lock_file(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The folder that cargo builds this workspace in: `deps` of a profile lies
/// in it, and there this program.
fn target_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.ancestors().nth(3).unwrap().to_owned()
}
