//! Loaded plugins at work in a host: in pipelines, as modes, as adapters and
//! enhancers, and what becomes of those that misbehave.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::time::Duration;

use gannet_api::{Error, FetchRequest, Registration};
use gannet_core::enter_host;
use gannet_core::registry::Registry;
use gannet_core::registry::loading::DylibWish;
use gannet_core::{EnhanceRequest, HostError, IngestRequest, SearchInput, SearchResult, Stop};
use gannet_example_device_names::DeviceNames;
use gannet_example_pv_search::PvSearch;
use gannet_example_shift_csv::ShiftCsv;
use gannet_example_timeline::Timeline;
use gannet_example_vector_service as _;
use gannet_tests::dylibs::{PluginFolder, file_name};
use gannet_tests::{Host, ids};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const EXAMPLES: [&str; 5] = [
    "gannet_pv_search",
    "gannet_timeline",
    "gannet_shift_csv",
    "gannet_device_names",
    "gannet_vector_service",
];

/// What is built in, without the examples that this program links.
fn built_in() -> Vec<Registration> {
    let linked = Registration::linked().copied();
    let is_example = |registration: &Registration| {
        let library = registration.package.replace('-', "_");
        EXAMPLES.contains(&library.as_str())
    };
    linked
        .filter(|registration| !is_example(registration))
        .collect()
}

fn with_examples_linked() -> Registry {
    let examples = [
        Registration::search_module::<PvSearch>("linked", "1"),
        Registration::pipeline::<Timeline>("linked", "1"),
        Registration::adapter::<ShiftCsv>("linked", "1"),
        Registration::enhancer::<DeviceNames>("linked", "1"),
    ];
    Registry::of(built_in().into_iter().chain(examples)).unwrap()
}

fn with_loaded(libraries: &[&str]) -> Registry {
    let folder = PluginFolder::new();
    let files = libraries.iter().map(|library| {
        folder.put(library);
        DylibWish::of(file_name(library))
    });
    let files: Vec<DylibWish> = files.collect();
    let mut registry = Registry::of(built_in()).unwrap();
    registry
        .load(&files, &folder.rules(), &enter_host())
        .unwrap();
    for file in registry.files() {
        assert_eq!(file.reason, None, "{}", file.file);
    }
    registry
}

const SETTINGS: [(&str, &str); 5] = [
    ("search_modules.pv_search.enabled", "true"),
    ("pipelines.rag.retrieval_modules", "[keyword, pv_search]"),
    (
        "pipelines.timeline.retrieval_modules",
        "[keyword, pv_search]",
    ),
    ("ingestion.adapters.shift_csv.enabled", "true"),
    ("enhancement_modules.device_names.enabled", "true"),
];

const SHIFTS: &str = "id,time,author,title,text\n\
    S1,2025-03-02T08:10:00Z,ann,Trip,SR01:BPM3:X jumped and RF tripped\n\
    S2,2025-03-02T09:40:00Z,ann,Reset,SR01:BPM3:X back after a reset of CAV1\n\
    S3,2025-06-11T10:00:00Z,bob,Pump,TP-3 exchanged in sector 7\n";

/// A host with the examples and three entries, which came by `shift_csv` and
/// went through `device_names`.
async fn host(registry: &Registry) -> Host {
    let host = Host::with_plugins(&SETTINGS, registry).await;
    let file = host.folder.path().join("shifts.csv");
    std::fs::write(&file, SHIFTS).unwrap();
    host.ingest("shift_csv", Path::new(&file)).await;
    let request = EnhanceRequest {
        modules: vec!["device_names".to_owned()],
        ..EnhanceRequest::default()
    };
    let stop = Stop::default();
    let reports = host.gannet.enhance(request, &stop, |_| {}).await.unwrap();
    assert_eq!(reports[0].completed, 3);
    host
}

/// A result without what differs from run to run.
fn lasting(result: &SearchResult) -> Value {
    let mut value = serde_json::to_value(result).unwrap();
    value.as_object_mut().unwrap().remove("took_ms");
    for entry in value["entries"].as_array_mut().unwrap() {
        for when in ["created_at", "updated_at", "enhancement_status"] {
            entry["entry"][when] = Value::Null;
        }
        entry["enhancement_status"] = Value::Null;
    }
    drop_times(&mut value);
    value
}

/// Statistics hold times that passed.
fn drop_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| !key.ends_with("_ms"));
            members.values_mut().for_each(drop_times);
        }
        Value::Array(members) => members.iter_mut().for_each(drop_times),
        _ => {}
    }
}

