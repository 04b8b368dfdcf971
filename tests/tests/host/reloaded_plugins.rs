//! A configuration that is read again takes plugin files that have changed.

use gannet_core::Gannet;
use gannet_core::api::PluginKind;
use gannet_core::config::Config;
use gannet_core::registry::loading::PluginState;
use gannet_tests::dylibs::{PluginFolder, built, replaced};
use gannet_tests::{Host, config};
use serde_json::json;

const FILE: &str = "libtested.so";
const FIRST: &str = "Fails as its settings say.";
const SECOND: &str = "Fails as it says elsewhere";

/// A folder with the file as it was built.
fn folder() -> PluginFolder {
    let folder = PluginFolder::new();
    folder.put_as(FILE, &built("gannet_test_inline"));
    folder
}

/// A configuration that loads it, in the place of what this program links.
fn configured(folder: &PluginFolder, store: &std::path::Path, required: bool) -> Config {
    let load = json!([{ "file": FILE, "required": required, "replace": true }]);
    let mut settings = folder.settings(&load);
    settings.push(("search_modules.failing.enabled", "true".to_owned()));
    let settings: Vec<(&str, &str)> = settings
        .iter()
        .map(|(key, value)| (*key, value.as_str()))
        .collect();
    config(store, &settings)
}

async fn host(folder: &PluginFolder, required: bool) -> Host {
    let store = tempfile::tempdir().unwrap();
    let config = configured(folder, store.path(), required);
    Host::over(Gannet::open(config).await.unwrap(), store)
}

/// What the module of the file says of itself.
fn description(gannet: &Gannet) -> String {
    let mut plugins = gannet.plugins().into_iter();
    let of_file = plugins.find(|one| one.kind == PluginKind::SearchModule && one.name == "failing");
    of_file.unwrap().description
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changed_is_loaded_beside_the_old_one_which_goes_on() {
    let folder = folder();
    let host = host(&folder, false).await;
    let config = configured(&folder, host.folder.path(), false);
    let same = host.gannet.reconfigured(config.clone()).unwrap();
    assert_eq!(description(&same), FIRST);

    let changed = replaced(&built("gannet_test_inline"), FIRST, SECOND);
    folder.put_as(FILE, &changed);
    let new = host.gannet.reconfigured(config).unwrap();
    assert_eq!(description(&new), SECOND);
    assert_eq!(description(&host.gannet), FIRST);
    let sums = [&host.gannet, &new].map(|one| one.plugin_files()[0].sha256.clone());
    assert_ne!(sums[0], sums[1]);
    for gannet in [&host.gannet, &new] {
        let mut input = gannet_core::SearchInput::new("pump");
        input.mode = Some("failing".to_owned());
        assert!(gannet.search(input).await.unwrap().entries.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_that_is_refused_leaves_the_old_configuration_whole() {
    let folder = folder();
    let host = host(&folder, true).await;
    folder.put_as(FILE, b"not a library");
    let config = configured(&folder, host.folder.path(), true);
    let refused = host.gannet.reconfigured(config).map(drop).unwrap_err();
    assert!(refused.to_string().contains(FILE), "{refused}");
    assert_eq!(description(&host.gannet), FIRST);
    assert_eq!(host.gannet.plugin_files()[0].state, PluginState::Loaded);
}
