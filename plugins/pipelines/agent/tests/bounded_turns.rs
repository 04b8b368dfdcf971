//! What is kept of one turn of a model, however much it says and calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{calls, host_with, listening, noted, run, says, searches, setup, steps, told};
use serde_json::json;

#[test]
fn more_calls_at_once_than_allowed_are_not_carried_out() {
    let one = ("keyword_search", json!({"query": "trip"}));
    let host = host_with([calls("", &vec![one; 12]), says("An interlock [#A].")]);
    let answer = run(json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(host.calls().search_modules.len(), 8);
    let seen = fixture::observations(&host);
    assert_eq!(seen.len(), 8);
    let end = "Error: only 8 calls per round are executed; 4 more were not";
    assert!(seen[7].ends_with(end), "{}", seen[7]);
    assert_eq!(answer.citations, ["A"]);
}

#[test]
fn thousands_of_calls_and_endless_arguments_are_not_kept() {
    let name = "x".repeat(5_000);
    let wanted = json!({ "query": "y".repeat(100_000) });
    let many = vec![(name.as_str(), wanted); 2_000];
    let host = host_with([
        calls("", &many),
        searches("trip"),
        says("An interlock [#A]."),
    ]);
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(answer.citations, ["A"]);
    assert_eq!(noted(&context), [("agent".to_owned(), "limit".to_owned())]);
    let sent = serde_json::to_string(&host.calls().chats[1].messages).unwrap();
    assert!(sent.len() < 20_000, "{}", sent.len());
    let details = answer.pipeline_details.unwrap().to_string();
    assert!(details.len() < 20_000, "{}", details.len());
}

#[test]
fn a_model_that_never_ends_is_cut() {
    let endless = "It tripped. ".repeat(10_000) + "[#A]";
    let host = host_with([searches("trip"), says(&endless)]);
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert!(answer.answer.unwrap().chars().count() <= 65_536);
    assert_eq!(answer.citations, Vec::<String>::new());
    let expected = ("agent".to_owned(), "truncated".to_owned());
    assert_eq!(noted(&context), [expected]);
}

#[test]
fn what_a_model_thinks_aloud_is_not_shown_and_does_not_cite() {
    let host = host_with([
        calls(
            "<think>Which?</think>I search.",
            &[("keyword_search", json!({"query": "trip"}))],
        ),
        says("<think>Is it [#B] ?</think>\n\nAn interlock [#A]."),
    ]);
    let (context, heard) = listening(&host);
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(answer.answer.as_deref(), Some("An interlock [#A]."));
    assert_eq!(answer.citations, ["A"]);
    assert!(!told(&heard).iter().any(|one| one.contains("think")));
    assert!(steps(&answer).contains(&"reasoning - I search.".to_owned()));
    let sent = serde_json::to_string(&host.calls().chats[1].messages).unwrap();
    assert!(!sent.contains("Which?"), "{sent}");
}
