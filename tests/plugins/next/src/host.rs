//! A host of the next minor version: loads the plugin file that it is given,
//! asks each search module of it, and prints what came back as JSON.

use std::path::Path;
use std::sync::Arc;

use gannet_abi::host::{Opening, open};
use gannet_abi::manifest::Manifest;
use gannet_api::{DynSearchModule, Entry, Plugin, SearchRequest, Setup};
use gannet_plugin::testing::FakeHost;
use serde_json::{Value, json};

/// How the text of a manifest begins.
const HEAD: &[u8] = b"gannet plugin manifest 1\n";

fn main() {
    let path = std::env::args().nth(1).expect("a plugin file");
    let manifest = manifest(&std::fs::read(&path).expect("the file can be read"));
    let opened = open(Opening {
        path: Path::new(&path),
        manifest: &manifest,
        runtime_threads: 1,
        enter_host: Arc::new(|work| work()),
    });
    let opened = opened.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(opened.failed, []);
    let modules = opened.exports.iter().filter_map(|export| {
        let descriptor = export.descriptor();
        let setup = Setup::default().with_instance("next");
        match export
            .construct(&json!({}), &setup)
            .expect("no settings are needed")
        {
            Plugin::SearchModule(module) => Some(json!({
                "name": descriptor.name,
                "maturity": descriptor.maturity,
                "warmed": module.warmed(),
                "found": found(&*module),
            })),
            _ => None,
        }
    });
    println!("{}", Value::from_iter(modules));
}

/// The ids and score kinds of what a module finds.
fn found(module: &dyn DynSearchModule) -> Value {
    let time = "2024-01-05T08:30:00Z".parse().expect("a time");
    let host = FakeHost::default().with_entries([Entry::new("E1", "log", time, "RF tripped")]);
    let context = host.context();
    let search = module.search(SearchRequest::new("tripped", 2), &context);
    match pollster::block_on(search) {
        Ok(hits) => hits
            .iter()
            .map(|hit| json!([hit.entry_id, hit.score_kind]))
            .collect(),
        Err(error) => error.to_string().into(),
    }
}

fn manifest(file: &[u8]) -> Manifest {
    let start = file.windows(HEAD.len()).position(|window| window == HEAD);
    let section = &file[start.expect("a manifest")..];
    let end = section.iter().position(|byte| *byte == 0).expect("its end");
    Manifest::read_section(&section[..end])
        .expect("it can be read")
        .remove(0)
}
