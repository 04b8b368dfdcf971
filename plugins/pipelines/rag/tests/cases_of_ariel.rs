//! Inputs of ARIEL's pipeline, with what it gives for them. They are read
//! from a folder `shared/cases` beside the repository; without it each test
//! says that it was skipped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::cases::{setup, size};
use fixture::support::{FakeHost, entry, hits};
use fixture::{ask, described, token};
use gannet_plugin::host::Level;
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::{Answer, Diagnostic, Entry, Error, Pipeline, PipelineRequest, Result};
use gannet_plugin::search::ScoreKind;
use gannet_rag::Rag;
use gannet_test_cases::{cases, strings};
use serde_json::{Value, json};

/// One of ARIEL's cases, run here.
struct Outcome {
    answer: Answer,
    notes: Vec<Diagnostic>,
    called: Vec<String>,
}

/// `[id, text, score]`, or `{"raises": …}`, or nothing.
fn module_outcome(case: &Value) -> Result<Vec<gannet_plugin::prelude::Hit>> {
    if let Some(message) = case["raises"].as_str() {
        return Err(Error::Store {
            message: message.to_owned(),
            retryable: false,
        });
    }
    let rows = case.as_array().cloned().unwrap_or_default();
    let ids: Vec<&str> = rows.iter().map(|row| row[0].as_str().unwrap()).collect();
    Ok(hits(ScoreKind::Bm25, &ids))
}

fn run_ariel(input: &Value) -> Outcome {
    let mut entries: Vec<Entry> = Vec::new();
    for results in [&input["keyword_results"], &input["semantic_results"]] {
        let rows = results.as_array().into_iter().flatten();
        entries.extend(rows.map(|row| entry(row[0].as_str().unwrap(), row[1].as_str().unwrap())));
    }
    let keyword = module_outcome(&input["keyword_results"]);
    let semantic = match input["embedder_load_raises"].as_str() {
        Some(message) => Err(Error::Unavailable {
            message: message.to_owned(),
        }),
        None => module_outcome(&input["semantic_results"]),
    };
    let chat = match &input["llm"] {
        Value::String(text) => Ok(vec![token(text)]),
        raises => Err(Error::Provider {
            provider: "scripted".to_owned(),
            message: raises["raises"].as_str().unwrap().to_owned(),
            retryable: false,
        }),
    };
    let host = FakeHost {
        chat: Some(chat),
        ..described()
    };
    let (host, context) = host
        .with_module("keyword", keyword.clone())
        .with_module("my_search", keyword)
        .with_module("semantic", semantic)
        .with_entries(&entries)
        .context();
    let mut request = PipelineRequest::new(input["query"].as_str().unwrap(), 10);
    request.params = input["pipeline_args"].as_object().unwrap().clone();
    let setup = setup(&strings(&input["retrieval_modules"]));
    let answer = ask(json!({}), request, &setup, &context).unwrap();
    let searches = host.searches.lock().unwrap();
    Outcome {
        answer,
        notes: context.diagnostics.take(),
        called: searches.iter().map(|(name, ..)| name.clone()).collect(),
    }
}

