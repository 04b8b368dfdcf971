#![allow(clippy::unwrap_used, clippy::panic)]

use gannet_api::{
    Answer, Context, DEFAULT_TENANT, Descriptor, Entry, NoSettings, Pipeline, PipelineRequest,
    Registration, Setup,
};
use gannet_registry::Registry;
use serde_json::{Value, json};

use crate::config::{Config, PipelineConfig};
use crate::{Gannet, SearchInput, SearchResult};

/// Tells what plan it was given, and asks for another twice.
struct Probe;

impl Pipeline for Probe {
    const NAME: &'static str = "probe";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Probe", "Tells what plan it was given.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> gannet_api::Result<Self> {
        Ok(Self)
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> gannet_api::Result<Answer> {
        let first = context.query_plan("vacuum since 2024", &request.filter);
        let first = first.await?;
        let again = context.query_plan("vacuum since 2024", &request.filter);
        let is_same = *again.await? == *first;
        Ok(Answer::default()
            .with_plan(json!("own"))
            .with_pipeline_details(json!({
                "received": request.plan,
                "rewritten": first,
                "is_same": is_same,
            })))
    }
}

/// A host with the probe alone, over a folder.
async fn host(folder: &tempfile::TempDir) -> Gannet {
    let mut config = Config::default();
    config.store.path = folder.path().join("store");
    config.default_search_mode = "probe".to_owned();
    config.search_modules.clear();
    config.enhancement_modules.clear();
    config.providers.clear();
    config.ingestion.adapters.clear();
    let probe = PipelineConfig {
        enabled: true,
        retrieval_modules: Some(Vec::new()),
        ..PipelineConfig::default()
    };
    config.pipelines = [("probe".to_owned(), probe)].into();
    let registry = Registry::of([Registration::pipeline::<Probe>("probe", "1")]).unwrap();
    Gannet::open_with(config, &registry).await.unwrap()
}

async fn write(host: &Gannet, authors: &[&str]) {
    let entries = authors.iter().enumerate().map(|(index, author)| {
        let time = "2025-03-01T08:00:00Z".parse().unwrap();
        let mut entry = Entry::new(format!("E{author}{index}"), "test", time, "a leak");
        (*author).clone_into(&mut entry.author);
        entry.metadata.insert("system".to_owned(), "Vacuum".into());
        entry
            .metadata
            .insert("title".to_owned(), format!("leak {index}").into());
        entry
    });
    host.store().upsert(entries.collect()).await.unwrap();
    host.store().flush().await.unwrap();
}

async fn asked(host: &Gannet, question: &str, tenant: &str) -> SearchResult {
    let mut input = SearchInput::new(question);
    input.tenant = tenant.to_owned();
    host.search(input).await.unwrap()
}

fn values(plan: &Value) -> Vec<&str> {
    let entities = plan["entities"].as_array().unwrap().iter();
    entities
        .map(|entity| entity["value"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_receives_the_plan_of_its_question_and_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(&folder).await;
    write(&host, &["Voss, A.", "Voss, A.", "Ann Lee"]).await;

    let result = asked(&host, "leak of Voss in March 2025", DEFAULT_TENANT).await;
    let details = result.pipeline_details.unwrap();

    assert_eq!(
        details["received"],
        serde_json::to_value(&result.plan).unwrap()
    );
    assert_eq!(result.plan.times.len(), 1);
    assert_eq!(values(&details["received"]), ["voss, a."]);
    assert_eq!(result.plan.entities[0].entries, Some(2));
    assert_eq!(values(&details["rewritten"]), ["vacuum"]);
    assert_eq!(details["rewritten"]["text"], "vacuum since 2024");
    assert_eq!(details["is_same"], true);
    // What the pipeline decided is kept beside its details.
    assert_eq!(details["plan"], "own");
    host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_those_of_the_tenant_and_follow_the_entries() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(&folder).await;
    write(&host, &["Voss, A."]).await;
    let question = "leak of Voss and Lee";
    let plan = asked(&host, question, "other").await.plan;
    assert_eq!(plan.entities, []);
    let plan = asked(&host, question, DEFAULT_TENANT).await.plan;
    assert_eq!(plan.entities.len(), 1);

    write(&host, &["Ann Lee"]).await;
    let plan = asked(&host, question, DEFAULT_TENANT).await.plan;
    assert_eq!(plan.entities.len(), 2);

    let ids = ["EVoss, A.0".to_owned()];
    assert_eq!(host.store().delete(DEFAULT_TENANT, &ids).await.unwrap(), 1);
    host.store().flush().await.unwrap();
    let plan = asked(&host, question, DEFAULT_TENANT).await.plan;
    assert_eq!(plan.entities[0].value, "ann lee");
    assert_eq!(plan.entities.len(), 1);
    host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_misspelt_where_its_word_is_in_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(&folder).await;
    write(&host, &["Browns Ferry", "Leakes, B."]).await;
    let plan = asked(&host, "leak of Brwns Ferry", DEFAULT_TENANT)
        .await
        .plan;
    let named: Vec<&str> = plan.entities.iter().map(|one| one.value.as_str()).collect();
    assert_eq!(named, ["browns ferry"]);
    assert_eq!(plan.entities[0].span, Some(8..19));
    // Entries have the word `leak`.
    let plan = asked(&host, "two leaks", DEFAULT_TENANT).await.plan;
    assert_eq!(plan.entities, []);
    host.close().await.unwrap();
}
