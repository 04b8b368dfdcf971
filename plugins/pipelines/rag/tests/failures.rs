//! What fails on the way, and what stands all the same: promises R1, R2, R4.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::sync::Arc;
use std::time::Duration;

use fixture::support::{FakeHost, hits, store_is_down};
use fixture::{host, ids, run, setup};
use gannet_plugin::host::Level;
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::{Intent, QueryPlan};
use gannet_plugin::prelude::{Error, Hit, Result};
use gannet_plugin::provider::{Reading, RerankScore};
use gannet_plugin::query::ParsedQuery;
use gannet_plugin::search::ScoreKind;
use serde_json::json;

#[test]
fn a_reranker_without_candidates_is_a_mistake_of_the_configuration() {
    let (_, context) = host().context();
    let refused = run(json!({"rerank": {"candidate_k": 0}}), &setup(), &context);
    let Err(Error::Setting { name, .. }) = refused else {
        unreachable!("{refused:?}");
    };
    assert_eq!(name, "rerank.candidate_k");
}

const MODULES: [(&str, [&str; 2], &[&str]); 2] = [
    ("keyword", ["A", "C"], &["semantic"]),
    ("semantic", ["A", "B"], &["keyword"]),
];

/// One way to fail: what the module gives, how many polls it takes, and the
/// category and number of hits that are left of it.
struct Fault {
    name: &'static str,
    outcome: Result<Vec<Hit>>,
    category: &'static str,
}

fn hangs() -> Error {
    Error::Timeout {
        operation: "the search module".to_owned(),
        limit: Duration::from_secs(24),
    }
}

fn garbage(score_kind: ScoreKind) -> Vec<Hit> {
    let mut garbage = hits(score_kind, &["", "A", "A", "B"]);
    garbage[1].score = f64::NAN;
    garbage[2].score = f64::INFINITY;
    garbage[3].score = f64::NEG_INFINITY;
    garbage
}

fn faults(score_kind: ScoreKind) -> [Fault; 5] {
    let fault = |name, outcome, category| Fault {
        name,
        outcome,
        category,
    };
    [
        fault("errs", Err(store_is_down()), "store"),
        fault("hangs", Err(hangs()), "timeout"),
        fault(
            "panics",
            Err(Error::panicked("index out of bounds")),
            "panic",
        ),
        fault("internal", Err(Error::internal("broken")), "internal"),
        fault("garbage", Ok(garbage(score_kind)), "invalid_result"),
    ]
}

#[test]
fn r1_each_failure_of_each_module_degrades_and_is_named() {
    for (failing, left, others) in MODULES {
        for fault in faults(ScoreKind::Bm25) {
            let (_, context) = host().with_module(failing, fault.outcome).context();
            let answer = run(json!({}), &setup(), &context).unwrap();
            let case = format!("{failing} {}", fault.name);
            assert!(answer.degraded, "{case}");
            assert_eq!(ids(&answer), left, "{case}");
            assert_eq!(answer.search_modes_used, others, "{case}");
            assert!(answer.answer.is_some(), "{case}");
            let notes = context.diagnostics.take();
            assert_eq!(notes.len(), 1, "{case}: {notes:?}");
            assert_eq!(notes[0].source, format!("rag.retrieve.{failing}"), "{case}");
            assert_eq!(notes[0].category.as_deref(), Some(fault.category), "{case}");
        }
    }
}

#[test]
fn r1_a_slow_module_changes_nothing() {
    let (_, context) = host().context();
    let quick = run(json!({}), &setup(), &context).unwrap();
    for (slow, ..) in MODULES {
        let mut host = host();
        host.modules.get_mut(slow).unwrap().polls = 100;
        let (_, context) = host.context();
        let answer = run(json!({}), &setup(), &context).unwrap();
        assert_eq!(answer.hits, quick.hits);
        assert!(!answer.degraded);
        assert_eq!(context.diagnostics.take(), []);
    }
}

