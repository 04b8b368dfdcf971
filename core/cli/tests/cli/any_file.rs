//! `gannet ingest` finds the adapter of any file by itself.

mod made;
mod tables;

use std::fs;

use serde_json::Value;

use crate::facility::{Facility, code, stderr, stdout};
use made::{NOT_READ, READABLE};

/// Memory for a folder of any files, in KiB.
const MOST_MEMORY: usize = 500_000;

fn found(facility: &Facility, word: &str) -> Vec<Value> {
    let found = facility.json(&["search", "--mode", "keyword", word]);
    found["entries"].as_array().cloned().unwrap_or_default()
}

#[cfg(unix)]
#[test]
fn every_readable_file_of_a_folder_is_found_and_each_other_one_is_named_in_a_line() {
    let facility = Facility::new();
    made::make(facility.folder.path());
    made::add_bomb(facility.folder.path());
    made::add_huge(facility.folder.path());

    let planned = facility.done(&["ingest", "any", "--dry-run"]);
    assert!(planned.contains("files reads"), "{planned}");
    assert!(
        planned.contains("csv reads 1 file: entries.csv"),
        "{planned}"
    );
    assert!(
        planned.contains("undated.jsonl; no record has a time"),
        "{planned}"
    );

    let ingested = facility.gannet_within(MOST_MEMORY, &["ingest", "any", "--no-enhance"]);
    assert_eq!(code(&ingested), 0, "{}", stderr(&ingested));
    let told = stdout(&ingested);
    for (file, what) in NOT_READ {
        let is_of = |line: &&str| line.contains(file) && line.starts_with(['s', ' ']);
        let lines: Vec<&str> = told.lines().filter(is_of).collect();
        assert_eq!(lines.len(), 1, "{file}: {told}");
        assert!(lines[0].contains(what), "{file}: {}", lines[0]);
    }
    assert!(told.contains("no `timestamp`"), "{told}");
    assert!(told.lines().count() < 30, "{told}");

    for (file, word) in READABLE {
        let found = found(&facility, word);
        assert_eq!(found.len(), 1, "{file}: {word}");
    }
    let export = facility.done(&["export"]);
    assert!(!export.contains("wordoutside") && !export.contains("not opened"));
    let again = facility.done(&["ingest", "any", "--no-enhance"]);
    assert!(again.contains("ingested 0 new, 0 changed"), "{again}");
}

#[test]
fn parts_of_documents_have_ids_titles_and_the_times_of_their_documents() {
    let facility = Facility::new();
    made::make(facility.folder.path());
    facility.done(&["ingest", "any", "--no-enhance"]);
    for (word, id, title, time) in [
        (
            "wordsection",
            "handbook.docx#section=1",
            "RF handbook: Start",
            "2024-01-05T08:30:00Z",
        ),
        (
            "wordcell",
            "handbook.docx#section=2",
            "RF handbook: Stop",
            "2024-01-05T08:30:00Z",
        ),
        (
            "wordslide",
            "talk.pptx#slide=1",
            "talk.pptx, slide 1: Interlocks",
            "",
        ),
        (
            "wordsheet",
            "pumps.xlsx#sheet=Pumps",
            "pumps.xlsx, sheet Pumps",
            "",
        ),
        ("wordepub", "book.epub#chapter=1", "Vacuum: Leaks", ""),
        (
            "wordmail",
            "trip.eml",
            "Störung of RF 2",
            "2024-01-05T07:30:00Z",
        ),
        (
            "wordattached",
            "trip.eml#attachment=1",
            "Plan",
            "2024-01-05T07:30:00Z",
        ),
        (
            "wordforwarded",
            "trip.eml#attachment=3",
            "Earlier",
            "2024-01-04T07:30:00Z",
        ),
        (
            "wordsecondmail",
            "list.mbox#message=2",
            "Re: One",
            "2024-01-05T09:30:00Z",
        ),
        ("wordundated", "U-1", "", "1970-01-01T00:00:00Z"),
    ] {
        let hits = found(&facility, word);
        assert_eq!(hits[0]["entry"]["entry_id"], id, "{word}");
        let entry = facility.json(&["entry", "show", id]);
        assert_eq!(
            entry["metadata"]["title"].as_str().unwrap_or_default(),
            title,
            "{id}"
        );
        if !time.is_empty() {
            assert_eq!(entry["timestamp"], time, "{id}");
        }
    }
    let mail = facility.json(&["entry", "show", "trip.eml"]);
    assert_eq!(mail["author"], "Jürgen Müller");
    assert_eq!(mail["metadata"]["thread"], "1@lab.example");
    assert_eq!(mail["attachments"][1]["filename"], "scope.png");
    assert!(mail["raw_text"].as_str().unwrap().contains("läuft"));
    let reply = facility.json(&["entry", "show", "list.mbox#message=2"]);
    assert_eq!(reply["metadata"]["thread"], "m1@lab.example");
    let sheet = facility.json(&["entry", "show", "pumps.xlsx#sheet=Pumps"]);
    assert!(
        sheet["raw_text"]
            .as_str()
            .unwrap()
            .contains("wordsheet | 2024-01-05")
    );
    let undated = facility.json(&["entry", "show", "U-1"]);
    assert_eq!(undated["kind"], "document");
}

