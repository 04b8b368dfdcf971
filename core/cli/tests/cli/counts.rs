//! Counts of questions about sets of entries: as a table, and as
//! comma-separated values.

use serde_json::{Value, json};

use crate::facility::{Facility, code, stderr, stdout};

fn with_entries() -> Facility {
    let facility = Facility::new();
    let record = |id: &str, day: &str, author: &str| {
        let record = json!({
            "id": id, "timestamp": format!("{day}T08:00:00Z"), "author": author,
            "title": "Round, at eight", "text": "The unit was quiet.",
        });
        record.to_string()
    };
    let lines = [
        record("A-1", "2024-11-05", "Okafor"),
        record("A-2", "2025-01-05", "Okafor"),
        record("A-3", "2025-01-09", "Lee, Ann"),
    ];
    facility.write("log.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    facility
}

#[test]
fn counts_are_shown_in_columns() {
    let facility = with_entries();
    let shown = facility.done(&["ask", "how many entries by author since 2024"]);
    let table = "  3 entries, by author:\n    Okafor    2\n    Lee, Ann  1\n  Entries:\n";
    assert!(shown.contains(table), "{shown}");
}

#[test]
fn counts_are_comma_separated_values() {
    let facility = with_entries();
    let months = ["entries per month since November 2024", "--format", "csv"];
    for command in ["ask", "search"] {
        let shown = facility.done(&[&[command], &months[..]].concat());
        assert_eq!(
            shown, "value,count\n2024-11,1\n2024-12,0\n2025-01,2\n",
            "{command}"
        );
    }
    let authors = [
        "ask",
        "how many entries by author since 2024",
        "--format",
        "csv",
    ];
    assert_eq!(
        facility.done(&authors),
        "value,count\nOkafor,2\n\"Lee, Ann\",1\n"
    );
}

#[test]
fn listed_entries_are_comma_separated_values() {
    let facility = with_entries();
    let shown = facility.done(&["ask", "the last two entries", "--format", "csv"]);
    let expected = "entry_id,timestamp,author,title\n\
                    A-3,2025-01-09T08:00:00Z,\"Lee, Ann\",\"Round, at eight\"\n\
                    A-2,2025-01-05T08:00:00Z,Okafor,\"Round, at eight\"\n";
    assert_eq!(shown, expected);
}

#[test]
fn comma_separated_values_are_of_counts_only() {
    let facility = with_entries();
    for (arguments, reason) in [
        (
            &["ask", "why was it quiet?"][..],
            "a question about a set of entries",
        ),
        (&["status"], "applies to `gannet ask`, `gannet search` and"),
    ] {
        let refused = facility.gannet(&[arguments, &["--format", "csv"]].concat());
        assert_eq!((code(&refused), stdout(&refused).as_str()), (2, ""));
        assert!(stderr(&refused).contains(reason), "{}", stderr(&refused));
    }
}

#[test]
fn a_trend_of_nothing_is_refused() {
    let facility = Facility::new();
    let refused = facility.gannet(&["trend", " "]);
    assert_eq!(code(&refused), 2);
    let said = stderr(&refused);
    assert!(said.contains("say which entries to count"), "{said}");
}

#[test]
fn a_trend_without_entries_is_valid_and_empty() {
    let facility = with_entries();
    let asked = |question: &str, format: &str| {
        let command = ["trend", question, "--by", "author", "--unit", "month"];
        let command = [&command[..], &["--format", format]].concat();
        facility.done(&command)
    };
    for (question, counts) in [
        ("how many entries by author:nobody", 3),
        ("how many entries in 1990", 0),
    ] {
        let shown = asked(question, "json");
        let trend: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(trend["count"], 0, "{trend}");
        let rows = trend["rows"].as_array().unwrap();
        assert_eq!(rows.len(), counts, "{trend}");
        assert!(rows.iter().all(|row| row["count"] == 0), "{trend}");
        assert_eq!(trend["change_points"], json!([]));
        assert_eq!(trend["series"], json!([]));
        let lines = asked(question, "csv").lines().count();
        assert_eq!(lines, counts + 1, "{question}");
    }
    let output = facility.gannet(&["trend", "how many entries in 1990", "--svg", "none.svg"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("there is no chart"));
}

#[test]
fn a_chart_that_cannot_be_written_is_named() {
    let facility = with_entries();
    let place = ["--svg", "none/trend.svg"];
    let output = facility.gannet(&[&["trend", "how many entries"], &place[..]].concat());
    assert_eq!(code(&output), 4);
    let said = stderr(&output);
    assert!(said.contains("none/trend.svg cannot be written"), "{said}");
}