#[tokio::test]
async fn a_loaded_module_in_rag_gives_what_the_linked_one_gives_with_provenance() {
    let loaded = host(&with_loaded(&EXAMPLES)).await;
    let linked = host(&with_examples_linked()).await;
    let there = loaded.search("rag", "SR01:BPM3:X").await;
    let here = linked.search("rag", "SR01:BPM3:X").await;
    assert_eq!(lasting(&there), lasting(&here));
    assert_eq!(there.search_modes_used, ["keyword", "pv_search"]);
    let first = &there.entries[0];
    let modules: Vec<&str> = first
        .provenance
        .iter()
        .map(|provenance| provenance.module.as_str())
        .collect();
    assert!(modules.contains(&"pv_search"), "{modules:?}");
    assert!(!there.citations.is_empty());
}

#[tokio::test]
async fn a_loaded_module_and_a_loaded_pipeline_are_modes() {
    let loaded = host(&with_loaded(&EXAMPLES)).await;
    let linked = host(&with_examples_linked()).await;
    for (mode, query) in [("pv_search", "SR0*:BPM?:X"), ("timeline", "SR01:BPM3:X")] {
        let there = loaded.search(mode, query).await;
        let here = linked.search(mode, query).await;
        assert_eq!(lasting(&there), lasting(&here), "{mode}");
        assert_eq!(there.entries.len(), 2, "{mode}");
    }
    let told = loaded.search("timeline", "SR01:BPM3:X").await;
    assert_eq!(told.citations, ["S1", "S2"]);
}

#[tokio::test]
async fn what_a_loaded_enhancer_adds_can_be_filtered_on() {
    let loaded = host(&with_loaded(&EXAMPLES)).await;
    let found = loaded.search("keyword", "meta.devices:CAV1").await;
    assert_eq!(ids(&found), ["S2"]);
}

/// A host with the test plugins loaded and this way of failing.
async fn failing(way: &str) -> Host {
    let settings = [
        ("search_modules.failing.enabled", "true".to_owned()),
        (
            "search_modules.failing.settings",
            json!({ "way": way }).to_string(),
        ),
        ("search_modules.giving.enabled", "true".to_owned()),
        (
            "pipelines.rag.retrieval_modules",
            "[keyword, failing]".to_owned(),
        ),
    ];
    let settings = settings
        .each_ref()
        .map(|(key, value)| (*key, value.as_str()));
    let host = Host::with_plugins(&settings, &with_loaded(&["gannet_test_inline"])).await;
    host.ingest_lines(&[json!({
        "id": "E1", "timestamp": "2025-01-01T00:00:00Z", "text": "the pump stopped"
    })])
    .await;
    host
}

async fn ask(host: &Host, mode: &str) -> Result<SearchResult, HostError> {
    let mut input = SearchInput::new("pump");
    input.mode = Some(mode.to_owned());
    host.gannet.search(input).await
}

#[tokio::test]
async fn a_module_that_panics_five_times_is_asked_no_more_and_the_status_says_so() {
    let host = failing("poll").await;
    for _ in 0..5 {
        let error = ask(&host, "failing").await.unwrap_err().to_string();
        assert!(
            error.contains("search module `failing`: poll of pump, at "),
            "{error}"
        );
    }
    for _ in 0..1000 {
        let error = ask(&host, "failing").await.unwrap_err();
        assert!(
            matches!(error, HostError::Plugin(Error::Unavailable { .. })),
            "{error}"
        );
    }
    let quarantined = host.gannet.status().await.unwrap().quarantined;
    assert_eq!(quarantined.len(), 1);
    assert_eq!(quarantined[0].name, "failing");
    assert!(quarantined[0].last_panic.contains("poll of pump, at "));
}

#[tokio::test]
async fn a_thousand_panics_end_nothing_and_a_pipeline_goes_on_without_the_module() {
    for way in ["poll", "after_await", "payload"] {
        let host = failing(way).await;
        for _ in 0..334 {
            let result = ask(&host, "rag").await.unwrap();
            assert_eq!(ids(&result), ["E1"]);
            assert!(result.degraded);
            let notes = &result.diagnostics;
            assert!(
                notes.iter().any(|note| note.source.contains("failing")),
                "{notes:?}"
            );
        }
        let quarantined = host.gannet.status().await.unwrap().quarantined;
        let names: Vec<&str> = quarantined.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            names,
            ["failing"],
            "a pipeline is not blamed for its modules"
        );
    }
}

#[tokio::test]
async fn a_module_that_never_ends_is_left_behind_at_the_deadline() {
    let host = failing("hang").await;
    let mut input = SearchInput::new("pump");
    input.mode = Some("rag".to_owned());
    input.timeout = Some(std::time::Duration::from_secs(2));
    let result = host.gannet.search(input).await.unwrap();
    assert_eq!(ids(&result), ["E1"]);
    assert!(result.degraded);
}

