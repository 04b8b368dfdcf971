//! The model of words in the reader, by weights made for the tests.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Diagnostic, Entry, Error};
use gannet_plugin::provider::{
    EmbeddingModel, Embeddings, ReadPassage, ReadRequest, TokenStopWord, TokenValues, TokenVectors,
};
use gannet_plugin::query::ParsedQuery;
use gannet_plugin::search::{SpanSimilarities, SpanSimilarity, SpanWord};
use gannet_plugin::testing::FakeHost;
use serde_json::{Value, json};

use crate::question::Question;
use crate::reader::Read;
use crate::weights::{FILE, Weights};
use crate::words::input_names;

const TEXT: &str = "The pump tripped at noon. Nobody was there.";

/// With a model of words of one dimension, which says of everything that the
/// score of no answer is 2, and of an answer with this that it is right with a
/// probability of .75.
fn weights() -> Weights {
    let mut weights: Value = serde_json::from_str(FILE).unwrap();
    let models = &mut weights["with_vectors"];
    models["words"] = json!({
        "embedder": { "model": "test", "variant": "int8" },
        "features": input_names(),
        "u": { "steps": [1.0], "codes": "AAA=" },
        "v": { "steps": [1.0], "codes": "AA==" },
        "weights": vec![[0.0, 0.0, 1.0]; 48],
        "none": [0.0],
        "intercept": 2.0,
    });
    models["answer_with_words"] = json!({
        "features": ["word_none"],
        "linear": { "intercept": 0.0, "weights": [[1.0, 0.0, 1.0]] },
        "trees": [],
        "curve": [[-2.0, 0.0], [2.0, 1.0]],
    });
    Weights::read(&weights.to_string()).unwrap()
}

fn request() -> ReadRequest {
    let time = "2024-03-15T10:30:00Z".parse().unwrap();
    let question = "when did the pump trip?";
    let passage = ReadPassage::new(Entry::new("E0", "log", time, TEXT), 1.0);
    let plan = QueryPlan::of_terms(question, ParsedQuery::default());
    ReadRequest::new(question, vec![passage], 600).with_plan(std::sync::Arc::new(plan))
}

/// A host whose embedder has this variant. A word has a vector where it
/// begins.
fn host(variant: &'static str) -> FakeHost {
    let host = FakeHost::default().on_embed(move |_| {
        let stop_words = vec![TokenStopWord {
            word: "when".to_owned(),
            words_before: 0,
            vector: vec![1.0],
        }];
        let words = vec!["pump".to_owned(), "trip".to_owned()];
        let tokens = TokenVectors::new(words, TokenValues::Floats(vec![1.0, 1.0]));
        let model = EmbeddingModel::new("test", 1, 100).with_variant(variant);
        Ok(Embeddings::new(vec![vec![1.0]], model)
            .with_tokens(vec![tokens.with_stop_words(stop_words)]))
    });
    host.on_span_similarity(|request| {
        let of_span = |span: &std::ops::Range<usize>| {
            let word = |start: usize| SpanWord {
                start,
                nearest: 0.5,
                signs: vec![1; 8],
            };
            let words = [4, 9, 20, 26].into_iter().filter(|at| span.contains(at));
            Some(SpanSimilarity {
                nearest: vec![0.5, 0.5],
                mean: 0.5,
                words: match request.words {
                    true => words.map(word).collect(),
                    false => Vec::new(),
                },
            })
        };
        let of_entry = |spans: &[std::ops::Range<usize>]| spans.iter().map(of_span).collect();
        let entries = request.entries.iter();
        Ok(SpanSimilarities {
            words: vec!["pump".to_owned(), "trip".to_owned()],
            idfs: vec![1.0, 1.0],
            entries: entries.map(|entry| of_entry(&entry.spans)).collect(),
        })
    })
}

fn no_answer(host: FakeHost, request: &ReadRequest, weights: &Weights) -> (f64, Vec<Diagnostic>) {
    let context = host.context();
    let reading = pollster::block_on(async {
        let read = Read::new(request, "UTC", &context).await;
        read.reading(weights, &context).await
    });
    (reading.no_answer, context.diagnostics.take())
}

#[test]
fn the_words_of_an_answer_decide_with_the_embedder_of_the_weights() {
    let (request, weights) = (request(), weights());
    let of = |host| no_answer(host, &request, &weights).0;
    assert!((of(host("int8")) - 0.25).abs() < 1e-6);
    let other = of(host("f32"));
    let plain = no_answer(host("int8"), &request, Weights::builtin().unwrap()).0;
    assert!((other - plain).abs() < 1e-9, "{other} {plain}");
    assert!((other - 0.25).abs() > 1e-3);
}

