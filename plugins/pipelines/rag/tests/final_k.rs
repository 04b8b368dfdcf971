//! How many entries the result has: with a reranker, without one, and when it
//! fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::support::{FakeHost, entry, hits};
use fixture::{ask, described, ids, setup, with_params};
use gannet_plugin::prelude::{Answer, PipelineRequest, Result, Setup};
use gannet_plugin::provider::RerankScore;
use gannet_plugin::search::ScoreKind;
use serde_json::{Value, json};

/// Twelve entries, in the order of their vectors.
fn host() -> FakeHost {
    let names: Vec<String> = (0..12).map(|number| format!("E{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let entries: Vec<_> = names.iter().map(|id| entry(id, "RF trip.")).collect();
    described()
        .with_module("semantic", Ok(hits(ScoreKind::Cosine, &names)))
        .with_entries(&entries)
}

/// The reverse of the vectors' order.
fn reversed() -> Option<Result<Vec<RerankScore>>> {
    let scores = (0..12).map(|index| RerankScore::new(index, index as f64));
    Some(Ok(scores.collect()))
}

fn vector_only() -> Setup {
    setup().with_retrieval_modules(vec!["semantic".to_owned()])
}

fn answered(settings: Value, request: PipelineRequest, host: FakeHost) -> (Answer, usize) {
    let (host, context) = host.context();
    let answer = ask(settings, request, &vector_only(), &context).unwrap();
    let asked = host.asked_limits();
    (answer, asked[0])
}

fn request() -> PipelineRequest {
    PipelineRequest::new("RF trips", 10)
}

#[test]
fn a_reranker_that_works_gives_its_first_ones() {
    for settings in [
        json!({"final_k": 5, "rerank": {}}),
        json!({"rerank": {"final_k": 5}}),
    ] {
        let scores = reversed();
        let (answer, asked) = answered(settings, request(), FakeHost { scores, ..host() });
        assert_eq!(ids(&answer), ["E11", "E10", "E09", "E08", "E07"]);
        assert_eq!(asked, 100);
    }
}

#[test]
fn a_reranker_that_fails_leaves_as_many_of_the_same_candidates() {
    for settings in [
        json!({"final_k": 5, "rerank": {}}),
        json!({"rerank": {"final_k": 5}}),
    ] {
        for question in ["RF trips", "When was the last RF trip?"] {
            let request = PipelineRequest::new(question, 10);
            let (answer, asked) = answered(settings.clone(), request, host());
            assert_eq!(ids(&answer), ["E00", "E01", "E02", "E03", "E04"]);
            assert_eq!(asked, 100);
            assert!(answer.degraded);
        }
    }
}

#[test]
fn without_a_reranker_just_these_are_asked_for() {
    let settings = json!({"final_k": 5});
    let (answer, asked) = answered(settings, request(), host());
    assert_eq!(ids(&answer), ["E00", "E01", "E02", "E03", "E04"]);
    assert_eq!(asked, 5);

    let settings = json!({"rerank": {"final_k": 5}});
    let off = with_params(json!({"rerank": false}));
    let (answer, asked) = answered(settings, off, host());
    assert_eq!((answer.hits.len(), asked), (5, 5));

    let (answer, asked) = answered(json!({}), request(), host());
    assert_eq!((answer.hits.len(), asked), (10, 100));
}

#[test]
fn a_call_can_ask_for_fewer_and_what_is_pinned_counts() {
    let three = with_params(json!({"final_k": 3}));
    let (answer, _) = answered(json!({"final_k": 5}), three, host());
    assert_eq!(answer.hits.len(), 3);

    let settings = json!({"final_k": 3, "pinned": ["E01"]});
    let (answer, asked) = answered(settings, request(), host());
    assert_eq!(ids(&answer), ["E01", "E00", "E02"]);
    assert_eq!(asked, 4);
}

#[test]
fn none_is_a_mistake() {
    let (_, context) = host().context();
    for settings in [json!({"final_k": 0}), json!({"rerank": {"final_k": 0}})] {
        let refused = ask(settings, request(), &vector_only(), &context).unwrap_err();
        assert!(refused.to_string().contains("final_k"), "{refused}");
    }
}