#[test]
fn a_file_that_no_adapter_reads_is_one_error_that_says_what_it_is() {
    let facility = Facility::new();
    fs::write(facility.folder.path().join("tool"), b"\0\x01\0\0\x02").unwrap();
    let refused = facility.gannet(&["ingest", "tool"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("`tool`: a binary file"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn an_empty_folder_is_an_error_and_makes_no_store() {
    let facility = Facility::new();
    let folder = facility.folder.path();
    fs::create_dir(folder.join("none")).unwrap();
    let files = || fs::read_dir(folder).unwrap().count();
    let before = files();
    let empty = facility.gannet(&["ingest", "none"]);
    assert_eq!(code(&empty), 2);
    let said = stderr(&empty);
    assert!(said.contains("the folder `none` has no files"), "{said}");
    assert_eq!(files(), before);
}

#[test]
fn records_without_a_time_get_the_one_that_is_named() {
    let facility = Facility::new();
    facility.write(
        "log.jsonl",
        "{\"id\": 1, \"timestamp\": 5, \"text\": \"a\"}\n{\"id\": 2, \"text\": \"b\"}\n",
    );
    let told = facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    assert!(told.contains("1: no `timestamp`; `gannet ingest FILE --default-timestamp TIME`"));
    assert!(told.contains("(line 2)"), "{told}");
    let dated = [
        "ingest",
        "log.jsonl",
        "--no-enhance",
        "--default-timestamp",
        "2024-01-05",
    ];
    assert!(
        facility
            .done(&dated)
            .contains("ingested 1 new, 0 changed, 1 unchanged")
    );
    let entry = facility.json(&["entry", "show", "2"]);
    assert_eq!(entry["timestamp"], "2024-01-05T00:00:00Z");
    assert_eq!(entry["kind"], "logbook");
}

#[test]
fn a_folder_that_the_configured_adapter_cannot_read_is_refused_with_what_chose_it() {
    let facility = Facility::new();
    fs::create_dir(facility.folder.path().join("notes")).unwrap();
    facility.write("notes/a.txt", "The pump is quiet.");
    facility.write("config.yml", "ingestion:\n  adapter: generic_json\n");
    let refused = facility.gannet(&["ingest", "notes"]);
    assert_eq!(code(&refused), 2);
    let said = stderr(&refused);
    assert!(said.contains("no file that ends with .json"), "{said}");
    assert!(said.contains("`ingestion.adapter: generic_json`"), "{said}");
    assert!(
        said.contains("`gannet ingest notes --adapter files`"),
        "{said}"
    );
    facility.done(&["ingest", "notes", "--adapter", "files", "--no-enhance"]);
}
