//! What a command does when its output cannot be written.
#![cfg(target_os = "linux")]
use std::fs::File;
use std::process::{Output, Stdio};

use crate::facility::{Facility, code, stderr};
use serde_json::json;

/// A facility with a file of three records.
fn with_log() -> Facility {
    let facility = Facility::new();
    let record = |number: usize| {
        json!({
            "id": format!("A-{number}"), "title": "RF trip", "author": "Lee",
            "text": "CAV1 tripped on reflected power.",
            "timestamp": "2025-03-14T09:30:00Z",
        })
        .to_string()
    };
    let lines: Vec<String> = (0..3).map(record).collect();
    facility.write("log.jsonl", &lines.join("\n"));
    facility
}

fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .unwrap()
        .into()
}

/// A pipe whose reader is gone.
fn closed() -> Stdio {
    std::io::pipe().unwrap().1.into()
}

fn run(facility: &Facility, arguments: &[&str], stdout: Stdio, stderr: Stdio) -> Output {
    facility
        .command(arguments)
        .stdout(stdout)
        .stderr(stderr)
        .output()
        .unwrap()
}

#[test]
fn output_that_cannot_be_written_is_an_error_of_its_own() {
    let facility = with_log();
    facility.done(&["ingest", "log.jsonl"]);
    let commands: [&[&str]; 8] = [
        &["search", "trip"],
        &["--format", "json", "ask", "what tripped?"],
        &["entry", "show", "A-1"],
        &["status"],
        &["doctor"],
        &["plugins", "list"],
        &["config", "show"],
        &["completions", "bash"],
    ];
    for command in commands {
        let lost = run(&facility, command, full(), Stdio::piped());
        let said = stderr(&lost);
        assert_eq!(code(&lost), 4, "{command:?}: {said}");
        assert!(
            said.contains("the standard output cannot be written: No space left"),
            "{command:?}: {said}"
        );

        let unread = run(&facility, command, closed(), Stdio::piped());
        assert_eq!(code(&unread), 0, "{command:?}: {}", stderr(&unread));
        assert!(!stderr(&unread).contains("cannot be written"));
    }
}

#[test]
fn an_ingestion_that_cannot_print_embeds_what_it_stored() {
    for output in [full(), closed()] {
        let facility = with_log();

        run(&facility, &["ingest", "log.jsonl"], output, Stdio::null());

        let status = facility.json(&["status"]);
        assert_eq!(
            status["enhancement"]["text_embedding"]["complete"], 3,
            "{status}"
        );
    }
}

#[test]
fn warnings_that_cannot_be_written_change_nothing() {
    let facility = with_log();
    let arguments = ["-vvv", "ingest", "log.jsonl"];
    for errors in [full(), closed()] {
        let ingested = run(&facility, &arguments, Stdio::piped(), errors);
        assert_eq!(code(&ingested), 0);
    }
    let unknown = run(&facility, &["entry", "show", "B-1"], Stdio::piped(), full());
    assert_eq!(code(&unknown), 2);
}

#[test]
fn json_holds_no_control_characters_of_terminals() {
    let facility = Facility::new();
    facility.write(
        "log.jsonl",
        &json!({
            "id": "C-1", "title": "Red \u{9b}31m", "text": "alarm \u{7f}\u{85} bell",
            "author": "Lee", "timestamp": "2025-03-14T09:30:00Z",
        })
        .to_string(),
    );
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);

    let shown = facility.done(&["--format", "json", "entry", "show", "C-1"]);

    let is_control = |letter: char| letter.is_control() && letter != '\n';
    assert!(!shown.contains(is_control), "{shown:?}");
    let entry: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert!(
        entry["raw_text"].as_str().unwrap().contains('\u{85}'),
        "{entry}"
    );
}
