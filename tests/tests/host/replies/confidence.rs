//! A confidence is a probability, and highlights are words of the answer.

use gannet_api::AnswerStatus;
use gannet_core::SearchResult;
use serde_json::{Value, json};

use super::rogue::{ask, host_with, of_anna};

fn highlighted(result: &SearchResult) -> Vec<&str> {
    let answer = result.answer.as_deref().unwrap();
    let ranges = result.answer_highlights.iter();
    ranges.map(|range| &answer[range.clone()]).collect()
}

#[tokio::test]
async fn a_result_has_the_confidence_and_the_highlights_of_the_pipeline() {
    let result = ask("rogue_tale", "sure").await.unwrap();
    assert_eq!(result.answer_confidence, Some(0.92));
    assert_eq!(highlighted(&result), ["tripped", "reset"]);
    assert!(result.diagnostics.is_empty(), "{:?}", result.diagnostics);
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["answer_confidence"], 0.92);
    assert_eq!(json["answer_highlights"][0]["start"], 3);
    assert_eq!(json["answer_highlights"][0]["end"], 10);
}

#[tokio::test]
async fn a_result_without_a_confidence_does_not_name_it() {
    let result = ask("rogue_tale", "as it should").await.unwrap();
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json.get("answer_confidence"), None);
    assert_eq!(json.get("answer_highlights"), None);
}

#[tokio::test]
async fn a_confidence_above_1_and_a_highlight_behind_the_end_are_ignored() {
    let result = ask("rogue_tale", "too sure").await.unwrap();
    assert_eq!(result.answer_confidence, None);
    assert_eq!(highlighted(&result), ["tripped", "reset"]);
    assert_eq!(
        result.diagnostics[0].message,
        "pipeline `rogue_tale` gave the confidence 9.2, which is not between 0 and 1 and 1 \
         highlight that is not a part of its answer; ignored"
    );
    assert!(!result.degraded);
}

#[tokio::test]
async fn highlights_stay_at_their_words_when_a_citation_is_removed() {
    let question = "sure of nothing that was given";
    let result = ask("rogue_tale", question).await.unwrap();
    let answer = result.answer.as_deref();
    assert_eq!(answer, Some("It tripped. It was reset [#A-1]."));
    assert_eq!(highlighted(&result), ["tripped", "reset"]);
    assert_eq!(result.answer_status, Some(AnswerStatus::Uncited));
    assert_eq!(result.answer_confidence, None);
}

#[tokio::test]
async fn the_question_log_has_no_highlights_of_an_answer_that_it_redacts() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("questions.jsonl");
    let path = log.display().to_string();
    let host = host_with(&[("question_log.path", &path)]).await;
    for question in ["sure", "sure of a secret"] {
        let result = host.gannet.search(of_anna("rogue_tale", question)).await;
        assert!(!result.unwrap().answer_highlights.is_empty());
    }
    let lines = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["answer_confidence"], 0.92);
    assert_eq!(
        lines[0]["answer_highlights"],
        json!([{ "start": 3, "end": 10 }, { "start": 19, "end": 24 }])
    );
    assert!(!lines[1].to_string().contains("hunter2"));
    assert_eq!(lines[1]["answer_confidence"], 0.92);
    assert_eq!(lines[1]["answer_highlights"], json!([]));
}
