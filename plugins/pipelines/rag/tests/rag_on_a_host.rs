//! The whole pipeline, on a host in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::support::{FakeHost, hits, store_is_down};
use fixture::{QUESTION, host, ids, logbook, run, settings, setup, timeless};
use gannet_plugin::descriptor::{Exposure, ParameterDescriptor, ParameterType};
use gannet_plugin::filter::Filter;
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::{Descriptor, Pipeline, PipelineRequest};
use gannet_plugin::provider::RerankScore;
use gannet_plugin::search::{QuerySyntax, ScoreKind};
use gannet_rag::{Rag, RagSettings};
use serde_json::{Value, json};

#[test]
fn two_modules_are_fused_and_the_answer_cites_what_it_says() {
    let (_, context) = host().context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(ids(&answer), ["A", "B", "C"]);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    let text = answer.answer.unwrap();
    assert!(
        text.contains("caused by a reflected power interlock. [#A]"),
        "{text}"
    );
    assert_eq!(answer.citations[0], "A");
    assert_eq!(answer.sources, ["A", "B", "C"]);
    assert_eq!(answer.search_modes_used, ["keyword", "semantic"]);
    let stats = json!({
        "keyword_retrieved": 2, "semantic_retrieved": 2, "fused_count": 3,
        "context_included": 3, "context_truncated": false,
    });
    let details = answer.pipeline_details.unwrap();
    assert_eq!(details["pipeline_type"], "rag");
    assert_eq!(details["rag_stats"], stats);
    assert_eq!(details["method_used"], "hybrid");
    assert_eq!(details.get("method_reason"), None);
    let stages = details["stages"].as_array().unwrap();
    let names: Vec<&Value> = stages.iter().map(|stage| &stage["stage"]).collect();
    assert_eq!(names, ["retrieve", "fuse", "assemble", "answer"]);
    assert!(stages.iter().all(|stage| stage["took_ms"].is_f64()));
    assert_eq!(stages[1]["fused_count"], 3);
    assert!(
        answer
            .reasoning
            .starts_with("Retrieved 2 keyword + 2 semantic, 3 after fusion, 3 in context; ")
    );
    assert!(!answer.degraded);
    assert_eq!(context.diagnostics.take(), []);
}

#[test]
fn the_same_question_gives_the_same_answer() {
    let (_, context) = host().context();
    let first = timeless(run(json!({}), &setup(), &context).unwrap());
    for _ in 0..20 {
        let again = timeless(run(json!({}), &setup(), &context).unwrap());
        assert_eq!(again, first);
    }
}

#[test]
fn a_module_of_any_name_is_called() {
    let (host, context) = FakeHost::default()
        .with_module("my_search", Ok(hits(ScoreKind::None, &["A"])))
        .with_entries(&logbook())
        .context();
    let mine = setup().with_retrieval_modules(vec!["my_search".to_owned()]);
    let answer = run(json!({}), &mine, &context).unwrap();
    assert_eq!(answer.sources, ["A"]);
    let searches = host.searches.lock().unwrap();
    let (name, request, _) = &searches[0];
    assert_eq!(name, "my_search");
    assert_eq!(request.syntax, QuerySyntax::Plain);
    assert_eq!(request.limit, 100);
    assert!(request.params.is_empty());
}

#[test]
fn a_threshold_goes_to_the_modules_that_take_one() {
    let mut host = host();
    let threshold =
        ParameterDescriptor::new("similarity_threshold", "T", "", ParameterType::Float, 0.5);
    host.descriptors = vec![
        Descriptor::search_module("keyword", "K", ""),
        Descriptor::search_module("semantic", "S", "").with_parameters(vec![threshold]),
    ];
    let (host, context) = host.context();
    let rag = Rag::new(RagSettings::default(), &setup()).unwrap();
    let mut request = PipelineRequest::new(QUESTION, 10);
    pollster::block_on(rag.run(request.clone(), &context)).unwrap();
    request
        .params
        .insert("similarity_threshold".to_owned(), json!(0.4));
    pollster::block_on(rag.run(request, &context)).unwrap();
    let searches = host.searches.lock().unwrap();
    let sent: Vec<Option<&Value>> = searches
        .iter()
        .map(|(_, request, _)| request.params.get("similarity_threshold"))
        .collect();
    assert_eq!(sent, [None, Some(&json!(0.0)), None, Some(&json!(0.4))]);
}

#[test]
fn strict_settings_fail_with_the_module() {
    let (_, context) = host()
        .with_module("semantic", Err(store_is_down()))
        .context();
    let error = run(json!({"on_error": "fail"}), &setup(), &context).unwrap_err();
    assert_eq!(error, store_is_down());
}

#[test]
fn an_id_that_no_entry_has_is_dropped_and_said() {
    let (_, context) = host()
        .with_module("semantic", Ok(hits(ScoreKind::Cosine, &["ghost", "A"])))
        .context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(ids(&answer), ["A", "B"]);
    assert!(answer.degraded);
    assert_eq!(
        context.diagnostics.take()[0].category.as_deref(),
        Some("not_found")
    );
}

#[test]
fn a_blank_question_without_a_filter_searches_nothing() {
    let (host, context) = host().context();
    let rag = Rag::new(RagSettings::default(), &setup()).unwrap();
    let answer = pollster::block_on(rag.run(PipelineRequest::new("  ", 10), &context)).unwrap();
    assert_eq!(answer.hits, []);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert!(host.searches.lock().unwrap().is_empty());
}

