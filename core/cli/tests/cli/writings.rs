//! `gannet search` finds words in the ways in which people type them, and marks
//! them as they stand in the text.

use serde_json::{Value, json};

use crate::facility::Facility;

const ENGLISH: [&str; 15] = [
    "Set to 3.5kV again",
    "Set to 3.5 kV again",
    "The cryomodule is cold",
    "The cryo-module is warm",
    "Now v2.3.1-rc4 runs",
    "Now 2.3.1-rc4 runs",
    "Drawn 5 \u{b5}A",
    "Drawn 5 \u{3bc}A",
    "Drawn 5 uA",
    "Drawn 5\u{b5}A",
    "Drawn 5\u{3bc}A",
    "Drawn 5uA",
    "Board 643B0FF0A1C2 exchanged",
    "Valve CV102 sticks",
    "Valve CV-102 sticks",
];

const GERMAN: [&str; 4] = [
    "Die Kühlwasserpumpe ist laut und nicht dicht",
    "Müller hat die Dichtung getauscht",
    "Mueller war auch da und hat nicht gemessen",
    "Der Strahl ist weg",
];

/// A facility with an entry of each text on a day of March 2026, `e0` on the first.
fn with(texts: &[&str]) -> Facility {
    let facility = Facility::new();
    let lines = texts.iter().enumerate().map(|(at, text)| {
        let time = format!("2026-03-{:02}T12:00:00Z", at + 1);
        json!({"id": format!("e{at}"), "timestamp": time, "text": text}).to_string()
    });
    facility.write("log.jsonl", &lines.collect::<Vec<_>>().join("\n"));
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    facility
}

fn search(facility: &Facility, query: &str) -> Value {
    facility.json(&["search", "--mode", "keyword", query])
}

/// The ids of the entries with all words of a query.
fn ids(found: &Value) -> Vec<&str> {
    let hits = found["entries"].as_array().unwrap().iter();
    let whole = hits.filter(|hit| hit["matched"] != "some");
    let mut ids: Vec<&str> = whole
        .map(|hit| hit["entry"]["entry_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable_by_key(|id| (id.len(), *id));
    ids
}

#[test]
fn words_are_found_as_people_type_them() {
    let facility = with(&ENGLISH);
    let amperes = &["e6", "e7", "e8", "e9", "e10", "e11"][..];
    for (query, expected) in [
        ("3.5kV", &["e0", "e1"][..]),
        ("3.5 kV", &["e0", "e1"]),
        ("cryomodule", &["e2", "e3"]),
        ("cryo-module", &["e2", "e3"]),
        ("2.3.1", &["e4", "e5"]),
        ("v2.3.1", &["e4", "e5"]),
        ("2.3.1-rc4", &["e4", "e5"]),
        ("v2.3.1-rc4", &["e4", "e5"]),
        ("5uA", amperes),
        ("5 uA", amperes),
        ("5\u{b5}A", amperes),
        ("5 \u{b5}A", amperes),
        ("5\u{3bc}A", amperes),
        ("5 \u{3bc}A", amperes),
        ("CV102", &["e13", "e14"]),
        ("CV-102", &["e13", "e14"]),
    ] {
        let found = search(&facility, query);
        assert_eq!(ids(&found), expected, "{query}");
        for hit in found["entries"].as_array().unwrap() {
            let marked = hit["highlights"]
                .as_array()
                .is_some_and(|all| !all.is_empty());
            assert!(marked, "{query}: {hit}");
        }
    }
}

#[test]
fn the_beginning_of_a_code_is_found_with_a_note() {
    let facility = with(&ENGLISH);
    let found = search(&facility, "643B0FF0");
    assert_eq!(ids(&found), ["e12"]);
    let said = facility.done(&["search", "--mode", "keyword", "643B0FF0"]);
    assert!(said.contains("643B0FF0A1C2"), "{said}");
    let notes = found["diagnostics"].to_string();
    assert!(notes.contains("begins with it: `643b0ff0a1c2`"), "{notes}");
}

#[test]
fn days_have_the_prefixes_of_other_search_boxes() {
    let facility = with(&ENGLISH);
    for (query, expected) in [
        ("drawn before:2026-03-08", &["e6"][..]),
        ("drawn after:2026-03-11", &["e11"]),
        ("drawn from:2026-03-11", &["e10", "e11"]),
        ("drawn since:2026-03-11", &["e10", "e11"]),
        ("drawn until:2026-03-08", &["e6", "e7"]),
    ] {
        assert_eq!(ids(&search(&facility, query)), expected, "{query}");
    }
}

#[test]
fn german_words_are_found_without_umlauts_and_as_parts_of_compounds() {
    let facility = with(&GERMAN);
    for query in ["mueller", "Müller"] {
        assert_eq!(ids(&search(&facility, query)), ["e1", "e2"], "{query}");
    }
    let found = search(&facility, "Pumpe");
    assert_eq!(ids(&found), ["e0"]);
    let marked = &found["entries"][0]["highlights"][0];
    assert!(marked.to_string().contains("Kühlwasserpumpe"), "{marked}");
    let english = with(&["The turbopump is loud", "The beam is off"]);
    assert_eq!(ids(&search(&english, "pump")), [""; 0]);
}