#[test]
fn r1_duplicates_count_once_and_are_no_fault() {
    let twice = hits(ScoreKind::Cosine, &["A", "A", "C", "A"]);
    let (_, context) = host().with_module("semantic", Ok(twice)).context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(ids(&answer), ["A", "B", "C"]);
    // The first of both lists.
    assert_eq!(answer.hits[0].score, 1.0);
    assert!(!answer.degraded);
}

#[test]
fn r1_an_embedder_that_fails_is_named_as_such() {
    let of_the_embedder = [
        Error::Provider {
            provider: "ollama".to_owned(),
            message: "connection refused".to_owned(),
            retryable: true,
        },
        Error::Unavailable {
            message: "the embedder is resting".to_owned(),
        },
        Error::not_found("embedder", "ollama"),
    ];
    for error in of_the_embedder {
        let category_of = |module: &str| {
            let (_, context) = host().with_module(module, Err(error.clone())).context();
            run(json!({}), &setup(), &context).unwrap();
            let note = context.diagnostics.take().swap_remove(0);
            (note.level, note.category.unwrap())
        };
        let embedding = (Level::Warning, "embedding".to_owned());
        assert_eq!(category_of("semantic"), embedding);
        let other = (Level::Error, error.category().to_owned());
        assert_eq!(category_of("keyword"), other);
    }
}

fn score(index: usize, score: f64) -> RerankScore {
    RerankScore::new(index, score)
}

#[test]
fn r2_whatever_a_reranker_fails_at_the_order_before_it_stands_bit_for_bit() {
    let (_, context) = host().context();
    let before = run(json!({}), &setup(), &context).unwrap();
    let all = |scores: [f64; 3]| Ok((0..).zip(scores).map(|(i, s)| score(i, s)).collect());
    let failures: [Option<Result<Vec<RerankScore>>>; 8] = [
        None,
        Some(Err(store_is_down())),
        Some(Err(hangs())),
        Some(Err(Error::panicked("index out of bounds"))),
        Some(Ok(Vec::new())),
        Some(all([1.0, f64::NAN, 2.0])),
        Some(Ok(vec![score(0, 1.0), score(0, 2.0), score(1, 3.0)])),
        Some(Ok(vec![score(0, 1.0), score(1, 1.0), score(7, 1.0)])),
    ];
    for scores in failures {
        let (_, context) = FakeHost { scores, ..host() }.context();
        let settings = json!({"rerank": {}, "min_relevance": 0.5});
        let answer = run(settings, &setup(), &context).unwrap();
        assert_eq!(answer.hits, before.hits);
        let bits = |hits: &[Hit]| -> Vec<u64> { hits.iter().map(|h| h.score.to_bits()).collect() };
        assert_eq!(bits(&answer.hits), bits(&before.hits));
        assert_eq!(answer.answer, before.answer);
        assert!(answer.degraded);
        let notes = context.diagnostics.take();
        let warnings: Vec<_> = notes.iter().filter(|n| n.level == Level::Warning).collect();
        assert_eq!(warnings.len(), 1, "{notes:?}");
        assert_eq!(warnings[0].source, "rag.rerank");
        let worse = notes.iter().filter(|note| note.level == Level::Error);
        assert_eq!(worse.count(), 0);
    }
}

#[test]
fn r2_also_where_the_newest_stand_first() {
    let ids: Vec<String> = (0..12).map(|number| format!("E{number:02}")).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    let entries: Vec<_> = (1..)
        .zip(&ids)
        .map(|(day, id)| {
            let mut entry = fixture::support::entry(id, "RF cavity trip.");
            entry.timestamp = format!("2024-03-{day:02}T10:00:00Z").parse().unwrap();
            entry
        })
        .collect();
    let found = |settings| {
        let host = host()
            .with_module("keyword", Ok(hits(ScoreKind::Bm25, &names)))
            .with_module("semantic", Ok(hits(ScoreKind::Cosine, &names)))
            .with_entries(&entries);
        let (_, context) = host.context();
        let question = "When was the last RF cavity trip?";
        let mut request = gannet_plugin::prelude::PipelineRequest::new(question, 5);
        request.plan = Some(Arc::new(
            QueryPlan::of_terms(question, ParsedQuery::default())
                .with_intent(Intent::Latest)
                .with_intent_words(vec!["last".to_owned()]),
        ));
        fixture::ask(settings, request, &setup(), &context)
            .unwrap()
            .hits
    };
    let before = found(json!({}));
    assert_eq!(before[0].entry_id, "E11");
    assert_eq!(found(json!({"rerank": {}})), before);
}