#[tokio::test]
async fn a_module_that_asks_for_another_tenant_is_answered_for_its_own() {
    let host = failing("other_tenant").await;
    let file = host.folder.path().join("other.jsonl");
    let foreign = json!({
        "id": "E2", "timestamp": "2025-01-01T00:00:00Z", "text": "the other pump"
    });
    std::fs::write(&file, foreign.to_string()).unwrap();
    let request = IngestRequest {
        adapter: Some("jsonl".to_owned()),
        fetch: FetchRequest::default().with_source(file.display().to_string()),
        tenant: "other".to_owned(),
        ..IngestRequest::default()
    };
    let stop = Stop::default();
    host.gannet.ingest(request, &stop, |_| {}).await.unwrap();
    let found = ask(&host, "failing").await.unwrap();
    assert_eq!(ids(&found), ["E1"]);
}

#[tokio::test]
async fn an_adapter_is_called_for_the_tenant_that_is_ingested_for() {
    let settings = [("ingestion.adapters.reading.enabled", "true")];
    let host = Host::with_plugins(&settings, &with_loaded(&["gannet_test_inline"])).await;
    let request = IngestRequest {
        adapter: Some("reading".to_owned()),
        fetch: FetchRequest::default().with_source("tenant".to_owned()),
        tenant: "other".to_owned(),
        ..IngestRequest::default()
    };
    let stop = Stop::default();
    host.gannet.ingest(request, &stop, |_| {}).await.unwrap();
    let entry = host.gannet.entry("other", "W0").await.unwrap().unwrap();
    assert_eq!(entry.raw_text, "other");
}

#[tokio::test]
async fn entries_that_can_have_no_id_are_rejected_and_the_others_are_stored() {
    let settings = [("ingestion.adapters.reading.enabled", "true")];
    let host = Host::with_plugins(&settings, &with_loaded(&["gannet_test_inline"])).await;
    let request = IngestRequest {
        adapter: Some("reading".to_owned()),
        fetch: FetchRequest::default().with_source("one nameless control two".to_owned()),
        tenant: "default".to_owned(),
        ..IngestRequest::default()
    };
    let stop = Stop::default();
    let report = host.gannet.ingest(request, &stop, |_| {}).await.unwrap();
    assert_eq!((report.counts.added, report.counts.rejected), (2, 2));
    let rejected = host.gannet.store_path().join("rejected.jsonl");
    let rejected = std::fs::read_to_string(rejected).unwrap();
    assert!(rejected.contains("its id is empty"), "{rejected}");
    assert!(rejected.contains("control characters"), "{rejected}");
}

/// Asks a module that blocks its thread, with a tenth of a second to answer.
async fn ask_blocking(host: &Host) -> String {
    let mut input = SearchInput::new("x");
    input.mode = Some("failing".to_owned());
    input.timeout = Some(Duration::from_millis(100));
    let error = host.gannet.search(input).await.err().unwrap();
    error.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_blocks_holds_threads_of_plugins_alone_and_is_asked_no_more() {
    let registry = with_loaded(&["gannet_test_inline"]);
    let settings = [
        ("search_modules.failing.enabled", "true"),
        ("search_modules.failing.settings.way", "block"),
        ("search_modules.giving.enabled", "true"),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    for _ in 0..8 {
        let error = ask_blocking(&host).await;
        assert!(error.contains("took longer than"), "{error}");
    }
    let refused = ask_blocking(&host).await;
    assert!(refused.contains("8 of its calls did not end"), "{refused}");
    // The host and other plugins of the same file go on.
    let entry = json!({"id": "E1", "text": "RF trip", "timestamp": "2024-01-05T08:30:00Z"});
    host.ingest_lines(&[entry]).await;
    assert_eq!(ids(&host.search("keyword", "trip").await), ["E1"]);
    host.search("giving", "x").await;
}

/// A service that gives each text the same vector.
async fn vector_service() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/embed", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 65_536];
            let read = stream.read(&mut request).await.unwrap_or(0);
            let text = String::from_utf8_lossy(&request[..read]).into_owned();
            let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            let asked: Value = serde_json::from_str(body).unwrap_or_default();
            let texts = asked["texts"].as_array().map_or(0, Vec::len);
            let vectors = json!({"vectors": vec![json!([3.0, 4.0]); texts]}).to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n", vectors.len());
            let answer = format!("{head}connection: close\r\n\r\n{vectors}");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loaded_embedder_serves_enhancement_and_semantic_search() {
    let registry = with_loaded(&["gannet_vector_service"]);
    let url = vector_service().await;
    let settings = [
        ("providers.vector_service.settings.url", url.as_str()),
        ("providers.vector_service.settings.model", "facility-1"),
        ("providers.vector_service.settings.dimension", "2"),
        ("embedding.provider", "vector_service"),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    let entry = json!({"id": "E1", "text": "RF trip", "timestamp": "2024-01-05T08:30:00Z"});
    host.ingest_lines(&[entry]).await;
    host.enhance().await;
    let found = host.search("semantic", "anything").await;
    assert_eq!(ids(&found), ["E1"]);
    let status = host.gannet.status().await.unwrap();
    assert_eq!(status.store.vectors["facility-1"], 1);
}
