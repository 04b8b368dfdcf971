//! Plugins from the command line: looked at, checked, made, loaded and used.

use std::path::PathBuf;
use std::process::Command;

use crate::facility::{Facility, code, stderr, stdout, text};
use gannet_tests::dylibs::{file_name, set_mode};
use serde_json::{Value, json};

/// The log of a shift, as a spreadsheet gives it.
const SHIFT_LOG: &str = "\
id,time,author,title,text
S-1,2024-01-05T08:30:00Z,Lee,RF trip,SR03C:RF:CAV1:FWD_PWR fell and CAV1 tripped.
S-2,2024-01-06T10:00:00Z,Chen,RF back,CAV1 is back after the circulator was replaced.
S-3,2024-01-07T09:00:00Z,Lee,Vacuum,Leak at TP-3 found and tightened.
";

/// A dylib whose manifest is good and whose code does this as soon as it is
/// loaded.
pub fn library_that(does: &str, facility: &Facility) -> PathBuf {
    let good = facility.plugins.put("gannet_pv_search");
    let good = &facility.inspect(&good)["manifests"][0];
    let of_good = |key: &str| good[key].as_str().unwrap().to_owned();
    let manifest = format!(
        "gannet plugin manifest 1\nname=fatal\nversion=0.1.0\ncontract={}\nabi_stable={}\n\
         panic=unwind\nruntime=none\nroot=root__fatal\n\0",
        of_good("contract"),
        of_good("abi_stable"),
    );
    let source = facility.write(
        "fatal.rs",
        &format!(
            "#[used]\n#[unsafe(link_section = \".gannet\")]\n#[unsafe(no_mangle)]\n\
             pub static MANIFEST: [u8; {}] = *b{manifest:?};\n\
             #[used]\n#[unsafe(link_section = \".init_array\")]\n\
             static END: extern \"C\" fn() = end;\n\
             extern \"C\" fn end() {{ {does} }}\n",
            manifest.len(),
        ),
    );
    let built = facility.folder.path().join("fatal.so");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let status = Command::new(compiler)
        .args(["--crate-type", "cdylib", "--edition", "2024", "-o"])
        .args([&built, &source])
        .status()
        .unwrap();
    assert!(status.success());
    let bytes = std::fs::read(built).unwrap();
    facility.plugins.put_as("fatal.so", &bytes)
}

#[test]
fn a_plugin_file_is_shown_from_outside_with_what_each_gate_says() {
    let facility = Facility::new();
    let file = facility.plugins.put("gannet_pv_search");
    let seen = facility.inspect(&file);

    let shown = facility
        .done(&["plugins", "inspect", text(&file)])
        .replace(text(facility.plugins.path()), "[folder]")
        .replace(&seen["size"].to_string(), "[size]")
        .replace(seen["sha256"].as_str().unwrap(), "[sha256]")
        .replace(std::env::consts::ARCH, "[machine]")
        .replace(env!("CARGO_PKG_VERSION"), "[version]");
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();

    insta::assert_snapshot!(lines.join("\n"), @r"
    [folder]/libgannet_pv_search.so

     size           [size] bytes
     sha256         [sha256]
     target         elf [machine]
     plugin crate   gannet-pv-search [version], contract 2.1, runtime none
     search module  pv_search
    passed  place: `plugins.dynamic.dirs` must name [folder] or a folder above it
    passed  permissions: only root and the user that runs this can change the file and its folder
    passed  read: [size] bytes
    passed  pin: `sha256: [sha256]` pins it
    passed  object: a shared library for this machine
    passed  manifest: it has a manifest
    passed  contract: version 2.1 of the contract
    passed  abi_stable: abi_stable 0.11
    passed  panic: its panics can be caught
    ");
}

#[test]
fn a_text_file_is_shown_as_no_plugin() {
    let facility = Facility::new();
    let file = facility.plugins.put_as("notes.so", b"no plugin at all\n");

    let seen = facility.inspect(&file);

    let gates = seen["gates"].as_array().unwrap();
    let last = gates.last().unwrap();
    assert_eq!(
        (&last["gate"], &last["passed"]),
        (&json!("object"), &json!(false))
    );
    assert_eq!(seen["manifests"], json!([]));
    assert_eq!(code(&facility.check(&file)), 3);
}

#[test]
fn a_file_whose_plugins_conform_passes_the_check() {
    let facility = Facility::new();
    let file = facility.plugins.put("gannet_shift_csv");

    let output = facility.check(&file);

    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("shift_csv"), "{said}");
    assert!(said.contains("passed  examples"), "{said}");
    assert!(said.contains("its plugins conform"), "{said}");
}

