//! The JSON Schema in the repository is the one of the types.
//! `UPDATE=1 cargo test -p gannet-core --test config_schema` rewrites it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use gannet_core::config::{Config, schema};
use gannet_core::registry::schema::Schema;

#[test]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/config.schema.json");
    let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        committed,
        current,
        "run with UPDATE=1 to rewrite {}",
        path.display()
    );
}

#[test]
fn the_default_configuration_satisfies_the_schema() {
    let default = serde_json::to_value(Config::default()).unwrap();
    let schema = Schema::new(&schema()).unwrap();
    assert!(schema.allows(&default));
}

#[test]
fn every_key_has_a_description() {
    let schema = schema();
    let definitions = schema["$defs"].as_object().unwrap().values();
    for node in definitions.chain([&schema]) {
        for (key, property) in node["properties"].as_object().into_iter().flatten() {
            assert!(
                property["description"].is_string(),
                "`{key}` has no description"
            );
        }
    }
}