#[test]
fn the_last_three_are_listed_from_the_newest_on() {
    let names: Vec<String> = (0..5).map(|number| format!("E{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let entries: Vec<_> = (1..)
        .zip(&names)
        .map(|(day, id)| {
            let mut entry = fixture::support::entry(id, "RF cavity trip.");
            entry.timestamp = format!("2024-03-0{day}T10:00:00Z").parse().unwrap();
            entry
        })
        .collect();
    let (_, context) = host()
        .with_module("keyword", Ok(hits(ScoreKind::Bm25, &names)))
        .with_module("semantic", Ok(hits(ScoreKind::Cosine, &names)))
        .with_entries(&entries)
        .context();
    let question = "the last three RF cavity trips";
    let mut request = gannet_plugin::prelude::PipelineRequest::new(question, 10);
    request.plan = Some(Arc::new(
        QueryPlan::of_terms(question, ParsedQuery::default())
            .with_intent(Intent::Latest)
            .with_intent_words(vec!["the last".to_owned(), "three".to_owned()])
            .with_entries_wanted(3),
    ));
    let answer = fixture::ask(json!({}), request, &setup(), &context).unwrap();
    assert_eq!(answer.citations, ["E4", "E3", "E2"]);
    let text = answer.answer.unwrap();
    assert!(
        text.starts_with("The newest 3 entries that match:"),
        "{text}"
    );
}

#[test]
fn r1_a_reader_that_fails_leaves_the_closest_entries() {
    for failure in [hangs(), Error::panicked("broken"), Error::internal("x")] {
        let failing = FakeHost {
            reading: Some(Err(failure.clone())),
            ..host()
        };
        let (_, context) = failing.context();
        let answer = run(json!({}), &setup(), &context).unwrap();
        assert!(answer.degraded);
        assert_eq!(ids(&answer), ["A", "B", "C"]);
        assert_eq!(answer.citations, ["A", "B", "C"]);
        assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
        assert_eq!(answer.answer_confidence, None);
        let text = answer.answer.unwrap();
        let start = "Closest entries, not an answer:\n- On 2024-03-15: ";
        assert!(text.starts_with(start), "{text}");
        let notes = context.diagnostics.take();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert_eq!(notes[0].category.as_deref(), Some(failure.category()));
    }
}

#[test]
fn the_closest_entries_are_named_where_the_reader_finds_nothing() {
    let reads_nothing = FakeHost {
        reading: Some(Ok(Reading::new(Vec::new(), 1.0))),
        ..host()
    };
    let (_, context) = reads_nothing.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert!(!answer.degraded);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(answer.citations, ["A", "B", "C"]);
    let text = answer.answer.unwrap();
    assert!(
        text.starts_with("No entry answers this. Closest:\n"),
        "{text}"
    );
    assert_eq!(context.diagnostics.take(), []);
}

#[test]
fn r4_when_all_modules_fail_there_is_no_answer() {
    for fault in faults(ScoreKind::Bm25) {
        let Err(error) = fault.outcome else { continue };
        for settings in [json!({}), json!({"pinned": ["B"]})] {
            let (_, context) = host()
                .with_module("keyword", Err(error.clone()))
                .with_module("semantic", Err(error.clone()))
                .context();
            let failed = run(settings, &setup(), &context).unwrap_err();
            let text = failed.to_string();
            assert!(
                text.contains("all search modules failed: keyword: "),
                "{text}"
            );
            assert!(text.contains("; semantic: "), "{text}");
        }
    }
}

#[test]
fn r4_the_only_module_that_is_asked_is_all_of_them() {
    let (_, context) = host()
        .with_module("semantic", Err(store_is_down()))
        .context();
    let settings = json!({"method": "vector"});
    let failed = run(settings, &setup(), &context).unwrap_err();
    assert!(matches!(failed, Error::Store { .. }), "{failed}");
}
