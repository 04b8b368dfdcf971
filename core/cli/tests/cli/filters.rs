//! Filters, facets and spans of time that no entry can match.
use crate::facility::{Facility, code, stderr};

#[test]
fn a_filter_a_facet_and_a_span_that_cannot_match_are_named() {
    let facility = Facility::new();
    let entry = r#"{"id": "A", "timestamp": "2025-03-01T08:00:00Z", "text": "The pump tripped."}"#;
    facility.write("log.jsonl", entry);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let said = |arguments: &[&str]| stderr(&facility.gannet(arguments));
    let list = said(&["entry", "list", "--filter", "foo=bar"]);
    assert!(list.contains("no entry has a field `foo`"), "{list}");
    let search = [
        "search", "tripped", "--mode", "keyword", "--facet", "nosuch",
    ];
    let search = said(&search);
    assert!(search.contains("no entry has a field `nosuch`"), "{search}");
    let span = [
        "ingest",
        "log.jsonl",
        "--since",
        "2026-01",
        "--until",
        "2025-01",
    ];
    assert!(said(&span).contains("no record is between them"));
    assert_eq!(code(&facility.gannet(&span)), 2);
}
