//! P3: many dylibs in one host.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_api::{Plugin, PluginKind, SearchRequest, Setup};
use gannet_registry::Registry;
use gannet_test_numbered::NAME;
use gannet_tests::dylibs::{PluginFolder, built, places, replaced};
use serde_json::json;

const HOW_MANY: usize = 50;

#[tokio::test]
async fn fifty_dylibs_load_and_register() {
    let folder = PluginFolder::new();
    let original = built("gannet_test_numbered");
    // In the manifest, and in the data of the code. The crate is compiled as one
    // unit, so that the compiler gives its code one copy.
    assert_eq!(places(&original, NAME).len(), 2);
    let names: Vec<String> = (1..=HOW_MANY).map(|n| format!("numbered_{n:04}")).collect();
    let files: Vec<String> = names.iter().map(|name| format!("lib{name}.so")).collect();
    for (name, file) in names.iter().zip(&files) {
        folder.put_as(file, &replaced(&original, NAME, name));
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let registry = folder.load(&files);
    for (report, name) in registry.files().iter().zip(&names) {
        assert_eq!(report.reason, None, "{}", report.file);
        assert_eq!(report.plugins, [(PluginKind::SearchModule, name.clone())]);
    }
    assert_eq!(registry.names(PluginKind::SearchModule), names);
    // Each has the name of its own image: none was taken for another.
    for name in &names {
        assert_eq!(&told_by(&registry, name).await, name);
    }
}

async fn told_by(registry: &Registry, name: &str) -> String {
    let registered = registry.get(PluginKind::SearchModule, name).unwrap();
    let module = registered.construct(json!({}), &Setup::default()).unwrap();
    let Plugin::SearchModule(module) = module else {
        panic!("{name} is a search module");
    };
    let context = gannet_plugin::testing::context();
    let hits = module.search(SearchRequest::new("", 1), &context).await;
    hits.unwrap().remove(0).entry_id
}
