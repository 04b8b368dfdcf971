//! Who may know whom: the arrows between the crates of the workspace.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Each crate and the crates of the house that it may depend on.
const ALLOWED: [(&str, &[&str]); 26] = [
    ("gannet-api", &[]),
    ("gannet-abi", &["gannet-api"]),
    ("gannet-derive", &[]),
    (
        "gannet-plugin",
        &["gannet-abi", "gannet-api", "gannet-derive"],
    ),
    ("gannet-model", &[]),
    ("gannet-outbound", &[]),
    (
        "gannet-registry",
        &["gannet-abi", "gannet-api", "gannet-plugin"],
    ),
    ("gannet-analysis", &["gannet-api"]),
    ("gannet-vectors", &["gannet-api"]),
    ("gannet-index", &["gannet-analysis", "gannet-api"]),
    // Indexes see neither each other nor the records.
    (
        "gannet-index-flat",
        &["gannet-api", "gannet-index", "gannet-vectors"],
    ),
    (
        "gannet-index-qdrant",
        &["gannet-api", "gannet-index", "gannet-outbound"],
    ),
    (
        "gannet-index-tantivy",
        &["gannet-analysis", "gannet-api", "gannet-index"],
    ),
    // The store finds its indexes by name, among those that are linked.
    (
        "gannet-store",
        &[
            "gannet-analysis",
            "gannet-api",
            "gannet-index",
            "gannet-vectors",
        ],
    ),
    (
        "gannet-core",
        &[
            "gannet-analysis",
            "gannet-api",
            "gannet-model",
            "gannet-outbound",
            "gannet-registry",
            "gannet-store",
            "gannet-vectors",
        ],
    ),
    ("gannet-server", &["gannet-core", "gannet-outbound"]),
    ("gannet-stages", &["gannet-plugin"]),
    ("gannet-sources", &["gannet-plugin"]),
    ("gannet-federation", &["gannet-plugin"]),
    // The binary links the plugins that are built in, and the encoder's crate
    // for `gannet models`.
    (
        "gannet",
        &["gannet-builtin", "gannet-core", "gannet-server", "plugins"],
    ),
    ("gannet-builtin", &["plugins"]),
    ("gannet-plain-index", &["gannet-api", "gannet-index"]),
    ("gannet-embedded-host", &["gannet-core", "plugins"]),
    // It asks a whole Gannet, and the reader what it makes of the entries.
    (
        "gannet-train-reader",
        &["gannet-core", "gannet-plugin", "plugins"],
    ),
    (
        "gannet-train-recurrence",
        &["gannet-builtin", "gannet-core"],
    ),
    ("gannet-train-relevance", &["gannet-builtin", "gannet-core"]),
];

#[test]
fn every_crate_depends_only_on_those_that_it_may_know() {
    for (krate, (path, dependencies)) in workspace() {
        let of_tests = [
            "gannet-tests",
            "gannet-test-adapters",
            "gannet-test-cases",
            "gannet-test-databases",
            "gannet-test-model-server",
            "gannet-test-mutations",
        ];
        if of_tests.contains(&krate.as_str()) {
            continue;
        }
        let is_plugin = path.contains("/plugins/") || path.contains("/examples/");
        let allowed: &[&str] = ALLOWED
            .iter()
            .find(|(name, _)| *name == krate)
            .map(|(_, allowed)| *allowed)
            .unwrap_or_else(|| {
                assert!(is_plugin, "{krate} is not in the table of this test");
                &[
                    "gannet-plugin",
                    "gannet-federation",
                    "gannet-model",
                    "gannet-office",
                    "gannet-outbound",
                    "gannet-pdf",
                    "gannet-sources",
                    "gannet-stages",
                ]
            });
        for dependency in dependencies {
            let permitted = allowed.contains(&dependency.as_str())
                || (allowed.contains(&"plugins") && is_plugin_crate(&dependency));
            assert!(permitted, "{krate} must not depend on {dependency}");
        }
    }
}

#[test]
fn only_the_named_crates_hold_unsafe_code() {
    let may_hold = [
        "registry/abi/src/",
        "registry/vectors/src/kernels/",
        "plugins/providers/minilm/src/kernels/",
    ];
    for file in rust_files() {
        let text = std::fs::read_to_string(&file).unwrap();
        // Written in two parts, so that this file does not find itself.
        let holds = text.contains(concat!("allow(", "unsafe_code"));
        let permitted = may_hold.iter().any(|place| file.contains(place));
        assert!(!holds || permitted, "{file} must not hold unsafe code");
    }
}

#[test]
fn cargo_run_is_gannet() {
    let metadata = metadata();
    let defaults = metadata["workspace_default_members"].as_array().unwrap();
    let programs: Vec<&str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| defaults.contains(&package["id"]))
        .flat_map(|package| package["targets"].as_array().unwrap())
        .filter(|target| target["kind"][0] == "bin")
        .map(|target| target["name"].as_str().unwrap())
        .collect();
    assert_eq!(programs, ["gannet"]);
}

#[test]
fn no_file_is_longer_than_four_hundred_lines() {
    for file in rust_files() {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 400, "{file} has {lines} lines");
    }
}

/// What cargo knows of the workspace.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The crates of the workspace: name, path of the manifest, and the crates of
/// the house that each depends on, those for its tests left out.
fn workspace() -> BTreeMap<String, (String, Vec<String>)> {
    metadata()["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let name = package["name"].as_str().unwrap().to_owned();
            let path = package["manifest_path"].as_str().unwrap().to_owned();
            (name, (path, of_the_house(&package["dependencies"])))
        })
        .collect()
}

fn of_the_house(dependencies: &Value) -> Vec<String> {
    dependencies
        .as_array()
        .unwrap()
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
        .filter(|name| name.starts_with("gannet"))
        .collect()
}

fn is_plugin_crate(name: &str) -> bool {
    workspace()
        .get(name)
        .is_some_and(|(path, _)| path.contains("/plugins/"))
}

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files() -> Vec<String> {
    let mut folders = vec![root().canonicalize().unwrap()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if name.ends_with(".rs") {
                files.push(path.display().to_string());
            }
        }
    }
    files
}
