#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::{Arc, Mutex};

use gannet_plugin::filter::{Condition, FilterField, TimeRange};
use gannet_plugin::pipeline::{AnswerStatus, Event, Events};
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Entry, Error, Hit, NoSettings, Pipeline, PipelineRequest, Result,
    SearchModule, SearchRequest, Setup,
};
use gannet_plugin::search::{Found, QuerySyntax, ScoreKind, TextSearch};
use gannet_plugin::setup::Registration;
use gannet_plugin::testing::FakeHost;
use pollster::block_on;
use serde_json::{Value, json};

use crate::{Settings, Timeline};

/// Asks the text search of the host, as `keyword` does.
struct Words;

impl SearchModule for Words {
    const NAME: &'static str = "words";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Words", "Finds words.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let mut search = TextSearch::new(request.query, request.limit);
        search.syntax = request.syntax;
        search.filter = request.filter;
        context.text_search(search).await
    }
}

fn entry(id: &str, day: &str, text: &str) -> Entry {
    Entry::new(id, "log", format!("{day}T12:00:00Z").parse().unwrap(), text)
}

fn logbook() -> FakeHost {
    FakeHost::default()
        .with_entries([
            entry("E3", "2024-05-03", "CAV1 repaired"),
            entry("E1", "2024-01-01", "CAV1 tripped, CAV1 is off"),
            entry("E2", "2024-01-02", "what happened here?"),
            entry("E4", "2024-01-02", "CAV1 vented"),
        ])
        .with_search_module("words", Words)
}

fn run_with(
    host: &FakeHost,
    modules: &[&str],
    settings: Value,
    request: PipelineRequest,
) -> (Result<Answer>, Context) {
    let setup = Setup::default()
        .with_instance("history")
        .with_retrieval_modules(modules.iter().map(|&name| name.to_owned()).collect());
    let settings: Settings = serde_json::from_value(settings).unwrap();
    let timeline = Timeline::new(settings, &setup).unwrap();
    let context = host.context();
    (block_on(timeline.run(request, &context)), context)
}

fn run(request: PipelineRequest) -> Answer {
    run_with(&logbook(), &["words"], json!({}), request)
        .0
        .unwrap()
}

#[test]
fn entries_that_name_the_device_are_told_by_time() {
    let answer = run(PipelineRequest::new("what happened to CAV1?", 10));

    assert_eq!(answer.citations, ["E1", "E4", "E3"]);
    assert_eq!(answer.sources, answer.citations);
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(answer.search_modes_used, ["words"]);
    assert_eq!(
        answer.answer.unwrap(),
        "- On 2024-01-01 12:00: CAV1 tripped, CAV1 is off [#E1]\n\
         - On 2024-01-02 12:00: CAV1 vented [#E4]\n\
         122 days later:\n\
         - On 2024-05-03 12:00: CAV1 repaired [#E3]"
    );
    assert_eq!(
        answer.reasoning,
        "Found 4 entries; 3 are told in order of time."
    );
    assert_eq!(answer.hits[0].score_kind, ScoreKind::Convex);
    assert!(answer.hits.is_sorted_by(|a, b| a.score >= b.score));
    assert!(!answer.degraded);
}

#[test]
fn parameters_count_before_the_configuration() {
    let mut request = PipelineRequest::new("what happened to CAV1?", 10);
    request.params.insert("only_named".to_owned(), json!(false));
    request.params.insert("gap_days".to_owned(), json!(200));
    assert_eq!(run(request.clone()).citations, ["E1", "E2", "E4", "E3"]);
    assert!(!run(request.clone()).answer.unwrap().contains("days later"));

    request.params.insert("max_entries".to_owned(), json!(0));
    let (refused, _) = run_with(&logbook(), &["words"], json!({}), request);
    assert!(matches!(refused, Err(Error::InvalidInput { .. })));
}

#[test]
fn the_best_entries_are_kept_and_the_rest_is_told() {
    let request = PipelineRequest::new("CAV1", 10);
    let settings = json!({"max_entries": 2});

    let (answer, context) = run_with(&logbook(), &["words"], settings, request);

    assert_eq!(answer.unwrap().citations, ["E1", "E3"]);
    let note = &context.diagnostics.take()[0];
    assert!(
        note.message
            .contains("2 entries that fit best are told, of 3")
    );
    assert_eq!(run(PipelineRequest::new("CAV1", 1)).hits.len(), 1);
}

