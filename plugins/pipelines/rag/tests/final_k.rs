//! How many entries the result has: with a reranker, without one, and when it
//! fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::sync::Arc;

use fixture::support::{FakeHost, entry, hits};
use fixture::{ask, described, ids, setup, with_params};
use gannet_plugin::plan::{EntityKind, PlanEntity, PlanSource, QueryPlan};
use gannet_plugin::prelude::{Answer, PipelineRequest, Result, Setup};
use gannet_plugin::provider::RerankScore;
use gannet_plugin::query::ParsedQuery;
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
fn a_small_window_leaves_the_rest_behind() {
    let scores = [RerankScore::new(0, -5.0), RerankScore::new(1, 2.0)];
    let host = FakeHost {
        scores: Some(Ok(scores.to_vec())),
        ..host()
    };
    let settings = json!({"rerank": {"candidate_k": 2}});
    let five = PipelineRequest::new("RF trips", 5);
    let (answer, _) = answered(settings, five, host);
    assert_eq!(ids(&answer), ["E01", "E00", "E02", "E03", "E04"]);
    let stages = &answer.pipeline_details.as_ref().unwrap()["stages"];
    let reranked = stages.as_array().unwrap().iter();
    let reranked: Vec<&Value> = reranked.filter(|one| one["stage"] == "rerank").collect();
    assert_eq!(reranked[0]["candidates"], 2);
}

#[test]
fn a_question_that_is_only_a_name_is_not_reranked() {
    for (question, names, first) in [
        ("CV-102", vec![(0, 6)], "E00"),
        ("CV-102, CV-103", vec![(0, 6), (8, 14)], "E00"),
        ("Why did CV-102 trip?", vec![(8, 14)], "E11"),
    ] {
        let device = |(from, to): (usize, usize)| {
            let name = &question[from..to];
            PlanEntity::new(EntityKind::Device, name, PlanSource::Words).with_span(from..to)
        };
        let mut request = PipelineRequest::new(question, 10);
        let plan = QueryPlan::of_terms(question, ParsedQuery::default());
        let plan = plan.with_entities(names.into_iter().map(device).collect());
        request.plan = Some(Arc::new(plan));
        let (_, context) = FakeHost {
            scores: reversed(),
            ..host()
        }
        .context();
        let settings = json!({"rerank": {}});
        let answer = ask(settings, request, &vector_only(), &context).unwrap();
        assert_eq!(ids(&answer)[0], first, "{question}");
        let notes = context.diagnostics.take();
        let told = notes.iter().any(|note| note.source == "rag.rerank");
        assert_eq!(told, first == "E00", "{question}: {notes:?}");
        assert!(!answer.degraded, "{question}");
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
