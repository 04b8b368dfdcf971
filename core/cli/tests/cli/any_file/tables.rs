//! Tables of any columns, with and without a line that names them.

use std::fs;
use std::path::Path;

use crate::facility::{Facility, code, stderr, stdout};

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
fn a_table_with_a_header_line_alone_has_no_records() {
    let facility = Facility::new();
    let header = "id,timestamp,author,text\n";
    facility.write("header.csv", header);
    let told = facility.done(&["ingest", "header.csv", "--no-enhance"]);
    assert!(told.contains("ingested 0 new"), "{told}");
    assert!(told.contains("no records were read"), "{told}");

    std::fs::create_dir(facility.folder.path().join("logs")).unwrap();
    facility.write("logs/header.csv", &format!("\u{feff}{header}\n"));
    facility.write(
        "logs/full.csv",
        &format!("{header}A,2024-01-05,Voss,Pump\n"),
    );
    let told = facility.done(&["ingest", "logs", "--no-enhance"]);
    assert!(told.contains("ingested 1 new"), "{told}");
    let skipped = "skipped 1 file: header.csv (no records: a header line and nothing below it)";
    assert!(told.contains(skipped), "{told}");
    assert!(!told.contains("no records were read"), "{told}");
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
    assert!(told.contains("no records: a header line"), "{told}");
    assert!(told.contains("ingested 2 new"), "{told}");
    let again = facility.done(&["ingest", "logs", "--no-enhance"]);
    assert!(
        again.contains("ingested 0 new, 0 changed, 2 unchanged"),
        "{again}"
    );
}

#[test]
fn the_first_line_of_a_table_without_names_of_columns_is_a_record() {
    let facility = Facility::new();
    facility.write(
        "t.csv",
        "2024-01-05 08:30,Lee,RF trip of station two\n2024-01-06 09:00,Kim,Reset of the klystron\n",
    );
    let told = facility.done(&["ingest", "t.csv", "--accept", "--no-enhance"]);
    assert!(
        told.contains("no line with the names of its columns"),
        "{told}"
    );
    assert!(told.contains("ingested 2 new"), "{told}");
    let found = facility.json(&["search", "--mode", "keyword", "station"]);
    let entry = &found["entries"][0]["entry"];
    assert_eq!(entry["timestamp"], "2024-01-05T08:30:00Z");
    assert_eq!(entry["raw_text"], "RF trip of station two");
    let again = facility.done(&["ingest", "t.csv", "--no-enhance"]);
    assert!(again.contains("2 unchanged"), "{again}");
}

#[test]
fn a_line_alone_is_a_record_where_it_has_a_time_and_else_a_header_line() {
    let facility = Facility::new();
    fs::create_dir(facility.folder.path().join("logs")).unwrap();
    facility.write("logs/header.csv", "Datum;Name;Text\n");
    facility.write(
        "logs/one.csv",
        "05.01.2024 08:30;Lee;RF trip of station two\n",
    );
    let told = facility.done(&["ingest", "logs", "--accept", "--no-enhance"]);
    assert!(
        told.contains("one.csv has no line with the names of its columns"),
        "{told}"
    );
    assert!(told.contains("ingested 1 new"), "{told}");
    let skipped = "skipped 1 file: header.csv (no records: a header line and nothing below it)";
    assert!(told.contains(skipped), "{told}");
    let found = facility.json(&["search", "--mode", "keyword", "station"]);
    let entry = &found["entries"][0]["entry"];
    assert_eq!(entry["timestamp"], "2024-01-05T08:30:00Z");
    assert_eq!(entry["raw_text"], "RF trip of station two");
}

