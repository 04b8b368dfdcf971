//! `gannet watch`: polls once, and goes on after it was killed.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::facility::{Facility, code, stderr};
use serde_json::Value;

const FIRST: &str =
    r#"{"id":"A","title":"Pump","text":"TP-3 exchanged.","timestamp":"2025-03-01T08:00:00Z"}"#;
const SECOND: &str =
    r#"{"id":"B","title":"Valve","text":"V-7 closed.","timestamp":"2025-03-02T08:00:00Z"}"#;

#[test]
fn a_watch_that_is_killed_goes_on_with_what_came_meanwhile() {
    let facility = Facility::new();
    let source = "ingestion:\n  sources:\n    log: { adapter: jsonl, source_url: log.jsonl }\n";
    facility.write("config.yml", source);
    facility.write("log.jsonl", FIRST);
    let mut child = facility
        .command(&["--format", "jsonl", "watch", "--no-enhance"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    shown.read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let first: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(first["event"], "polled");
    assert_eq!(first["report"]["added"], 1);

    facility.write("log.jsonl", &format!("{FIRST}\n{SECOND}"));
    let next = facility.json(&["watch", "log", "--once", "--no-enhance"]);
    assert_eq!(next["report"]["added"], 1, "{next}");
    assert_eq!(next["report"]["unchanged"], 1, "{next}");
    let status = facility.json(&["status"]);
    assert_eq!(status["entries"], 2);
    assert_eq!(status["sources"][0]["report"]["state"], "once");
}

#[test]
fn failures_in_a_row_and_the_last_read_are_kept_from_one_watch_to_the_next() {
    let facility = Facility::new();
    let source = "ingestion:\n  sources:\n    log: { adapter: jsonl, source_url: log.jsonl }\n";
    facility.write("config.yml", source);
    let once = ["watch", "log", "--once", "--no-enhance"];
    let report = || facility.json(&["status"])["sources"][0]["report"].take();
    let log = facility.write("log.jsonl", FIRST);
    facility.done(&once);
    let read = report()["last_success"].clone();
    assert!(read.is_string(), "{read}");
    std::fs::remove_file(log).unwrap();
    for failures in 1..=3 {
        assert_eq!(code(&facility.gannet(&once)), 4);
        let report = report();
        assert_eq!(report["consecutive_failures"], failures, "{report}");
        assert_eq!(report["last_success"], read, "{report}");
    }
    facility.write("log.jsonl", FIRST);
    facility.done(&once);
    let report = report();
    assert_eq!(report["consecutive_failures"], 0, "{report}");
    assert_ne!(report["last_success"], read, "{report}");
}

#[test]
fn a_source_that_cannot_be_read_is_an_error_of_the_command() {
    let facility = Facility::new();
    let output = facility.gannet(&["watch", "missing.jsonl", "--once"]);
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("missing.jsonl"),
        "{}",
        stderr(&output)
    );
    let output = facility.gannet(&["watch", "nothing", "--once"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("`ingestion.sources` names none"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_source_that_deletes_what_is_missing_shares_its_source_system_with_no_other() {
    let facility = Facility::new();
    let second = "    b: { adapter: ADAPTER, source_url: b.csv }\n";
    let sources = "ingestion:\n  sources:\n    a: { adapter: csv, source_url: a.csv, missing: \
                   delete }\n";
    let own = "  adapters:\n    shifts: { plugin: csv, settings: { source_system: Shifts } }\n";
    let with = |adapter: &str| format!("{sources}{}{own}", second.replace("ADAPTER", adapter));
    facility.write("config.yml", &with("csv"));
    for arguments in [&["config", "validate"][..], &["watch", "--once"]] {
        let refused = facility.gannet(arguments);
        assert_eq!(code(&refused), 3, "{}", stderr(&refused));
        let told = stderr(&refused);
        assert!(told.contains("ingestion.sources.a.missing"), "{told}");
        assert!(told.contains("the source `b` has the source"), "{told}");
    }
    facility.write("config.yml", &with("shifts"));
    facility.done(&["config", "validate"]);
}

#[test]
fn a_source_that_goes_on_from_a_cursor_is_told_how_far_it_deletes() {
    let facility = Facility::new();
    let address = "source_url: 'http://127.0.0.1:9/elog.php'";
    let settings = "settings: { max_retries: 0 }";
    let with = |place: &str| {
        format!(
            "ingestion:\n  sources:\n    log: {{ adapter: als_logbook, {place}, missing: delete \
             }}\n  adapters:\n    als_logbook: {{ {settings} }}\n"
        )
    };
    let notice = "after the first poll `als_logbook` goes on from a cursor";
    facility.write("config.yml", &with(address));
    let told = facility.done(&["config", "validate"]);
    assert!(told.contains("`ingestion.sources.log.missing`"), "{told}");
    assert!(told.contains(notice), "{told}");
    let watched = facility.gannet(&["watch", "--once"]);
    assert!(stderr(&watched).contains(notice), "{}", stderr(&watched));
    assert!(told.contains("`overlap_hours`"), "{told}");
    // The other ones are read as a whole: a file by each poll.
    let now_and_then = format!("{address}, full_read_interval_hours: 168");
    for place in ["source_url: log.jsonl", &now_and_then] {
        facility.write("config.yml", &with(place));
        let told = facility.done(&["config", "validate"]);
        assert!(!told.contains("missing"), "{told}");
    }
}
