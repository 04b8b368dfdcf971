//! A plugin that is loaded behaves as the same plugin linked in.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "plugins_loaded/publishing.rs"]
mod publishing;
#[path = "plugins_loaded/readers.rs"]
mod readers;

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use gannet_api::query::{QueryOptions, parse};
use gannet_api::{
    Answer, Context, Diagnostic, DynAdapter, DynEnhancer, DynPipeline, DynSearchModule, EntityKind,
    Entry, Error, Event, Events, FetchRequest, Filter, FilterField, Hit, Intent, MetricRequest,
    PipelineRequest, PipelineRun, PlanEntity, PlanSource, PlanTime, Plugin, PluginKind, Precision,
    QueryPlan, QuerySyntax, Record, Registration, Result, SearchModule, SearchRequest, Setup,
};
use gannet_core::registry::{Registry, Wanted};
use gannet_plugin::testing::FakeHost;
use gannet_test_inline::{Counting, Giving, Reading, Telling};
use gannet_tests::dylibs::PluginFolder;
use serde_json::{Value, json};

/// The test plugins from their dylib.
fn loaded() -> Registry {
    let folder = PluginFolder::new();
    folder.put("gannet_test_inline");
    folder.load(&["libgannet_test_inline.so"])
}

fn setup() -> Setup {
    Setup::default()
        .with_instance("tested")
        .with_retrieval_modules(vec!["giving".to_owned()])
        .with_timezone("Europe/Berlin")
}

fn from_dylib(name: &str, settings: Value) -> Result<Plugin> {
    let registry = loaded();
    let plugin = registry
        .iter()
        .find(|plugin| plugin.descriptor.name == name)
        .unwrap();
    plugin.construct(settings, &setup())
}

fn linked(registration: Registration) -> Plugin {
    registration.construct(json!({}), &setup()).unwrap()
}

fn search_module(plugin: Plugin) -> Arc<dyn DynSearchModule> {
    match plugin {
        Plugin::SearchModule(module) => module,
        _ => panic!("it is a search module"),
    }
}

fn pipeline(plugin: Plugin) -> Arc<dyn DynPipeline> {
    match plugin {
        Plugin::Pipeline(pipeline) => pipeline,
        _ => panic!("it is a pipeline"),
    }
}

fn adapter(plugin: Plugin) -> Arc<dyn DynAdapter> {
    match plugin {
        Plugin::Adapter(adapter) => adapter,
        _ => panic!("it is an adapter"),
    }
}

fn enhancer(plugin: Plugin) -> Arc<dyn DynEnhancer> {
    match plugin {
        Plugin::Enhancer(enhancer) => enhancer,
        _ => panic!("it is an enhancer"),
    }
}

fn entry(id: &str, author: &str, text: &str) -> Entry {
    let mut entry = Entry::new(id, "log", "2024-01-05T08:30:00Z".parse().unwrap(), text);
    author.clone_into(&mut entry.author);
    entry.metadata.insert("shift".to_owned(), "Owl".into());
    entry.summary = Some("short".to_owned());
    entry
}

fn host() -> FakeHost {
    FakeHost::default()
        .with_entries([
            entry("E1", "ann", "RF cavity tripped"),
            entry("E2", "bob", "RF cavity reset, RF on"),
        ])
        .with_hashed_vectors()
        .with_search_module("giving", Giving::new(Default::default(), &setup()).unwrap())
        .with_replies(["It tripped."])
        .on_pipeline("other", |request| {
            let answer = Answer::default().with_answer(request.query.clone());
            let mut run = PipelineRun::new(answer.with_extension("asked", true));
            run.events = vec![Event::End];
            run.diagnostics = vec![Diagnostic::info("other", "a note")];
            Ok(run)
        })
        .on_rerank(|request| {
            let scores = request.documents.iter().enumerate();
            Ok(scores
                .map(|(index, text)| gannet_api::RerankScore::new(index, -(text.len() as f64)))
                .collect())
        })
}

/// A plan with every part.
fn plan() -> QueryPlan {
    let options = QueryOptions::default();
    let query = parse("RF \"cavity\" shift:Owl", QuerySyntax::Operators, &options);
    let mut plan = QueryPlan::of_terms("RF cavity", query);
    plan.times = vec![
        PlanTime::new(Precision::Day, PlanSource::Words)
            .with_from("2024-01-05T00:00:00Z".parse().ok())
            .with_span(0..2),
    ];
    plan.entities = vec![
        PlanEntity::new(EntityKind::System, "rf", PlanSource::Words)
            .with_field(FilterField::from_name("meta.system"))
            .with_span(0..2)
            .with_entries(2),
    ];
    plan.intent = Intent::Latest;
    plan.notes = vec!["a note".to_owned()];
    plan
}