#[test]
fn a_plugin_that_does_not_conform_is_named_with_the_check_that_it_failed() {
    let facility = Facility::new();
    let file = facility.plugins.put("gannet_test_inline");

    let output = facility.check(&file);

    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("a conformance test failed"));
    let said = stdout(&output);
    let checks: Vec<&str> = said
        .lines()
        .skip_while(|line| *line != "failing")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .collect();
    let failed = |check: &&str| check.starts_with("  FAILED  examples: ");
    assert!(checks.iter().any(failed), "{said}");
}

#[test]
fn a_file_whose_code_ends_the_process_ends_only_the_check() {
    let facility = Facility::new();
    let file = library_that("std::process::abort()", &facility);

    let output = facility.check(&file);

    assert_eq!(code(&output), 3);
    let said = stderr(&output);
    assert!(
        said.contains("it ended the process that loaded it (signal 6)"),
        "{said}"
    );
}

#[test]
fn a_report_that_the_plugin_wrote_itself_is_not_taken_for_the_hosts() {
    let facility = Facility::new();
    // It writes where the arguments and the open files say, and ends as if all
    // was done.
    let forging = r###"
        let report = r##"{"nonce":"","passed":true,"refused":null,"reports":[],
            "examination":{"passed":true,"refused":null,"reports":[]}}"##;
        let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        let open = open.filter_map(|file| std::fs::read_link(file.path()).ok());
        let arguments = std::fs::read_to_string("/proc/self/cmdline").unwrap();
        let named = arguments.split('\0').skip(1).map(std::path::PathBuf::from);
        for path in named.chain(open).filter(|path| path.is_file()) {
            let _ = std::fs::write(path, report);
        }
        std::process::exit(0)
    "###;
    let file = library_that(forging, &facility);

    let output = facility.check(&file);

    assert_eq!(code(&output), 3, "{}", stdout(&output));
    let said = stderr(&output);
    assert!(
        said.contains("it ended the process that loaded it"),
        "{said}"
    );
}

#[test]
fn a_file_that_anyone_can_change_is_not_loaded() {
    let facility = Facility::new();
    let file = facility.plugins.put("gannet_pv_search");
    set_mode(&file, 0o666);

    let output = facility.check(&file);

    assert_eq!(code(&output), 3);
    let said = stdout(&output);
    assert!(said.contains("shut"), "{said}");
    assert!(!said.contains("examples"), "its code has run: {said}");
}