#[test]
fn what_is_not_there_is_not_answered() {
    let (_, context) = FakeHost::default()
        .with_module("keyword", Ok(Vec::new()))
        .with_module("semantic", Ok(Vec::new()))
        .context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(answer.citations, Vec::<String>::new());
    assert!(!answer.degraded);
}

#[test]
fn a_small_context_is_in_the_details() {
    let (_, context) = host().context();
    let answer = run(json!({"max_context_chars": 150}), &setup(), &context).unwrap();
    let stats = &answer.pipeline_details.unwrap()["rag_stats"];
    assert_eq!(stats["context_truncated"], true);
    assert_eq!(answer.sources, ["A"]);
    // No model reads it, so that nobody needs to know.
    assert!(context.diagnostics.take().is_empty());
}

#[test]
fn a_least_relevance_is_not_applied_where_the_host_tells_none() {
    let (_, context) = host().context();
    let answer = run(json!({"min_relevance": 0.5}), &setup(), &context).unwrap();
    assert_eq!(ids(&answer).len(), 3);
    assert_eq!(
        context.diagnostics.take()[0].category.as_deref(),
        Some("threshold")
    );
}

#[test]
fn a_least_relevance_cuts_by_what_the_host_tells() {
    let known = [("A", 0.6), ("B", 0.2)];
    let host = FakeHost {
        relevance: known.map(|(id, p)| (id.to_owned(), p)).into(),
        ..host()
    };
    let (_, context) = host.context();
    let answer = run(json!({"min_relevance": 0.5}), &setup(), &context).unwrap();
    // One whose relevance is not known stays.
    assert_eq!(ids(&answer), ["A", "C"]);
}

#[test]
fn a_reranker_orders_and_a_least_relevance_cuts_by_what_the_host_tells() {
    let score = |index, score| RerankScore::new(index, score);
    let known = [("A", 0.6), ("B", 0.2), ("C", 0.9)];
    let host = FakeHost {
        relevance: known.map(|(id, p)| (id.to_owned(), p)).into(),
        scores: Some(Ok(vec![score(0, 0.49), score(1, -1.0), score(2, 3.2)])),
        ..host()
    };
    let (_, context) = host.context();
    let wanted = json!({"rerank": {}, "min_relevance": 0.5});
    let answer = run(wanted, &setup(), &context).unwrap();
    assert_eq!(ids(&answer), ["C", "A"]);
    assert_eq!(answer.hits[0].score_kind, ScoreKind::Rerank);
}

#[test]
fn a_filter_and_operators_reach_the_modules() {
    let (host, context) = host().context();
    let rag = Rag::new(RagSettings::default(), &setup()).unwrap();
    let mut request = PipelineRequest::new("\"cavity trip\" NOT vacuum", 120);
    let field = gannet_plugin::filter::FilterField::Author;
    let condition = gannet_plugin::filter::Condition::Contains("smith".to_owned());
    request.filter = Filter::none().and(field, condition);
    pollster::block_on(rag.run(request.clone(), &context)).unwrap();
    for (_, search, _) in host.searches.lock().unwrap().iter() {
        assert_eq!(search.filter, request.filter);
        assert_eq!(search.syntax, QuerySyntax::Operators);
        assert_eq!(search.query, request.query);
        assert_eq!(search.limit, 120);
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let wrong = settings(json!({"fusion": {"alpha": 1.5}}));
    let error = Rag::new(wrong, &setup()).err().unwrap();
    assert!(error.to_string().starts_with("setting `fusion`"), "{error}");
    assert!(serde_json::from_value::<RagSettings>(json!({"fusoin": {}})).is_err());
}

#[test]
fn the_descriptor_names_what_a_call_can_set() {
    let descriptor = Rag::descriptor().with_settings::<RagSettings>();
    let parameters: Vec<&str> = descriptor
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    assert_eq!(
        parameters,
        [
            "method",
            "similarity_threshold",
            "final_k",
            "min_relevance",
            "max_context_chars",
            "max_chars_per_entry",
            "answer",
            "temperature",
            "scope",
            "pinned",
            "rerank"
        ]
    );
    let is_for_callers = |p: &ParameterDescriptor| p.exposure == Exposure::Api;
    assert!(descriptor.parameters.iter().all(is_for_callers));
    let linked = gannet_plugin::setup::Registration::linked().any(|r| (r.describe)().name == "rag");
    assert!(linked);
}

#[test]
fn the_configured_reader_is_asked_and_its_probability_makes_the_status() {
    let status = |settings: Value| {
        let (host, context) = host().context();
        let answer = run(settings, &setup(), &context).unwrap();
        assert_eq!(answer.answer_confidence, Some(0.9));
        let asked = host.readings.lock().unwrap();
        assert_eq!(asked.len(), 1);
        (answer.answer_status, asked[0].provider.clone())
    };
    let builtin = Some("builtin".to_owned());
    assert_eq!(status(json!({})), (Some(AnswerStatus::Grounded), builtin));
    let configured = json!({ "reader": "mine", "grounded_probability": 0.95 });
    let mine = Some("mine".to_owned());
    assert_eq!(status(configured), (Some(AnswerStatus::Partial), mine));
}

#[test]
fn no_reader_is_asked_where_no_answer_is_wanted() {
    let (host, context) = host().context();
    let answer = run(json!({ "answer": "none" }), &setup(), &context).unwrap();
    assert_eq!(answer.answer_confidence, None);
    assert!(host.readings.lock().unwrap().is_empty());
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
