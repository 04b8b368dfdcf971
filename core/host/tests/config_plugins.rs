//! Section `plugins`: what it says, and what is told about it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use gannet_core::config::{Config, ConfigErrors, DylibConfig, LoadOptions, Loaded, load};

/// Loads a `config.yml` with this text, and what is told about it without the
/// folder.
fn load_text(text: &str) -> Result<(Loaded, tempfile::TempDir), ConfigErrors> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), text).unwrap();
    let options = LoadOptions {
        working_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    };
    load(options).map(|loaded| (loaded, folder))
}

fn told(text: &str) -> String {
    let errors = load_text(text).expect_err("it has a mistake").to_string();
    let (_, from_place) = errors.split_once("config.yml:").unwrap();
    from_place.to_owned()
}

fn of_variables(variables: &[(&str, &str)]) -> Config {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let options = LoadOptions {
        env: variables.iter().map(pair).collect(),
        ..LoadOptions::default()
    };
    load(options).unwrap().config
}

#[test]
fn loading_is_off_and_nothing_is_listed_unless_said_otherwise() {
    let plugins = Config::default().plugins;
    assert!(!plugins.dynamic.enabled);
    assert!(!plugins.dynamic.require_pin);
    assert!(plugins.dynamic.dirs.is_empty());
    assert!(plugins.load.is_empty());
}

#[test]
fn a_dylib_needs_only_its_file() {
    let text = "plugins: {dynamic: {enabled: true}, load: [{file: libx.so}]}\n";
    let (loaded, _folder) = load_text(text).unwrap();
    let expected = DylibConfig {
        file: "libx.so".to_owned(),
        sha256: None,
        required: false,
        replace: false,
        runtime_threads: 1,
        config: serde_json::Map::new(),
    };
    assert_eq!(loaded.config.plugins.load, [expected]);
    assert!(loaded.notices.is_empty());
}

#[test]
fn every_key_of_a_dylib_is_read() {
    let text = "plugins:\n  dynamic: {enabled: true, dirs: [/opt/p], require_pin: true}\n  load:\n    \
        - {file: a.so, sha256: abc, required: true, replace: true, runtime_threads: 3, config: {t: pv}}\n";
    let (loaded, _folder) = load_text(text).unwrap();
    let plugins = loaded.config.plugins;
    assert!(plugins.dynamic.require_pin);
    let dylib = &plugins.load[0];
    assert_eq!(dylib.sha256.as_deref(), Some("abc"));
    assert!(dylib.required && dylib.replace);
    assert_eq!(dylib.runtime_threads, 3);
    assert_eq!(dylib.config["t"], "pv");
}

#[test]
fn the_folders_of_a_file_are_taken_from_its_own() {
    let text = "plugins: {dynamic: {dirs: [plugins, /opt/p]}}\n";
    let (loaded, folder) = load_text(text).unwrap();
    let dirs = loaded.config.plugins.dynamic.dirs;
    assert_eq!(dirs, [folder.path().join("plugins"), "/opt/p".into()]);
}

#[test]
fn variables_override_each_key() {
    let plugins = of_variables(&[
        ("GANNET__PLUGINS__DYNAMIC__ENABLED", "true"),
        ("GANNET__PLUGINS__DYNAMIC__DIRS", "[mine, /opt/p]"),
        ("GANNET__PLUGINS__DYNAMIC__REQUIRE_PIN", "true"),
        (
            "GANNET__PLUGINS__LOAD",
            "[{file: libx.so, runtime_threads: 2}]",
        ),
    ])
    .plugins;
    assert!(plugins.dynamic.enabled && plugins.dynamic.require_pin);
    assert_eq!(
        plugins.dynamic.dirs,
        [
            std::path::absolute("mine").unwrap().as_path(),
            Path::new("/opt/p")
        ]
    );
    assert_eq!(plugins.load[0].file, "libx.so");
    assert_eq!(plugins.load[0].runtime_threads, 2);
}

#[test]
fn a_list_that_has_no_effect_is_told() {
    let (loaded, _folder) = load_text("plugins:\n  load: [{file: libx.so}]\n").unwrap();
    let [notice] = &loaded.notices[..] else {
        panic!("{:?}", loaded.notices);
    };
    assert!(
        notice.ends_with(
            "config.yml:2:3: `plugins.load` has no effect while `plugins.dynamic.enabled` is false"
        ),
        "{notice}"
    );
}

#[test]
fn the_same_file_twice_is_refused() {
    let text = "plugins:\n  load:\n    - {file: a.so}\n    - {file: b.so}\n    - {file: a.so}\n";
    assert_eq!(
        told(text),
        "5:14: `a.so` is listed twice; remove one of them"
    );
}

#[test]
fn a_dylib_without_a_file_is_refused() {
    assert_eq!(
        told("plugins:\n  load:\n    - {sha256: abc}\n"),
        "3:7: `plugins.load.0` has no `file`"
    );
}

#[test]
fn a_misspelt_key_of_a_dylib_comes_with_the_nearest_one() {
    assert_eq!(
        told("plugins:\n  load:\n    - {file: a.so, requird: true}\n"),
        "3:20: unknown key `plugins.load.0.requird`; did you mean `required`?"
    );
    assert!(told("plugins: {load: [{file: a.so, runtime_threads: 0}]}\n").contains("at least 1"),);
}
