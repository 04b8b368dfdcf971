//! The stages that need a host, on one in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod support;

use std::time::Duration;

use gannet_plugin::host::{Call, Deadline, Level};
use gannet_plugin::prelude::{Context, Diagnostic, Error, Hit, SearchRequest};
use gannet_plugin::provider::RerankScore;
use gannet_plugin::search::ScoreKind;
use gannet_stages::{OnError, RerankSettings, RetrievalPlan, rerank, retrieve};
use support::{FakeHost, hits, store_is_down};

fn plan(modules: &[&str], on_error: OnError) -> RetrievalPlan {
    let ask = |module: &&str| ((*module).to_owned(), SearchRequest::new("rf trip", 10));
    RetrievalPlan {
        pipeline: "rag".to_owned(),
        requests: modules.iter().map(ask).collect(),
        on_error,
    }
}

fn panicked() -> Error {
    Error::panicked("index out of bounds")
}

fn timed_out() -> Error {
    Error::Timeout {
        operation: "search".to_owned(),
        limit: Duration::from_secs(1),
    }
}

#[test]
fn each_failure_of_each_module_leaves_the_others_standing() {
    let failures = [
        store_is_down(),
        panicked(),
        timed_out(),
        Error::internal("garbage"),
    ];
    for failing in ["keyword", "semantic"] {
        for failure in &failures {
            let working = if failing == "keyword" {
                "semantic"
            } else {
                "keyword"
            };
            let (_, context) = FakeHost::default()
                .with_module(failing, Err(failure.clone()))
                .with_module(working, Ok(hits(ScoreKind::Bm25, &["a", "b"])))
                .context();
            let plan = plan(&["keyword", "semantic"], OnError::Degrade);
            let retrieved = pollster::block_on(retrieve(plan, &context)).unwrap();
            assert!(retrieved.degraded);
            assert_eq!(retrieved.count(working), 2);
            assert_eq!(retrieved.count(failing), 0);
            assert_eq!(retrieved.modules_with_hits(), [working]);
            let notes = context.diagnostics.take();
            assert_eq!(notes.len(), 1);
            assert_eq!(notes[0].source, format!("rag.retrieve.{failing}"));
            assert_eq!(notes[0].category.as_deref(), Some(failure.category()));
            assert_eq!(notes[0].level, Level::Error);
        }
    }
}

#[test]
fn garbage_is_dropped_and_said() {
    let mut garbage = hits(ScoreKind::Cosine, &["a", "", "b", "a"]);
    garbage[2].score = f64::NAN;
    let (_, context) = FakeHost::default()
        .with_module("semantic", Ok(garbage))
        .context();
    let retrieved =
        pollster::block_on(retrieve(plan(&["semantic"], OnError::Degrade), &context)).unwrap();
    assert_eq!(retrieved.count("semantic"), 1);
    assert!(retrieved.degraded);
    let notes = context.diagnostics.take();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].category.as_deref(), Some("invalid_result"));
}

