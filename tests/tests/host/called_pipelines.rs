//! A pipeline runs another one, and remembers a conversation.

use std::future::pending;
use std::time::Duration;

use gannet_core::api::{
    Answer, Context, Descriptor, Error, Event, NoSettings, Pipeline, PipelineRequest, PipelineRun,
    Registration, Result, Setup,
};
use gannet_core::registry::Registry;
use gannet_core::{HostError, SearchInput};
use gannet_tests::{Host, ids};
use serde_json::{Value, json};

/// Runs the pipeline that the question begins with, and counts its turns.
struct Asking;

/// Waits for ever.
struct Endless;

impl Pipeline for Asking {
    const NAME: &'static str = "asking";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Asking", "Runs another pipeline.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, mut request: PipelineRequest, context: &Context) -> Result<Answer> {
        let session = context.session("a conversation");
        let turns = session.get().await?.and_then(|turns| turns.as_u64());
        session.set(json!(turns.unwrap_or(0) + 1)).await?;

        let question = request.query.clone();
        if let Some((pipeline, rest)) = question.split_once(": ") {
            request.query = rest.to_owned();
            let PipelineRun { answer, events, .. } =
                context.run_pipeline(pipeline, request).await?;
            let stages = events
                .iter()
                .filter(|event| matches!(event, Event::Stage { .. }));
            return Ok(answer
                .with_extension("turns", turns)
                .with_extension("stages", stages.count()));
        }
        // Never without a name: itself, again and again.
        let run = context.run_pipeline(Self::NAME, request).await?;
        Ok(run.answer)
    }
}

impl Pipeline for Endless {
    const NAME: &'static str = "endless";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Endless", "Waits for ever.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, _request: PipelineRequest, _context: &Context) -> Result<Answer> {
        pending().await
    }
}

async fn host() -> Host {
    let own = [
        Registration::pipeline::<Asking>("tests", "1"),
        Registration::pipeline::<Endless>("tests", "1"),
    ];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let settings = [
        ("pipelines.asking.enabled", "true"),
        ("pipelines.endless.enabled", "true"),
        ("pipelines.rag.retrieval_modules", "[keyword]"),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    let record = |id: &str, text: &str| json!({"id": id, "timestamp": "2024-01-05T08:30:00Z", "author": "Lee", "text": text});
    host.ingest_lines(&[
        record("E1", "The RF cavity tripped on reflected power."),
        record("E2", "A quiet night."),
    ])
    .await;
    host.gannet.store().flush().await.unwrap();
    host
}

async fn refused(host: &Host, question: &str, timeout: Duration) -> Error {
    let mut input = SearchInput::new(question);
    input.mode = Some("asking".to_owned());
    input.timeout = Some(timeout);
    match host.gannet.search(input).await {
        Err(HostError::Plugin(error)) => error,
        other => panic!("expected an error, got {other:?}"),
    }
}

#[tokio::test]
async fn the_answer_of_another_pipeline_is_whole_and_its_citations_hold() {
    let host = host().await;
    let question = "Why did the RF cavity trip?";
    let direct = host.search("rag", question).await;
    let called = host.search("asking", &format!("rag: {question}")).await;

    assert_eq!(ids(&called), ids(&direct));
    assert_eq!(called.answer, direct.answer);
    assert_eq!(called.answer_status, direct.answer_status);
    assert_eq!(called.citations, ["E1"]);
    assert_eq!(called.sources, direct.sources);
    assert!(!called.degraded, "{:?}", called.diagnostics);
    assert!(called.extensions["stages"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn an_instance_remembers_a_conversation_of_its_tenant() {
    let host = host().await;
    let question = "rag: Why did the RF cavity trip?";
    let turns = async || host.search("asking", question).await.extensions["turns"].clone();
    assert_eq!(turns().await, Value::Null);
    assert_eq!(turns().await, json!(1));

    let mut input = SearchInput::new(question);
    input.mode = Some("asking".to_owned());
    input.tenant = "other".to_owned();
    let other = host.gannet.search(input).await.unwrap();
    assert_eq!(other.extensions["turns"], Value::Null);
}

#[tokio::test]
async fn pipelines_that_run_each_other_in_a_circle_end() {
    let host = host().await;
    let error = refused(&host, "circle", Duration::from_secs(30)).await;
    assert!(error.to_string().contains("in a row"), "{error}");
}

#[tokio::test]
async fn a_pipeline_that_is_run_ends_with_the_deadline_and_an_unknown_one_is_an_error() {
    let host = host().await;
    let late = refused(&host, "endless: x", Duration::from_millis(50)).await;
    assert!(matches!(late, Error::Timeout { .. }), "{late}");
    let unknown = refused(&host, "none: x", Duration::from_secs(30)).await;
    assert_eq!(unknown.to_string(), "no pipeline named `none`");
}
