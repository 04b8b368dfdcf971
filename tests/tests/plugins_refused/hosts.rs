//! A host that is to load a bad file beside a good one.

use gannet_core::registry::loading::{FileReport, PluginState};
use gannet_core::{Gannet, Status};
use gannet_tests::dylibs::PluginFolder;
use gannet_tests::{Host, config, ids};
use serde_json::{Value, json};

use super::{NAME, plugin_with};

/// The module of the file that is good.
pub const GOOD: &str = "numbered_0001";

/// What is set in the configuration.
pub type Settings = Vec<(String, String)>;

/// The settings that load `wishes`, and a good file behind them.
pub fn settings(folder: &PluginFolder, wishes: &[Value]) -> Settings {
    folder.put_as("libgood.so", &plugin_with(NAME, GOOD));
    let mut load = wishes.to_vec();
    load.push(json!({"file": "libgood.so", "required": true}));
    let mut settings: Settings = folder
        .settings(&json!(load))
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    settings.push(is_on(GOOD));
    settings
}

/// Switches a search module on.
pub fn is_on(module: &str) -> (String, String) {
    let key = format!("search_modules.{module}.enabled");
    (key, "true".to_owned())
}

/// Opens a host, asks the module of the good file, and gives what the host
/// says of itself.
pub async fn goes_on(settings: &Settings) -> Status {
    let host = Host::with(&borrowed(settings)).await;
    assert_eq!(answers(&host, GOOD).await, [GOOD]);
    host.gannet.status().await.unwrap()
}

/// What a numbered module finds: the entry of its own name.
pub async fn answers(host: &Host, module: &str) -> Vec<String> {
    host.ingest_lines(&[json!({
        "id": module, "text": "x", "author": "a", "timestamp": "2024-01-05T08:30:00Z",
    })])
    .await;
    let found = host.search(module, "anything").await;
    ids(&found).into_iter().map(str::to_owned).collect()
}

/// What a host says that does not open.
pub async fn error_of(settings: &Settings) -> String {
    match Host::try_with(&borrowed(settings)).await {
        Ok(_) => panic!("the host opened"),
        Err(error) => error.to_string(),
    }
}

/// Expects that the file of a wish is refused at a gate, with these words in
/// the reason; that the host goes on without it; and that it does not when
/// the file is required.
pub async fn expect_refused(folder: &PluginFolder, wish: Value, gate: &str, words: &[&str]) {
    let open = settings(folder, std::slice::from_ref(&wish));
    let report = goes_on(&open).await.plugin_files.remove(0);
    assert_eq!(report.gate, Some(gate), "{:?}", report.reason);
    assert_eq!(report.state, PluginState::Refused);
    assert_eq!(report.plugins, []);
    let reason = reason_of(&report);
    for word in words {
        assert!(reason.contains(word), "no `{word}` in: {reason}");
    }

    let mut required = wish;
    required["required"] = json!(true);
    let file = required["file"].as_str().unwrap().to_owned();
    let refused = error_of(&settings(folder, &[required])).await;
    assert!(refused.contains(&file), "{refused}");
    assert!(refused.contains(&reason), "{refused}");
}

/// A reason that can be read: some text, and not too much of it.
fn reason_of(report: &FileReport) -> String {
    let reason = report.reason.clone().unwrap();
    assert!((10..2000).contains(&reason.len()), "{reason}");
    reason
}

/// What a listing of plugins says about the first file.
pub fn listed(folder: &PluginFolder, wish: Value) -> FileReport {
    let settings = settings(folder, &[wish]);
    let scratch = tempfile::tempdir().unwrap();
    let config = config(scratch.path(), &borrowed(&settings));
    Gannet::list_plugins(&config).unwrap().files.remove(0)
}

pub fn borrowed(settings: &Settings) -> Vec<(&str, &str)> {
    let settings = settings.iter();
    settings
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect()
}
