//! Plugins of earlier minor versions of the contract load into the host of
//! today and work, and those of another major version are refused: the files
//! that lie in `tests/kept`, for this target. Plugins of the next minor version
//! work too, and those of today work in its host.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod calls;
mod next;
mod next_interface;

use std::path::{Path, PathBuf};

use gannet_abi::manifest::CONTRACT;
use gannet_core::enter_host;
use gannet_registry::Registry;
use gannet_registry::loading::DylibWish;
use gannet_tests::dylibs::PluginFolder;
use gannet_tests::root;

#[tokio::test]
async fn kept_plugins_load_and_work() {
    let kept = kept_files();
    let files: Vec<PathBuf> = kept
        .iter()
        .filter(|file| is_of_this_major(file))
        .cloned()
        .collect();
    assert!(
        kept.is_empty() || !files.is_empty(),
        "no file of contract {}.x is kept: run tests/keep-fixtures",
        CONTRACT.major
    );
    for file in files {
        println!("{}", file.display());
        let registry = load(&file);
        let report = registry.files().last().unwrap();
        assert_eq!(report.reason, None, "{}", file.display());
        assert!(!report.plugins.is_empty());
        let manifest = report.manifest.as_ref().unwrap();
        assert!(manifest.contract <= CONTRACT, "{}", manifest.contract);
        for (kind, name) in &report.plugins {
            calls::expect_work(registry.get(*kind, name).unwrap()).await;
        }
    }
}

#[test]
fn kept_plugins_of_another_major_version_are_refused_with_what_to_do() {
    for file in kept_files()
        .into_iter()
        .filter(|file| !is_of_this_major(file))
    {
        println!("{}", file.display());
        let registry = load(&file);
        let report = registry.files().last().unwrap();
        assert_eq!(report.gate, Some("contract"));
        let reason = report.reason.as_ref().unwrap();
        assert!(
            reason.starts_with("it is built for version 1.0 of the contract"),
            "{reason}"
        );
        assert!(reason.contains("build it with"), "{reason}");
    }
}

/// By the name of the folder, such as `2.0`.
fn is_of_this_major(file: &Path) -> bool {
    let own = format!("{}.", CONTRACT.major);
    let inside = file.strip_prefix(kept()).unwrap();
    inside.display().to_string().starts_with(&own)
}

/// The files of this target, of all contracts.
fn kept_files() -> Vec<PathBuf> {
    let target = format!(
        "{}-unknown-{}-gnu",
        std::env::consts::ARCH,
        std::env::consts::OS
    );
    let files: Vec<PathBuf> = inside(&kept())
        .into_iter()
        .flat_map(|contract| inside(&contract.join(&target)))
        .filter(|file| file.extension().is_some_and(|end| end == "so"))
        .collect();
    if files.is_empty() {
        println!("skipped: no plugin is kept for {target}");
    }
    files
}

/// Loads a file with the checksum that it was kept with.
fn load(file: &Path) -> Registry {
    let folder = PluginFolder::new();
    folder.put_as("libkept.so", &std::fs::read(file).unwrap());
    let mut wish = DylibWish::of("libkept.so");
    wish.sha256 = Some(checksum(file));
    let mut registry = Registry::default();
    registry
        .load(&[wish], &folder.rules(), &enter_host())
        .unwrap();
    registry
}

/// What the table of kept files says about one.
fn checksum(file: &Path) -> String {
    let name = file.strip_prefix(kept()).unwrap().display().to_string();
    let table = std::fs::read_to_string(kept().join("README.md")).unwrap();
    let row = table
        .lines()
        .map(|line| line.split('|').map(str::trim).collect::<Vec<_>>())
        .find(|cells| cells.get(1) == Some(&name.as_str()));
    row.unwrap_or_else(|| panic!("{name} is not in the table"))[3].to_owned()
}

fn kept() -> PathBuf {
    root().join("tests/kept")
}

/// What is in a folder, sorted; nothing where there is none.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