/// What a call of the pipeline came to: answer, notes, events, metrics.
async fn told(
    pipeline: Arc<dyn DynPipeline>,
) -> (Answer, Vec<Diagnostic>, Vec<Event>, Vec<MetricRequest>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (host, listener) = (host(), heard.clone());
    let context = host.context().with_events(Events::to(move |event| {
        listener.lock().unwrap().push(event)
    }));
    let mut request = PipelineRequest::new("RF cavity", 2);
    let by = gannet_api::Condition::Equals("ann".to_owned());
    request.filter = Filter::none().and(FilterField::Author, by);
    request.plan = Some(Arc::new(plan()));
    let answer = pipeline.run(request, &context).await.unwrap();
    let events = heard.lock().unwrap().clone();
    let metrics = host.calls().metrics;
    (answer, context.diagnostics.take(), events, metrics)
}

#[tokio::test]
async fn every_service_of_the_host_answers_a_loaded_plugin_as_a_linked_one() {
    let registration = Registration::pipeline::<Telling>("x", "1");
    let here = told(pipeline(linked(registration))).await;
    let there = told(pipeline(from_dylib("telling", json!({})).unwrap())).await;
    assert_eq!(there, here);
    let (answer, notes, events, metrics) = there;
    assert_eq!(answer.answer.as_deref(), Some("It tripped."));
    assert_eq!(answer.citations, ["E1"]);
    assert_eq!(answer.reasoning, "in Europe/Berlin");
    let details = answer.pipeline_details.unwrap();
    assert_eq!(details["entries"][0]["author"], "ann");
    let query_plan: QueryPlan = serde_json::from_value(details["query_plan"].clone()).unwrap();
    assert_eq!(query_plan, plan());
    assert_eq!(details["rewritten_plan"]["text"], "RF cavity yesterday");
    assert_eq!(details["vectors"].as_array().unwrap().len(), 2);
    let run: PipelineRun = serde_json::from_value(details["run"].clone()).unwrap();
    assert_eq!(run.answer.answer.as_deref(), Some("RF cavity"));
    assert_eq!(run.answer.extensions["asked"], true);
    assert_eq!(run.events, [Event::End]);
    assert_eq!(details["session"], json!({ "turn": 1 }));
    assert_eq!(answer.extensions["told"], true);
    assert_eq!(notes.len(), 2);
    assert_eq!(events.len(), 3);
    let name = "told".to_owned();
    let counted = MetricRequest::Count {
        name: name.clone(),
        by: 2,
    };
    let seconds = 0.25;
    assert_eq!(metrics, [counted, MetricRequest::Time { name, seconds }]);
}

async fn given(module: Arc<dyn DynSearchModule>) -> Vec<Hit> {
    let mut request = SearchRequest::new("x", 20);
    request.params.insert("rich".to_owned(), true.into());
    let context = host().context();
    module.search(request, &context).await.unwrap()
}

#[tokio::test]
async fn hits_come_with_all_their_parts() {
    let here = given(search_module(linked(
        Registration::search_module::<Giving>("x", "1"),
    )))
    .await;
    let there = given(search_module(from_dylib("giving", json!({})).unwrap())).await;
    assert_eq!(there, here);
    assert_eq!(there.len(), 20);
}

async fn read(adapter: Arc<dyn DynAdapter>, source: &str) -> (Option<u64>, Vec<Result<Record>>) {
    let request = FetchRequest::default().with_source(source.to_owned());
    let context = host().context();
    let stream = adapter.fetch(request, &context).await.unwrap();
    (stream.total, stream.records.collect().await)
}

#[tokio::test]
async fn records_come_in_order_and_rejected_ones_among_them() {
    let words: Vec<String> = (0..300)
        .map(|number| match number % 7 {
            0 => "bad".to_owned(),
            _ => format!("w{number}"),
        })
        .collect();
    let source = words.join(" ") + " broken";
    let here = read(
        adapter(linked(Registration::adapter::<Reading>("x", "1"))),
        &source,
    )
    .await;
    let there = read(adapter(from_dylib("reading", json!({})).unwrap()), &source).await;
    assert_eq!(there, here);
    assert_eq!(there.1.len(), 301);
    assert!(matches!(there.1[300], Err(Error::Internal { .. })));
}

