//! Names that are taken.

use gannet_core::api::PluginKind;
use gannet_core::enter_host;
use gannet_core::registry::Registry;
use gannet_core::registry::loading::{DylibWish, PluginState};
use gannet_tests::Host;
use gannet_tests::dylibs::PluginFolder;
use serde_json::{Value, json};

use super::hosts::{self, GOOD, answers, borrowed, settings};
use super::{NAME, plugin, plugin_with};

// Linked in, so that its names are taken.
use gannet_test_tokio as _;

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_linked_in_is_taken() {
    let folder = PluginFolder::new();
    folder.put("gannet_test_tokio");
    let wish = json!({"file": "libgannet_test_tokio.so"});
    let words = ["`lasting`", "gannet-test-tokio", "replace: true"];
    hosts::expect_refused(&folder, wish, "duplicate", &words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_of_a_file_before_is_taken() {
    let folder = PluginFolder::new();
    let first = folder.put_as("libfirst.so", &plugin());
    folder.put_as("libsecond.so", &plugin());
    let wishes = [
        json!({"file": "libfirst.so"}),
        json!({"file": "libsecond.so"}),
    ];
    let files = hosts::goes_on(&settings(&folder, &wishes))
        .await
        .plugin_files;
    assert_eq!(files[0].state, PluginState::Loaded);
    assert_eq!(files[1].gate, Some("duplicate"));
    let reason = files[1].reason.clone().unwrap();
    assert!(reason.contains(NAME), "{reason}");
    assert!(reason.contains(first.to_str().unwrap()), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_replaces_takes_the_name_of_a_file() {
    let folder = PluginFolder::new();
    folder.put_as("libfirst.so", &plugin_with(NAME, GOOD));
    let good = json!({"file": "libgood.so", "replace": true});
    let mut settings = settings(&folder, &[json!({"file": "libfirst.so"}), good]);
    // The last file is the good one a second time, which is too much.
    let load = settings.iter_mut().find(|(key, _)| key == "plugins.load");
    let load = &mut load.unwrap().1;
    let mut files: Vec<Value> = serde_json::from_str(load).unwrap();
    files.pop();
    *load = json!(files).to_string();

    let host = Host::with(&borrowed(&settings)).await;
    assert_eq!(answers(&host, GOOD).await, [GOOD]);
    let files = host.gannet.status().await.unwrap().plugin_files;
    assert_eq!(
        files[1].plugins,
        [(PluginKind::SearchModule, GOOD.to_owned())]
    );
    assert_eq!(files[1].reason, None);
}

#[test]
fn a_file_that_replaces_takes_the_name_of_what_is_linked_in() {
    let folder = PluginFolder::new();
    let path = folder.put("gannet_test_tokio");
    let mut wish = DylibWish::of("libgannet_test_tokio.so");
    wish.replace = true;
    let mut registry = Registry::linked().unwrap();
    let before = registry.names(PluginKind::SearchModule).len();
    registry
        .load(&[wish], &folder.rules(), &enter_host())
        .unwrap();
    assert_eq!(registry.names(PluginKind::SearchModule).len(), before);
    for name in ["lasting", "using"] {
        let plugin = registry.get(PluginKind::SearchModule, name).unwrap();
        assert_eq!(plugin.origin.file.as_ref(), Some(&path));
    }
}
