//! A look at a file without loading it.

use super::*;
use crate::loading::fixtures::{library, set_mode};
use crate::loading::{Inspection, inspect};

fn of(bytes: &[u8], mode: u32) -> Inspection {
    let folders = Folders::new();
    let path = folders.elsewhere().join("libpv_search.so");
    write(&path, bytes);
    set_mode(&path, mode);
    inspect(&path).unwrap()
}

fn shut(inspection: &Inspection) -> Vec<&str> {
    let shut = inspection.gates.iter().filter(|gate| !gate.passed);
    shut.map(|gate| gate.gate).collect()
}

#[test]
fn a_good_file_passes_every_gate_wherever_it_lies() {
    let good = of(good_library(), 0o644);
    assert!(good.passed(), "{:?}", good.gates);
    let names: Vec<&str> = good.gates.iter().map(|gate| gate.gate).collect();
    let all = [
        "place",
        "permissions",
        "read",
        "pin",
        "object",
        "manifest",
        "contract",
        "abi_stable",
        "panic",
    ];
    assert_eq!(names, all);
    assert_eq!(good.format.as_deref(), Some("elf"));
    assert_eq!(good.architecture.as_deref(), Some(std::env::consts::ARCH));
    assert_eq!(good.sha256, of_bytes(good_library()).unwrap().sha256);
    assert!(good.gates[3].text.contains(&good.sha256));
}

#[test]
fn every_manifest_of_a_file_is_told() {
    let all = [good_manifest("yak"), good_manifest("pv-search")];
    let names: Vec<String> = of(&library(&[&all[0], &all[1]]), 0o644)
        .manifests
        .into_iter()
        .map(|manifest| manifest.name)
        .collect();
    assert_eq!(names, ["yak", "pv-search"]);
}

#[test]
fn one_shut_gate_does_not_hide_the_others() {
    let manifest = good_manifest("pv-search")
        .replace("abi_stable=", "abi_stable=9")
        .replace("panic=unwind", "panic=abort");
    let bad = of(&library(&[&manifest]), 0o666);
    assert_eq!(shut(&bad), ["permissions", "abi_stable", "panic"]);
    assert!(!bad.passed());
}

#[test]
fn what_is_no_library_is_told_as_such() {
    let text = of(b"just some text, long enough", 0o644);
    assert_eq!(shut(&text), ["object"]);
    assert_eq!(text.format, None);
    assert_eq!(text.manifests, []);
}

#[test]
fn it_can_be_written_as_json() {
    let json = serde_json::json!(of(good_library(), 0o644));
    assert_eq!(json["manifests"][0]["name"], "pv-search");
    assert_eq!(json["gates"][4]["passed"], true);
}

#[test]
fn only_a_file_that_cannot_be_read_is_an_error() {
    let folders = Folders::new();
    let missing = inspect(&folders.allowed().join("none.so")).unwrap_err();
    assert_eq!(missing.gate(), "read");
    let folder = inspect(&folders.allowed()).unwrap_err();
    assert!(matches!(folder, LoadError::NotAFile { .. }));
}