#[test]
fn more_hits_than_asked_for_are_cut() {
    let ids: Vec<String> = (0..30).map(|n| n.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (_, context) = FakeHost::default()
        .with_module("keyword", Ok(hits(ScoreKind::Bm25, &ids)))
        .context();
    let retrieved =
        pollster::block_on(retrieve(plan(&["keyword"], OnError::Degrade), &context)).unwrap();
    assert_eq!(retrieved.count("keyword"), 10);
    assert!(!retrieved.degraded);
}

#[test]
fn all_failed_is_an_error_that_names_each() {
    let (_, context) = FakeHost::default()
        .with_module("keyword", Err(store_is_down()))
        .with_module("semantic", Err(panicked()))
        .context();
    let plan_of_both = plan(&["keyword", "semantic"], OnError::Degrade);
    let error = pollster::block_on(retrieve(plan_of_both, &context)).unwrap_err();
    assert_eq!(error.category(), "provider");
    assert!(error.is_retryable());
    let text = error.to_string();
    assert!(
        text.contains("all search modules failed: keyword: store: connection refused"),
        "{text}"
    );
    assert!(text.contains("semantic: panicked"), "{text}");

    let (_, context) = FakeHost::default()
        .with_module("keyword", Err(store_is_down()))
        .context();
    let error = pollster::block_on(retrieve(plan(&["keyword"], OnError::Degrade), &context));
    assert_eq!(error.unwrap_err().category(), "store");
}

#[test]
fn strict_fails_with_the_first_failure_in_the_order_of_the_plan() {
    let (_, context) = FakeHost::default()
        .with_module("keyword", Ok(Vec::new()))
        .with_module("semantic", Err(store_is_down()))
        .context();
    let strict = plan(&["keyword", "semantic"], OnError::Fail);
    let error = pollster::block_on(retrieve(strict, &context)).unwrap_err();
    assert_eq!(error, store_is_down());
}

#[test]
fn without_modules_the_setting_is_named() {
    let (_, context) = FakeHost::default().context();
    let error = pollster::block_on(retrieve(plan(&[], OnError::Degrade), &context)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("pipelines.rag.retrieval_modules"),
        "{error}"
    );
}

#[test]
fn notes_come_in_the_order_of_the_plan_whoever_was_first() {
    for slow in ["keyword", "semantic"] {
        let mut host = FakeHost::default()
            .with_module("keyword", Ok(Vec::new()))
            .with_module("semantic", Ok(Vec::new()));
        for (name, module) in &mut host.modules {
            module.note = Some(format!("note of {name}"));
            module.polls = if name == slow { 5 } else { 0 };
        }
        let (_, context) = host.context();
        let both = plan(&["semantic", "keyword"], OnError::Degrade);
        pollster::block_on(retrieve(both, &context)).unwrap();
        let sources: Vec<String> = context
            .diagnostics
            .take()
            .into_iter()
            .map(|note| note.source)
            .collect();
        assert_eq!(sources, ["semantic", "keyword"]);
    }
}

#[test]
fn a_module_has_at_most_80_percent_of_the_time_that_is_left() {
    let (host, _) = FakeHost::default()
        .with_module("keyword", Ok(Vec::new()))
        .context();
    let whole = Duration::from_secs(100);
    let call = Call::new("request-1", "default", Deadline::after(whole));
    let context = Context::new(call, host.clone());
    pollster::block_on(retrieve(plan(&["keyword"], OnError::Degrade), &context)).unwrap();
    let given = host.searches.lock().unwrap()[0].2.remaining().unwrap();
    assert!(given <= whole.mul_f64(0.8), "{given:?}");
}

fn reranked(scores: Option<Result<Vec<RerankScore>, Error>>) -> (Vec<Hit>, bool, Vec<Diagnostic>) {
    let host = FakeHost {
        scores,
        ..FakeHost::default()
    };
    let (_, context) = host.context();
    let before = hits(ScoreKind::Rrf, &["a", "b", "c"]);
    let settings = RerankSettings::default();
    let text_of = |hit: &Hit| hit.entry_id.clone();
    let after = rerank("q", before, text_of, &settings, "rag.rerank", &context);
    let after = pollster::block_on(after);
    (after.hits, after.applied, context.diagnostics.take())
}

fn score(index: usize, score: f64) -> RerankScore {
    RerankScore::new(index, score)
}

#[test]
fn the_rerankers_scores_make_the_order() {
    let scores = vec![score(1, -1.0), score(0, 0.7), score(2, 3.2)];
    let (after, applied, notes) = reranked(Some(Ok(scores)));
    let ids: Vec<&str> = after.iter().map(|hit| hit.entry_id.as_str()).collect();
    assert_eq!(ids, ["c", "a", "b"]);
    assert_eq!(after[0].score, 3.2);
    assert_eq!(after[0].score_kind, ScoreKind::Rerank);
    assert!(applied);
    assert_eq!(notes, []);
}

#[test]
fn hits_that_the_reranker_does_not_read_stay_behind_the_others() {
    let host = FakeHost {
        scores: Some(Ok(vec![score(0, -2.0), score(1, 0.5)])),
        ..FakeHost::default()
    };
    let (_, context) = host.context();
    let settings = RerankSettings {
        candidate_k: 2,
        ..RerankSettings::default()
    };
    let before = hits(ScoreKind::Rrf, &["a", "b", "c", "d"]);
    let text_of = |hit: &Hit| hit.entry_id.clone();
    let after = rerank("q", before, text_of, &settings, "rag.rerank", &context);
    let after = pollster::block_on(after).hits;
    let found: Vec<(&str, f64, ScoreKind)> = after
        .iter()
        .map(|hit| (hit.entry_id.as_str(), hit.score, hit.score_kind))
        .collect();
    assert_eq!(
        found,
        [
            ("b", 0.5, ScoreKind::Rerank),
            ("a", -2.0, ScoreKind::Rerank),
            ("c", -3.0, ScoreKind::Other),
            ("d", -4.0, ScoreKind::Other),
        ]
    );
}

#[test]
fn whatever_a_reranker_fails_at_the_order_before_it_stands() {
    let failures = [
        None,
        Some(Err(timed_out())),
        Some(Err(panicked())),
        Some(Ok(vec![score(0, 1.0)])),
        Some(Ok(vec![score(0, 1.0), score(0, 2.0), score(1, 1.0)])),
        Some(Ok(vec![score(0, 1.0), score(1, f64::NAN), score(2, 1.0)])),
        Some(Ok(vec![score(0, 1.0), score(1, 1.0), score(9, 1.0)])),
    ];
    for failure in failures {
        let (after, applied, notes) = reranked(failure);
        assert_eq!(after, hits(ScoreKind::Rrf, &["a", "b", "c"]));
        assert!(!applied);
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].level, Level::Warning);
    }
}
