//! Plugins and hosts of the next minor version work with those of today.

use std::path::Path;
use std::process::Command;

use gannet_api::{Entry, Plugin, PluginKind, Retrieval, ScoreKind, SearchRequest, Setup};
use gannet_plugin::testing::FakeHost;
use gannet_tests::dylibs::PluginFolder;
use serde_json::{Value, json};

use crate::next_interface::build;

#[tokio::test]
async fn a_plugin_of_the_next_minor_version_works_in_this_host() {
    let folder = PluginFolder::new();
    folder.put_as("libnext.so", &std::fs::read(build().plugin).unwrap());
    let registry = folder.load(&["libnext.so"]);
    assert_eq!(registry.files()[0].reason, None);
    let registered = registry.get(PluginKind::SearchModule, "next").unwrap();
    // A way of retrieval that this host does not know is as if it was not said.
    assert_eq!(registered.descriptor.retrieval(), Retrieval::Lexical);

    let made = registered.construct(json!({}), &Setup::default()).unwrap();
    let Plugin::SearchModule(module) = made else {
        panic!("it is a search module");
    };
    let time = "2024-01-05T08:30:00Z".parse().unwrap();
    let entry = Entry::new("E1", "log", time, "RF tripped");
    let context = FakeHost::default().with_entries([entry]).context();
    let request = SearchRequest::new("tripped", 2);
    let hits = module.search(request, &context).await.unwrap();

    // The plugin's own default stands in for the method that this host lacks.
    let ids: Vec<&str> = hits.iter().map(|hit| hit.entry_id.as_str()).collect();
    assert_eq!(ids, ["newest 7", "E1"]);
    assert_eq!(hits[0].score_kind, ScoreKind::Other);
}

#[test]
fn plugins_of_this_version_work_in_a_host_of_the_next() {
    let folder = PluginFolder::new();
    let file = folder.put("gannet_test_inline");
    let asked = ask_next_host(&file);
    let giving = asked.as_array().unwrap().iter();
    let mut giving = giving.filter(|one| one["name"] == "giving");
    assert_eq!(
        giving.next(),
        Some(&json!({
            "name": "giving",
            "maturity": "",
            "warmed": 7,
            "found": [["E0", "bm25"], ["E1", "bm25"]],
        }))
    );
}

/// Else the two tests above would prove nothing.
#[test]
fn a_plugin_of_the_next_version_has_what_is_new_in_its_own_host() {
    let asked = ask_next_host(&build().plugin);
    assert_eq!(asked[0]["maturity"], "stable");
    assert_eq!(asked[0]["warmed"], 42);
    assert_eq!(asked[0]["found"][0][0], "newest 42");
}

fn ask_next_host(file: &Path) -> Value {
    let asked = Command::new(build().host).arg(file).output().unwrap();
    let said = String::from_utf8_lossy(&asked.stderr);
    assert!(asked.status.success(), "{said}");
    // A test plugin prints something too when it is made.
    let printed = String::from_utf8(asked.stdout).unwrap();
    serde_json::from_str(printed.lines().last().unwrap()).unwrap()
}