/// What is the same: who is called, what is in the context, the numbers, the
/// sources of the notes, a model's words and what they cite. What differs on
/// purpose is asserted in its place.
#[test]
fn rag_of_ariel() {
    for case in cases("ariel.jsonl", "rag_execute") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let note = input["note"].as_str().unwrap();
        let Outcome {
            answer,
            notes,
            called,
        } = run_ariel(input);
        if note.starts_with("PROBE: custom module") {
            assert_eq!(called, ["my_search"], "a custom module is called here");
            assert_eq!(answer.sources, ["001"]);
            continue;
        }
        let sources = strings(&expected["entries"]);
        if note == "truncated" && sources.is_empty() {
            // No entry fits into the context; the answer names what was found.
            assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
            assert!(!answer.citations.is_empty());
            assert_eq!(answer.sources, answer.citations);
            continue;
        }
        assert_eq!(answer.sources, sources, "{note}");
        assert_eq!(
            answer.hits.len(),
            size(&expected["retrieval_count"]),
            "{note}"
        );
        let stats = &answer.pipeline_details.as_ref().unwrap()["rag_stats"];
        for (name, number) in expected["rag_stats"].as_object().unwrap() {
            // A module that the pipeline does not have has no number here.
            let ours = stats.get(name).cloned().unwrap_or(json!(0));
            assert_eq!(&ours, number, "{note}: {name}");
        }
        for module in ["keyword", "semantic"] {
            let is_called = called.iter().any(|name| name == module);
            let expected = expected[format!("{module}_called")].as_bool().unwrap();
            // An embedder is found to be missing when its module is asked.
            let fails_in_it = module == "semantic" && !input["embedder_load_raises"].is_null();
            assert_eq!(is_called, expected || fails_in_it, "{note}");
        }
        if called.len() == 2 {
            let summary = expected["step_summary"].as_str().unwrap();
            assert!(
                answer.reasoning.starts_with(summary),
                "{}",
                answer.reasoning
            );
        }
        assert_same_notes(&notes, expected, note);
        assert_same_words(&answer, input, expected, note);
    }
}

fn assert_same_notes(notes: &[Diagnostic], expected: &Value, note: &str) {
    let expected = expected["diagnostics"].as_array().unwrap();
    assert_eq!(notes.len(), expected.len(), "{note}: {notes:?}");
    for (ours, theirs) in notes.iter().zip(expected) {
        assert_eq!(ours.source, theirs["source"].as_str().unwrap());
        let level = match theirs["level"].as_str().unwrap() {
            // An answer stands all the same, so it is a warning here.
            _ if ours.source == "rag.generate" => Level::Warning,
            "error" => Level::Error,
            "warning" => Level::Warning,
            _ => Level::Info,
        };
        assert_eq!(ours.level, level, "{note}");
        match theirs["category"].as_str() {
            // What failed is said more closely here than `search`.
            Some("search") => assert_eq!(ours.category.as_deref(), Some("store")),
            Some(category) => assert_eq!(ours.category.as_deref(), Some(category)),
            None => {}
        }
    }
}

fn assert_same_words(answer: &Answer, input: &Value, expected: &Value, note: &str) {
    let words = answer.answer.as_deref().unwrap_or_default();
    if answer.sources.is_empty() {
        // Nothing to read: the model is not asked, and nothing is made up.
        assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
        assert_eq!(answer.citations, Vec::<String>::new());
    } else if input["llm"].is_string() {
        assert_eq!(words, expected["answer"].as_str().unwrap(), "{note}");
        let all = strings(&expected["citations"]);
        match answer.answer_status {
            // The face of ARIEL lists the sources then; here none is cited.
            Some(AnswerStatus::Uncited) => assert_eq!(answer.sources, all),
            _ => assert_eq!(answer.citations, all, "{note}"),
        }
    } else {
        assert!(!words.contains("Error generating answer"), "{note}");
        assert!(answer.degraded);
    }
}

/// The default of the threshold is another, see decision 0006.
#[test]
fn parameters_of_ariel() {
    let parameters = serde_json::to_value(
        Rag::descriptor()
            .with_settings::<gannet_rag::RagSettings>()
            .parameters,
    )
    .unwrap();
    for case in cases("ariel.jsonl", "pipeline_descriptor") {
        let expected = case["expected"]["parameters"].as_array();
        for theirs in expected.into_iter().flatten() {
            let mut all = parameters.as_array().unwrap().iter();
            let ours = all.find(|ours| ours["name"] == theirs["name"]).unwrap();
            for key in ["type", "section", "min", "max", "step"] {
                let (ours, theirs) = (&ours[key], &theirs[key]);
                let same_number = ours.as_f64().is_some() && ours.as_f64() == theirs.as_f64();
                assert!(ours == theirs || same_number, "{key}: {ours} and {theirs}");
            }
            if theirs["name"] != "similarity_threshold" {
                assert_eq!(ours["default"], theirs["default"]);
            }
        }
    }
}
