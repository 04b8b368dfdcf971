//! `gannet export`, and `gannet vocabulary check`.

use crate::facility::{Facility, code, stderr};

const LOG: &str = "\
{\"id\":\"A\",\"title\":\"Pump\",\"text\":\"TP-3 exchanged.\",\"timestamp\":\"2025-03-01T08:00:00Z\",\"author\":\"Lee\"}
{\"id\":\"B\",\"title\":\"Valve\",\"text\":\"V-7 closed.\",\"timestamp\":\"2025-04-01T08:00:00Z\",\"author\":\"Kim\"}
";

#[test]
fn what_is_exported_can_be_ingested_and_is_the_same_again() {
    let facility = Facility::new();
    facility.write("log.jsonl", LOG);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let exported = facility.done(&["export"]);
    assert_eq!(exported.lines().count(), 2);
    facility.done(&["export", "--output", "out.jsonl"]);
    let written = std::fs::read_to_string(facility.folder.path().join("out.jsonl")).unwrap();
    assert_eq!(written, exported);
    facility.done(&["ingest", "out.jsonl", "--no-enhance", "--data", "other"]);
    assert_eq!(facility.done(&["export", "--data", "other"]), exported);
    let march = facility.done(&["export", "--end-date", "2025-03"]);
    assert_eq!(march.lines().count(), 1);

    let output = facility.gannet(&["export", "--eln", "A", "--output", "a.eln"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(facility.folder.path().join("a.eln").exists());
    let output = facility.gannet(&["export", "--eln", "Z", "--output", "z.eln"]);
    assert_ne!(code(&output), 0);
    assert!(!facility.folder.path().join("z.eln.part").exists());
}

#[test]
fn a_vocabulary_is_checked() {
    let facility = Facility::new();
    facility.write(
        "good.yml",
        "concepts: [{canonical: gate valve, kind: acronym, forms: [GV]}]\n",
    );
    let checked = facility.json(&["vocabulary", "check", "good.yml"]);
    assert_eq!(checked["concepts"], 1);
    facility.write(
        "bad.yml",
        "concepts: [{canonical: gate valve, forms: [GV]}]\n",
    );
    let output = facility.gannet(&["vocabulary", "check", "bad.yml"]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("`kind` must be"),
        "{}",
        stderr(&output)
    );
}