#[test]
fn a_language_without_cues_is_answered_without_words() {
    let mut request = request();
    let mut plan = QueryPlan::of_terms(&request.question, ParsedQuery::default());
    plan.language = Some("de".to_owned());
    request.plan = Some(std::sync::Arc::new(plan));
    let found = no_answer(host("int8"), &request, &weights()).0;
    let plain = no_answer(host("int8"), &request, Weights::builtin().unwrap()).0;
    assert!((found - plain).abs() < 1e-9, "{found} {plain}");
}

#[test]
fn a_question_in_other_letters_or_of_one_word_is_answered_without_words() {
    for question in ["почему остановился насос?", "qqqq"] {
        let mut request = request();
        request.question = question.to_owned();
        let found = no_answer(host("int8"), &request, &weights()).0;
        let plain = no_answer(host("f32"), &request, &weights()).0;
        assert!((found - plain).abs() < 1e-9, "{found} {plain}");
    }
}

#[test]
fn an_embedder_that_fails_is_noted() {
    let host = host("int8").on_embed(|_| Err(Error::internal("away")));
    let (_, notes) = no_answer(host, &request(), &weights());
    assert!(notes[0].message.contains("without its words"), "{notes:?}");
}

#[test]
fn the_trace_has_the_words_of_all_sentences() {
    let (request, context) = (request(), host("int8").context());
    let trace = pollster::block_on(crate::trace(&request, "UTC", &context));
    let vectors = trace.question_vectors.unwrap();
    assert_eq!(
        (vectors.focus, vectors.question_word),
        (vec![1.0], vec![1.0])
    );
    let sentences = trace.sentences[0].iter();
    let starts = sentences.map(|sentence| sentence.words.iter().map(|word| word.start));
    let starts: Vec<Vec<usize>> = starts.map(Iterator::collect).collect();
    assert_eq!(starts, [vec![4, 9, 20], vec![26]]);
    let words = &trace.sentences[0][0].words;
    assert!((words[0].features.asked_share - 1.0 / 3.0).abs() < 1e-6);
}

#[test]
fn one_of_the_two_models_alone_is_refused() {
    let mut file: Value = serde_json::from_str(FILE).unwrap();
    let models = file["with_vectors"].as_object_mut().unwrap();
    models.remove("words");
    models.insert("answer_with_words".to_owned(), models["answer"].clone());
    let error = Weights::read(&file.to_string()).unwrap_err();
    assert!(error.to_string().contains("answer_with_words"), "{error}");
}

#[test]
fn an_entry_whose_title_names_another_device_fits_less() {
    let time = "2024-03-15T10:30:00Z".parse().unwrap();
    let text = "Chiller 1 tripped\n\nChiller 2 alone could not hold. Lunch was late.";
    let mut entry = Entry::new("E0", "log", time, text);
    let title = Value::from("Chiller 1 tripped");
    entry.metadata.insert("title".to_owned(), title);
    let question = "why did chiller 2 trip?";
    let plan = QueryPlan::of_terms(question, ParsedQuery::default());
    let request = ReadRequest::new(question, vec![ReadPassage::new(entry, 1.0)], 600)
        .with_plan(std::sync::Arc::new(plan));
    let host = FakeHost::default();
    let trace = pollster::block_on(crate::trace(&request, "UTC", &host.context()));
    let sentences: Vec<_> = trace.sentences[0].iter().map(|one| &one.features).collect();
    assert_eq!(sentences.len(), 2);
    for features in &sentences {
        assert_eq!(features.numbered_other_title, 1.0);
        assert_eq!(features.numbered_other_entry, 0.0);
        // The text has no trip.
        assert!(features.coverage_text < features.coverage_entry);
    }
    assert!(sentences[0].title_share > 0.0 && sentences[1].title_share == 0.0);
    assert_eq!(sentences[0].coverage_together, sentences[0].coverage);
}

#[test]
fn words_that_stand_apart_are_not_together() {
    let question = "pump trip";
    let plan = QueryPlan::of_terms(question, ParsedQuery::default());
    let question = Question::read(&plan, &SpanSimilarities::default(), &HashMap::new(), 2);
    let of = |text: &str| {
        let stems = gannet_stages::words(text);
        let stems: Vec<String> = stems.iter().map(|word| gannet_stages::stem(word)).collect();
        question.coverage_together(&stems)
    };
    assert!((of("pump trip") - 1.0).abs() < 1e-9);
    assert!((of("pump a b c d e f g h trip") - 0.5).abs() < 1e-9);
    assert!(of("valve").abs() < 1e-9);
}