#[test]
fn the_list_tells_what_became_of_every_file() {
    let facility = Facility::new();
    facility.plugins.put("gannet_pv_search");
    let loaded = file_name("gannet_pv_search");
    facility.configure(
        &format!("    - file: {loaded}\n    - file: missing.so\n"),
        "search_modules:\n  pv_search: { enabled: true }\n",
    );

    let said = facility.done(&["plugins", "list"]);

    let state = |name: &str| {
        let line = said.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    let of_loaded = format!("{loaded}  loaded, 1 plugin, ");
    assert!(state(&loaded).starts_with(&of_loaded), "{said}");
    assert!(state("missing.so").contains("refused: "), "{said}");
    let module = said.lines().find(|line| line.contains("pv_search"));
    assert!(module.unwrap().trim().ends_with("on"), "{said}");
}

#[test]
fn two_instances_of_one_plugin_are_listed_with_their_descriptions_and_thresholds() {
    let facility = Facility::new();
    facility.write(
        "config.yml",
        "search_modules:
  semantic: { settings: { similarity_threshold: 0.35 } }
  strict:
    plugin: semantic
    enabled: true
    description: \"Close matches\\n  only.\"
    settings: { similarity_threshold: 0.75 }
",
    );

    let printed = facility.done(&["plugins", "list"]);
    let listing = facility.json(&["plugins", "list"]);

    let shown = |name: &str| {
        let mut plugins = listing["plugins"].as_array().unwrap().iter();
        let plugin = plugins.find(|one| one["name"] == name).unwrap();
        let mut parameters = plugin["parameters"].as_array().unwrap().iter();
        let threshold = parameters.find(|one| one["name"] == "similarity_threshold");
        let description = plugin["description"].as_str().unwrap();
        (description, threshold.unwrap()["default"].as_f64().unwrap())
    };
    assert_eq!(shown("strict"), ("Close matches\n  only.", 0.75));
    let (description, threshold) = shown("semantic");
    assert_eq!(threshold, 0.35);
    assert!(
        printed.contains("\nstrict  Close matches only."),
        "{printed}"
    );
    assert!(
        printed.contains(&format!("\nsemantic  {description}")),
        "{printed}"
    );
}

#[test]
fn the_list_carries_no_examples() {
    let facility = Facility::with_examples();

    let listing = facility.json(&["plugins", "list"]);

    let plugins = listing["plugins"].as_array().unwrap();
    assert!(plugins.len() > 10);
    for plugin in plugins {
        assert!(plugin.get("examples").is_none(), "{plugin}");
        assert!(plugin.to_string().len() < 8000, "{plugin}");
    }
}

#[test]
fn a_required_file_that_is_missing_stops_with_its_line_and_the_reason() {
    let facility = Facility::new();
    facility.configure("    - { file: missing.so, required: true }\n", "");
    facility.write("log.jsonl", "");

    for command in [&["plugins", "list"][..], &["ingest", "log.jsonl"]] {
        let output = facility.gannet(command);

        assert_eq!(code(&output), 3);
        let said = stderr(&output);
        assert!(said.contains("config.yml:6:"), "{said}");
        assert!(said.contains("missing.so"), "{said}");
        assert!(said.contains("there is no `missing.so` in"), "{said}");
    }
}

#[test]
fn a_new_plugin_has_its_files_and_is_not_made_twice() {
    let facility = Facility::new();
    let new = ["plugins", "new", "night-shift", "--kind", "search"];

    let said = facility.done(&new);
    let again = facility.gannet(&new);

    for file in ["README.md", "Cargo.toml", "src/lib.rs"] {
        let place = format!("night-shift/{file}");
        assert!(said.contains(&place), "{said}");
        assert!(facility.folder.path().join(place).is_file());
    }
    assert_eq!(code(&again), 2);
    let refusal = stderr(&again);
    assert!(refusal.contains("`night-shift` is not empty"), "{refusal}");
}

#[test]
fn loaded_plugins_read_find_and_tell_what_happened() {
    let facility = Facility::with_examples();
    facility.write("shift.csv", SHIFT_LOG);
    facility.done(&[
        "ingest",
        "shift.csv",
        "--adapter",
        "shift_csv",
        "--no-enhance",
    ]);

    let found = facility.json(&["search", "SR03C:*:CAV?:*", "--mode", "pv_search"]);
    let ids: Vec<&Value> = found["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| &hit["entry"]["entry_id"])
        .collect();
    assert_eq!(ids, ["S-1"]);

    let told = facility.json(&["search", "what happened to CAV1?", "--mode", "timeline"]);
    assert_eq!(told["answer_status"], "grounded");
    assert_eq!(told["citations"], json!(["S-1", "S-2"]));
    assert_eq!(
        told["answer"],
        "- On 2024-01-05 08:30: RF trip [#S-1]\n- On 2024-01-06 10:00: RF back [#S-2]"
    );
}

#[test]
fn a_loaded_enhancer_adds_to_what_is_stored() {
    let facility = Facility::with_examples();
    facility.write("shift.csv", SHIFT_LOG);
    facility.done(&[
        "ingest",
        "shift.csv",
        "--adapter",
        "shift_csv",
        "--no-enhance",
    ]);

    facility.done(&["enhance", "--module", "device_names"]);

    let search = ["search", "meta.devices:CAV1", "--mode", "keyword"];
    let found = facility.json(&search);
    let mut ids: Vec<&str> = found["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["entry"]["entry_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["S-1", "S-2"]);
    let metadata = &found["entries"][0]["entry"]["metadata"];
    assert!(
        metadata["devices"]
            .as_array()
            .unwrap()
            .contains(&json!("CAV1"))
    );
}

#[test]
fn an_instance_that_cannot_be_made_is_listed_as_failed() {
    let facility = Facility::new();
    facility.plugins.put("gannet_test_inline");
    facility.configure(
        &format!("    - file: {}\n", file_name("gannet_test_inline")),
        "search_modules:\n  failing: { enabled: true, settings: { way: constructor } }\n",
    );
    let listed = facility.json(&["plugins", "list"]);
    let plugins = listed["plugins"].as_array().unwrap();
    let failing = plugins.iter().find(|plugin| plugin["name"] == "failing");
    assert_eq!(failing.unwrap()["state"], "failed");
    let told = facility.done(&["config", "validate"]);
    assert!(told.contains("constructor of 42"), "{told}");
}

#[test]
fn a_pipeline_whose_modules_are_all_left_out_is_listed_as_failed() {
    let facility = Facility::new();
    facility.plugins.put("gannet_test_inline");
    facility.configure(
        &format!("    - file: {}\n", file_name("gannet_test_inline")),
        "search_modules:\n  failing: { enabled: true, settings: { way: constructor } }\n\
         pipelines:\n  telling: { retrieval_modules: [failing] }\n",
    );
    let listed = facility.json(&["plugins", "list"]);
    let plugins = listed["plugins"].as_array().unwrap();
    let telling = plugins.iter().find(|plugin| plugin["name"] == "telling");
    assert_eq!(telling.unwrap()["state"], "failed");
}