#[test]
fn a_record_that_is_too_large_is_one_rejected_record_and_the_folder_is_read_on() {
    let facility = Facility::new();
    fs::create_dir(facility.folder.path().join("logs")).unwrap();
    let long = "x".repeat(2 << 20);
    let table = format!("id,timestamp,text\nA-1,2024-01-05,good\nA-2,2024-01-05,\"{long}\"\n");
    facility.write("logs/a.csv", &table);
    facility.write("logs/b.csv", "id,timestamp,text\nB-1,2024-01-06,good\n");
    let told = facility.done(&["ingest", "logs", "--no-enhance"]);
    assert!(told.contains("ingested 2 new"), "{told}");
    assert!(told.contains("rejected 1 record"), "{told}");
    assert!(
        told.contains("1: a record of more than 1048576 bytes"),
        "{told}"
    );
    assert!(told.contains("(a.csv, line 3)"), "{told}");
}

#[test]
fn a_second_table_that_is_named_alone_is_refused_with_its_own_settings() {
    let facility = Facility::new();
    facility.write("shifts.csv", SHIFTS);
    facility.write(
        "my pumps.csv",
        "Key;When;Comment\nP1;2024-01-05;Oil\nP2;2024-01-06;Quiet\n",
    );
    facility.done(&["ingest", "shifts.csv", "--accept", "--no-enhance"]);
    let refused = facility.gannet(&["ingest", "my pumps.csv"]);
    assert_eq!(code(&refused), 2);
    let said = stderr(&refused);
    assert!(
        said.contains("no columns are configured for `my pumps.csv`"),
        "{said}"
    );
    assert!(
        said.contains("`gannet ingest 'my pumps.csv' --accept`"),
        "{said}"
    );
    assert!(said.contains("table_my_pumps:"), "{said}");
    assert!(!said.contains("Nr"), "{said}");
}

#[test]
fn several_tables_are_skipped_in_a_line_and_accepted_with_one_backup() {
    let facility = Facility::new();
    fs::create_dir(facility.folder.path().join("my logs")).unwrap();
    facility.write("config.yml", "# ours\r\n");
    facility.write("my logs/a.csv", SHIFTS);
    facility.write(
        "my logs/b.csv",
        "Key;When;Comment\nP1;2024-01-05;Oil\nP2;2024-01-06;Quiet\n",
    );
    facility.write("my logs/notes.txt", "The pump is quiet.");
    let planned = facility.done(&["ingest", "my logs", "--dry-run"]);
    let skipped = "skipped 2 files: a.csv, b.csv (no columns are configured for it: `gannet ingest \
                   'my logs' --accept` proposes and writes them)";
    assert!(planned.contains(skipped), "{planned}");
    let told = facility.done(&["ingest", "my logs", "--accept", "--no-enhance"]);
    assert!(told.contains("ingested 5 new"), "{told}");
    let folder = facility.folder.path();
    assert_eq!(
        fs::read_to_string(folder.join("config.yml.bak")).unwrap(),
        "# ours\r\n"
    );
    assert!(!folder.join("config.yml.bak2").exists());
    let written = config(folder);
    assert!(
        written.starts_with("# ours\r\ningestion:\r\n"),
        "{written:?}"
    );
    assert_eq!(
        written.matches('\n').count(),
        written.matches("\r\n").count()
    );
}

#[test]
fn a_table_that_needs_no_columns_is_still_read_beside_one_whose_columns_are_accepted() {
    let facility = Facility::new();
    std::fs::create_dir(facility.folder.path().join("logs")).unwrap();
    facility.write(
        "logs/a_german.csv",
        "Nr;Datum;Zeit;Name;Text\n1;13.01.2026;08:10;Meyer;germanword\n2;14.01.2026;08:10;Meyer;two\n",
    );
    let standard = "id,timestamp,title,text\nL-1,2026-01-02 08:00,Cooling,standardword\n";
    facility.write("logs/z_standard.csv", standard);
    for arguments in [
        &["ingest", "logs", "--accept", "--no-enhance"][..],
        &["ingest", "logs", "--no-enhance"],
    ] {
        let told = facility.done(arguments);
        assert!(told.contains("csv reads 1 file: z_standard.csv"), "{told}");
    }
    for word in ["germanword", "standardword"] {
        let found = facility.json(&["search", word, "--mode", "keyword"]);
        assert_eq!(found["entries"].as_array().map(Vec::len), Some(1), "{word}");
    }
}