#[tokio::test]
async fn an_adapter_that_panics_keeps_what_came_before() {
    let (_, records) = read(
        adapter(from_dylib("reading", json!({})).unwrap()),
        "a b panic c",
    )
    .await;
    assert_eq!(records.len(), 3);
    let error = records[2].as_ref().unwrap_err().to_string();
    assert!(error.contains("at word 2, at "), "{error}");
}

#[tokio::test]
async fn an_enhancer_adds_the_same() {
    let batch = vec![entry("E1", "ann", "two words"), entry("E2", "ann", "")];
    let context = host().context();
    let here = enhancer(linked(Registration::enhancer::<Counting>("x", "1")));
    let there = enhancer(from_dylib("counting", json!({})).unwrap());
    let here = here.enhance(batch.clone(), &context).await.unwrap();
    let there = there.enhance(batch, &context).await.unwrap();
    assert_eq!(there, here);
    assert_eq!(there[1].outcome, Err("it has no words".to_owned()));
}

async fn fail(way: &str, context: &Context) -> Result<Vec<Hit>> {
    let module = search_module(from_dylib("failing", json!({ "way": way })).unwrap());
    module.search(SearchRequest::new("valve", 1), context).await
}

#[tokio::test]
async fn a_panic_is_an_error_with_text_and_place_wherever_it_is() {
    let context = host().context();
    for (way, text) in [
        (
            "poll",
            "panicked: poll of valve, at tests/plugins/inline/src/failing.rs:",
        ),
        (
            "after_await",
            "panicked: after await, at tests/plugins/inline/src/failing.rs:",
        ),
        (
            "payload",
            "panicked: without a text, at tests/plugins/inline/src/failing.rs:",
        ),
    ] {
        let error = fail(way, &context).await.unwrap_err().to_string();
        assert!(error.starts_with(text), "{way}: {error}");
    }
    let made = from_dylib("failing", json!({ "way": "constructor" }));
    let error = made.err().unwrap().to_string();
    assert!(
        error.starts_with("panicked: constructor of 42, at "),
        "{error}"
    );
    assert_eq!(fail("not", &context).await, Ok(Vec::new()));
}

#[test]
fn a_loaded_plugin_describes_an_instance_by_its_settings() {
    let loaded = loaded();
    let registered = loaded.get(PluginKind::SearchModule, "failing").unwrap();
    let described = |way: &str| {
        let mut instance = Wanted::new(PluginKind::SearchModule, "failing");
        instance.settings = json!({ "way": way });
        instance.describe(registered)
    };
    assert_eq!(
        described("hang").unwrap().description,
        "Fails in the way Hang."
    );
    assert_eq!(
        described("not").unwrap().description,
        registered.descriptor.description
    );
    let error = described("describe").unwrap_err().to_string();
    assert!(
        error.starts_with("panicked: description of 42, at tests/plugins/inline/src/failing.rs:"),
        "{error}"
    );
}

#[tokio::test]
async fn what_panics_when_it_is_dropped_ends_nothing() {
    let context = host().context();
    assert_eq!(fail("drop", &context).await, Ok(Vec::new()));
    let module = search_module(from_dylib("failing", json!({ "way": "cancel" })).unwrap());
    let mut call = module.search(SearchRequest::new("x", 1), &context);
    assert!(futures::poll!(&mut call).is_pending());
    drop(call);
    assert_eq!(fail("not", &context).await, Ok(Vec::new()));
}

#[tokio::test]
async fn an_error_keeps_its_kind() {
    let error = fail("error", &host().context()).await.unwrap_err();
    assert_eq!(error, Error::not_found("device", "valve"));
}

#[tokio::test]
async fn a_thousand_calls_at_once_all_end() {
    let module = search_module(from_dylib("giving", json!({})).unwrap());
    let context = host().context();
    let calls = (1..=1000).map(|limit| {
        let (module, context) = (module.clone(), context.clone());
        tokio::spawn(async move {
            let hits = module
                .search(SearchRequest::new("x", limit % 7 + 1), &context)
                .await;
            hits.unwrap().len() == limit % 7 + 1
        })
    });
    let ended = futures::future::join_all(calls).await;
    assert!(ended.into_iter().all(|right| right.unwrap()));
}

/// Text that a log wrote.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "current_thread")]
async fn what_a_plugin_logs_stands_in_the_hosts_log_under_its_name() {
    let written = Written::default();
    let writer = written.clone();
    let log = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _listening = tracing::subscriber::set_default(log);
    assert_eq!(fail("not", &host().context()).await, Ok(Vec::new()));
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert!(
        text.contains("WARN gannet::plugin: about to fail limit=1"),
        "{text}"
    );
    assert!(text.contains("plugin=\"gannet-test-inline\""), "{text}");
}