#[test]
fn the_filter_and_the_syntax_reach_every_module() {
    let host = logbook().with_search_module("more", Words);
    let from = Condition::Time(TimeRange {
        from: Some("2024-02-01T00:00:00Z".parse().unwrap()),
        until: None,
    });
    let mut request = PipelineRequest::new("CAV1 NOT vented", 10);
    request.filter = request.filter.and(FilterField::Timestamp, from);

    let (answer, _) = run_with(&host, &["words", "more"], json!({}), request.clone());

    let answer = answer.unwrap();
    assert_eq!(answer.citations, ["E3"]);
    assert_eq!(answer.hits[0].provenance.len(), 2);
    for asked in host.calls().search_modules {
        assert_eq!(asked.request.filter, request.filter);
        assert_eq!(asked.request.syntax, QuerySyntax::Operators);
        assert_eq!(asked.request.limit, 100);
    }
}

#[test]
fn a_module_that_fails_is_a_note_and_all_failing_is_an_error() {
    let host = logbook()
        .on_search_module("broken", |_| Err(Error::internal("down")))
        .on_search_module("picky", |_| Err(Error::invalid_input("no such word")));
    let ask = |modules: &[&str]| {
        let request = PipelineRequest::new("CAV1", 10);
        run_with(&host, modules, json!({}), request)
    };

    let (answer, context) = ask(&["broken", "words"]);
    let answer = answer.unwrap();
    assert!(answer.degraded);
    assert_eq!(answer.citations.len(), 3);
    let note = &context.diagnostics.take()[0];
    assert_eq!(note.source, "history.retrieve.broken");
    assert_eq!(note.message, "broken failed: down");

    assert!(matches!(
        ask(&["broken", "picky"]).0,
        Err(Error::Provider { .. })
    ));
    assert_eq!(ask(&["picky"]).0, Err(Error::invalid_input("no such word")));
    assert!(matches!(ask(&[]).0, Err(Error::Configuration { .. })));
}

#[test]
fn entries_that_are_gone_are_left_out_with_a_warning() {
    let host = logbook().on_search_module("stale", |_| {
        let hit = |id: &str| Hit::new(id, "logbook", 0.5, ScoreKind::Cosine);
        Ok(Found::new(vec![hit("gone"), hit("E1"), hit("E1")]))
    });

    let request = PipelineRequest::new("anything", 10);
    let (answer, context) = run_with(&host, &["stale"], json!({}), request);

    let answer = answer.unwrap();
    assert_eq!(answer.citations, ["E1"]);
    assert!(answer.degraded);
    assert!(
        context.diagnostics.take()[0]
            .message
            .starts_with("1 of the entries")
    );
}

#[test]
fn nothing_found_and_nothing_asked_are_no_answers() {
    let unknown = run(PipelineRequest::new("what happened to CAV9?", 10));
    assert_eq!(unknown.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(
        unknown.answer.unwrap(),
        "No entry was found for this question."
    );
    assert!(unknown.hits.is_empty());

    let host = logbook();
    let (blank, _) = run_with(&host, &["words"], json!({}), PipelineRequest::new(" ", 10));
    assert_eq!(blank.unwrap().answer, None);
    assert!(host.calls().search_modules.is_empty());

    let mut listing = PipelineRequest::new("", 2);
    let source = Condition::Equals("log".to_owned());
    listing.filter = listing.filter.and(FilterField::SourceSystem, source);
    assert_eq!(run(listing).citations, ["E2", "E3"]);
}

#[test]
fn stages_answer_citations_and_the_end_are_told_in_this_order() {
    let heard: Arc<Mutex<Vec<Event>>> = Arc::default();
    let listener = heard.clone();
    let events = Events::to(move |event| listener.lock().unwrap().push(event));
    let setup = Setup::default().with_retrieval_modules(vec!["words".to_owned()]);
    let timeline = Timeline::new(Settings::default(), &setup).unwrap();
    let context = logbook().context().with_events(events);

    block_on(timeline.run(PipelineRequest::new("vented", 10), &context)).unwrap();

    let heard: Vec<String> = heard
        .lock()
        .unwrap()
        .iter()
        .map(|event| json!(event)["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(heard, ["stage", "stage", "answer", "citation", "end"]);
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn the_pipeline_is_registered_under_its_name() {
    let names: Vec<String> = Registration::linked()
        .map(|registration| (registration.describe)().name)
        .collect();

    assert_eq!(names, ["timeline"]);
}
