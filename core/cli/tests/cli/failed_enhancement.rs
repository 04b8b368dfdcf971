//! Entries that a module cannot enhance: they are stored, and it is said.
use crate::facility::{Facility, code, stderr, stdout};

/// A chat model at a port where nobody listens.
const AWAY: &str = "providers:\n  away:\n    plugin: openai\n    settings: { base_url: \
                    \"http://127.0.0.1:9/v1\", model: m, max_retries: 0 }\n\
                    enhancement_modules:\n  semantic_processor: { enabled: true, provider: away, \
                    model: m }\n";

#[test]
fn an_entry_that_is_not_enhanced_is_told_by_the_exit_code_and_shown_with_its_entry() {
    let facility = Facility::new();
    facility.write("config.yml", AWAY);
    let entry = r#"{"id": "A-1", "timestamp": "2024-01-05T08:30:00Z", "text": "pump tripped"}"#;
    facility.write("log.jsonl", entry);
    let ingested = facility.gannet(&["ingest", "log.jsonl"]);
    assert_eq!(code(&ingested), 4, "{}", stderr(&ingested));
    assert!(stdout(&ingested).contains("1 new"), "{}", stdout(&ingested));
    let told = stderr(&ingested);
    assert!(
        told.contains("`semantic_processor` failed with 1 entry"),
        "{told}"
    );
    assert_eq!(code(&facility.gannet(&["enhance"])), 4);

    let shown = facility.done(&["entry", "show", "A-1"]);
    let status = &facility.json(&["entry", "show", "A-1"])["enhancement_status"];
    let reason = status["semantic_processor"]["error"].as_str().unwrap();
    let line = shown.lines().find(|line| line.starts_with("not enhanced:"));
    let line = line.unwrap();
    assert!(
        line.contains("`semantic_processor` failed (2 attempts)"),
        "{line}"
    );
    assert!(line.contains(reason.lines().next().unwrap()), "{line}");

    // One that is stored without enhancement is no failure.
    facility.write("more.jsonl", &entry.replace("A-1", "A-2"));
    facility.done(&["ingest", "more.jsonl", "--no-enhance"]);
    let shown = facility.done(&["entry", "show", "A-2"]);
    assert!(!shown.contains("not enhanced"), "{shown}");
}
