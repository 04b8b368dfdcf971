//! `gannet ingest` finds the adapter of any file by itself.

mod made;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::facility::{Facility, code, stderr, stdout};
use made::{NOT_READ, READABLE};

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

    let told = facility.done(&["ingest", "any", "--no-enhance"]);
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

    fs::create_dir(facility.folder.path().join("none")).unwrap();
    let empty = facility.gannet(&["ingest", "none"]);
    assert_eq!(code(&empty), 2);
    assert!(
        stderr(&empty).contains("has no files"),
        "{}",
        stderr(&empty)
    );
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

const SHIFTS: &str = "Nr;Datum;Uhrzeit;Text\n17;05.01.2024;6:15;Pumpe\n18;06.01.2024;22:10;Ruhig\n";

fn config(folder: &Path) -> String {
    fs::read_to_string(folder.join("config.yml")).unwrap()
}

#[test]
fn the_columns_of_a_table_are_accepted_and_written_with_the_comments_of_before() {
    let facility = Facility::new();
    let folder = facility.folder.path();
    facility.write("shifts.csv", SHIFTS);
    facility.write(
        "config.yml",
        "# ours\ningestion: # sources\n  batch_size: 50\n",
    );

    let printed = facility.gannet(&["ingest", "shifts.csv", "--print"]);
    assert!(stdout(&printed).contains("timestamp: [\"Datum\", \"Uhrzeit\"]"));
    assert!(
        stderr(&printed).contains("17 2024-01-05T06:15:00Z"),
        "{}",
        stderr(&printed)
    );
    assert_eq!(
        config(folder),
        "# ours\ningestion: # sources\n  batch_size: 50\n"
    );

    let told = facility.done(&["ingest", "shifts.csv", "--accept", "--no-enhance"]);
    assert!(told.contains("ingested 2 new"), "{told}");
    let written = config(folder);
    assert!(
        written.starts_with("# ours\ningestion: # sources\n  adapters:\n    csv:\n"),
        "{written}"
    );
    assert!(written.ends_with("  batch_size: 50\n"), "{written}");
    let kept = fs::read_to_string(folder.join("config.yml.bak")).unwrap();
    assert_eq!(kept, "# ours\ningestion: # sources\n  batch_size: 50\n");
    let again = facility.done(&["ingest", "shifts.csv", "--no-enhance"]);
    assert!(again.contains("2 unchanged"), "{again}");
}

#[test]
fn a_second_table_gets_an_adapter_of_its_own_and_both_are_found_again() {
    let facility = Facility::new();
    facility.write("shifts.csv", SHIFTS);
    // Latin-1, and no column of times.
    let pumps = b"Key\tDevice\tComment\nP1\tTP-3\t\xd6l nachgef\xfcllt\nP2\tTP-4\tgut\n";
    fs::write(facility.folder.path().join("Pumps 1.tsv"), pumps).unwrap();
    facility.done(&["ingest", "shifts.csv", "--accept", "--no-enhance"]);
    let told = facility.done(&["ingest", "Pumps 1.tsv", "--accept", "--no-enhance"]);
    assert!(told.contains("Windows-1252"), "{told}");
    assert!(told.contains("ingested 2 new"), "{told}");
    let written = config(facility.folder.path());
    assert!(
        written.contains("table_pumps_1:\n      plugin: csv\n"),
        "{written}"
    );
    let entry = facility.json(&["entry", "show", "P1"]);
    assert_eq!(entry["timestamp"], "1970-01-01T00:00:00Z");
    assert_eq!(entry["kind"], "document");
    assert!(
        entry["raw_text"]
            .as_str()
            .unwrap()
            .contains("Öl nachgefüllt")
    );

    let both = facility.done(&["ingest", ".", "--no-enhance"]);
    assert!(
        both.contains("ingested 0 new, 0 changed, 4 unchanged"),
        "{both}"
    );
}

#[test]
fn a_configuration_that_lines_cannot_be_added_to_stays_as_it_is() {
    let facility = Facility::new();
    facility.write("shifts.csv", SHIFTS);
    facility.write("config.yml", "ingestion: { batch_size: 50 }\n");
    let refused = facility.gannet(&["ingest", "shifts.csv", "--accept"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("by hand"), "{}", stderr(&refused));
    assert_eq!(
        config(facility.folder.path()),
        "ingestion: { batch_size: 50 }\n"
    );
}

#[test]
fn tables_with_the_same_columns_have_one_adapter_and_are_unchanged_the_second_time() {
    let facility = Facility::new();
    fs::create_dir(facility.folder.path().join("logs")).unwrap();
    facility.write("logs/a.csv", "Date,Author,Text\n");
    facility.write("logs/b.csv", "Date,Author,Text\n2024-01-02,Jo,pump quiet\n");
    facility.write("logs/c.csv", "Date,Author,Text\n2024-01-03,Jo,pump loud\n");
    let told = facility.done(&["ingest", "logs", "--accept", "--no-enhance"]);
    assert!(told.contains("a table without records"), "{told}");
    assert!(told.contains("ingested 2 new"), "{told}");
    let again = facility.done(&["ingest", "logs", "--no-enhance"]);
    assert!(
        again.contains("ingested 0 new, 0 changed, 2 unchanged"),
        "{again}"
    );
}
