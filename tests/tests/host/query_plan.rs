//! The query plan on its way from a question to plugins and results.

use gannet_api::{Condition, EntityKind, Filter, FilterField, Intent, Registration};
use gannet_core::api::{PlanEntity, PlanSource, QueryPlan};
use gannet_core::registry::Registry;
use gannet_core::registry::loading::DylibWish;
use gannet_core::{SearchInput, SearchResult, enter_host};
use gannet_test_inline::Planning;
use gannet_tests::dylibs::{PluginFolder, file_name};
use gannet_tests::{Host, StoreKind, over_both_stores};
use serde_json::{Value, json};

/// Entries of two authors, with a system each.
fn records() -> Vec<Value> {
    let record = |number: usize| {
        let (author, system, text) = match number % 3 {
            0 => ("Voss, A.", "RF", "the cavity tripped"),
            1 => ("Voss, A.", "Vacuum", "the leak was repaired"),
            _ => (
                "Harbour Generating Station",
                "Vacuum",
                "the station reports a leak",
            ),
        };
        json!({
            "id": format!("E{number}"),
            "timestamp": format!("2025-03-{:02}T08:00:00Z", 1 + number % 28),
            "author": author,
            "text": text,
            "metadata": { "system": system, "serial": format!("number {number} of many") },
        })
    };
    (0..30).map(record).collect()
}

async fn host(kind: StoreKind) -> Option<Host> {
    let host = Host::on(kind).await?;
    host.ingest_lines(&records()).await;
    host.gannet.store().flush().await.unwrap();
    Some(host)
}

async fn asked(host: &Host, query: &str, filter: Filter) -> SearchResult {
    let mut input = SearchInput::new(query);
    input.mode = Some("keyword".to_owned());
    input.filter = filter;
    host.gannet.search(input).await.unwrap()
}

fn entity<'p>(plan: &'p QueryPlan, value: &str) -> &'p PlanEntity {
    let mut entities = plan.entities.iter();
    let found = entities.find(|entity| entity.value == value);
    found.unwrap_or_else(|| panic!("no {value}: {plan:#?}"))
}

async fn a_question_names_authors_and_values_of_the_store(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let question = "Why did the vacuum leak of Voss happen in March 2025 at Harbour?";
    let plan = asked(&host, question, Filter::none()).await.plan;
    assert_eq!(plan.text, question);
    assert_eq!(plan.intent, Intent::Cause);
    assert_eq!(plan.times.len(), 1);
    let voss = entity(&plan, "voss, a.");
    assert_eq!((voss.kind, voss.entries), (EntityKind::Author, Some(20)));
    assert_eq!(voss.field, Some(FilterField::Author));
    assert_eq!(entity(&plan, "vacuum").entries, Some(20));
    let harbour = entity(&plan, "harbour generating station");
    assert_eq!((harbour.entries, harbour.strict), (Some(10), false));
    assert_eq!(plan.content_terms(), ["leak", "happen"]);
}

async fn a_deleted_value_is_no_entity_any_more(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let before = asked(&host, "Voss", Filter::none()).await.plan;
    assert_eq!(before.entities.len(), 1);
    let store = host.gannet.store();
    let of_voss: Vec<String> = (0..30)
        .filter(|number| number % 3 != 2)
        .map(|number| format!("E{number}"))
        .collect();
    store.delete("default", &of_voss).await.unwrap();
    store.flush().await.unwrap();
    // Values that took long to read are used for a while after a change.
    let forgotten = async {
        while !asked(&host, "Voss", Filter::none())
            .await
            .plan
            .entities
            .is_empty()
        {}
    };
    let most = std::time::Duration::from_secs(60);
    tokio::time::timeout(most, forgotten).await.unwrap();
}

async fn the_filter_of_a_request_is_a_strict_part(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let by_voss = Condition::Contains("voss".to_owned());
    let filter = Filter::none().and(FilterField::Author, by_voss);
    let plan = asked(&host, "leak date:2025-03", filter).await.plan;
    let flag = entity(&plan, "voss");
    assert_eq!((flag.source, flag.strict), (PlanSource::Flag, true));
    assert!(plan.times[0].strict);
    assert_eq!(plan.times[0].source, PlanSource::Field);
}

async fn values_of_another_tenant_are_not_known(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let mut input = SearchInput::new("Voss");
    input.mode = Some("keyword".to_owned());
    input.tenant = "other".to_owned();
    let plan = host.gannet.search(input).await.unwrap().plan;
    assert_eq!(plan.entities, []);
}

over_both_stores!(
    a_question_names_authors_and_values_of_the_store,
    a_deleted_value_is_no_entity_any_more,
    the_filter_of_a_request_is_a_strict_part,
    values_of_another_tenant_are_not_known,
);

/// What the test pipeline was given, linked in and loaded.
async fn received(registry: &Registry) -> Value {
    let settings = [
        ("pipelines.planning.enabled", "true"),
        ("pipelines.planning.retrieval_modules", "[keyword]"),
    ];
    let host = Host::with_plugins(&settings, registry).await;
    host.ingest_lines(&records()).await;
    host.gannet.store().flush().await.unwrap();
    let result = host.search("planning", "leak of Voss in March 2025").await;
    assert_eq!(result.plan.times.len(), 1);
    result.pipeline_details.unwrap()
}

fn built_in() -> impl Iterator<Item = Registration> {
    let linked = Registration::linked().copied();
    linked.filter(|registration| registration.package != "gannet-test-inline")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_and_a_loaded_pipeline_receive_the_plan_and_ask_for_another() {
    let linked = Registration::pipeline::<Planning>("linked", "1");
    let linked = Registry::of(built_in().chain([linked])).unwrap();
    let folder = PluginFolder::new();
    folder.put("gannet_test_inline");
    let file = DylibWish::of(file_name("gannet_test_inline"));
    let mut loaded = Registry::of(built_in()).unwrap();
    let files = [file];
    loaded.load(&files, &folder.rules(), &enter_host()).unwrap();

    let here = received(&linked).await;
    let there = received(&loaded).await;

    assert_eq!(here, there);
    assert_eq!(here["received"]["text"], "leak of Voss in March 2025");
    assert_eq!(here["received"]["entities"][0]["value"], "voss, a.");
    assert_eq!(here["rewritten"]["text"], "vacuum since 2024");
    assert_eq!(here["rewritten"]["entities"][0]["field"], "meta.system");
    assert_eq!(here["rewritten"]["times"][0]["strict"], false);
    // What a pipeline says of its own decisions stands in its details.
    assert_eq!(here["plan"], json!({ "own": true }));
}
