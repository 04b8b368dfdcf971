//! What a plugin returns is cut to the contract's limits, and says so.

use gannet_api::limits;

use super::rogue::{HUGE, ask};

/// Room for a marker.
const MARKER: usize = 100;

fn is_cut(text: &str, limit: usize) -> bool {
    let marker = format!("(cut, {limit} of {HUGE} bytes shown)");
    text.len() <= limit + MARKER && text.ends_with(&marker)
}

#[tokio::test]
async fn an_error_of_100_mib_is_cut() {
    let error = ask("rogue", "a huge error").await.unwrap_err().to_string();
    assert!(
        is_cut(&error, limits::MESSAGE_BYTES),
        "{} bytes",
        error.len()
    );
    let result = ask("rag", "a huge error").await.unwrap();
    let length: usize = result
        .diagnostics
        .iter()
        .map(|note| note.message.len())
        .sum();
    assert!(length < 2 * limits::MESSAGE_BYTES, "{length}");
}

#[tokio::test]
async fn a_note_of_100_mib_is_cut() {
    let result = ask("rogue", "a huge note").await.unwrap();
    let note = &result.diagnostics[0].message;
    assert!(is_cut(note, limits::MESSAGE_BYTES), "{} bytes", note.len());
}

#[tokio::test]
async fn of_a_million_notes_some_are_kept_and_the_rest_is_counted() {
    for mode in ["rogue", "rag"] {
        let result = ask(mode, "a million notes").await.unwrap();
        let notes = &result.diagnostics;
        assert!(notes.len() <= limits::DIAGNOSTICS + 10, "{}", notes.len());
        let says = |text: &str| notes.iter().any(|note| note.message.contains(text));
        assert!(says("999800 more diagnostics were left out"), "{mode}");
    }
}

#[tokio::test]
async fn highlights_and_explanations_are_cut() {
    let result = ask("rogue", "a huge hit").await.unwrap();
    let hit = &result.entries[0];
    assert!(is_cut(&hit.highlights[0].text, limits::FRAGMENT_BYTES));
    assert!(hit.highlights[0].ranges.is_empty());
    let explained = serde_json::to_string(&hit.explain).unwrap();
    assert!(explained.contains("left out"), "{} bytes", explained.len());
}

#[tokio::test]
async fn an_answer_of_100_mib_is_cut() {
    let result = ask("rogue_tale", "a huge answer").await.unwrap();
    assert!(is_cut(&result.answer.unwrap(), limits::ANSWER_BYTES));
    assert!(is_cut(&result.reasoning, limits::ANSWER_BYTES));
    let details = serde_json::to_string(&result.pipeline_details).unwrap();
    assert!(details.contains("left out"), "{} bytes", details.len());
}
