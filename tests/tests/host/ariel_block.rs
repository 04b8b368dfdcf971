//! An Osprey `config.yml` with its documented values finds entries at once.

use gannet_core::api::{DEFAULT_TENANT, FetchRequest};
use gannet_core::config::{LoadOptions, load};
use gannet_core::{EnhanceRequest, Gannet, IngestRequest, SearchInput, SearchResult, Stop};
use gannet_test_model_server::{ModelServer, Reply};
// Linked so that the built-in plugins are there.
use gannet_tests as _;
use serde_json::json;

const ENTRIES: [(&str, &str); 3] = [
    (
        "W-1",
        "The vacuum pump near the gun lost its bearing and was replaced.",
    ),
    (
        "W-2",
        "Operators trained the new colleagues on the alarm panel.",
    ),
    (
        "W-3",
        "Cooling water leaked from a magnet hose in cell four.",
    ),
];

/// A host over a configuration file, with the entries embedded.
async fn host(folder: &std::path::Path, text: &str) -> Gannet {
    let file = folder.join("config.yml");
    std::fs::write(
        &file,
        format!("{text}store: {{kind: embedded, path: data}}\n"),
    )
    .unwrap();
    let options = LoadOptions {
        config_file: Some(file),
        ..LoadOptions::default()
    };
    let gannet = Gannet::open(load(options).unwrap().config).await.unwrap();
    let lines = ENTRIES.map(|(id, text)| {
        let time = "2025-02-03T04:05:06Z";
        json!({"entry_id": id, "timestamp": time, "raw_text": text}).to_string()
    });
    let source = folder.join("log.jsonl");
    std::fs::write(&source, lines.join("\n")).unwrap();
    let request = IngestRequest {
        adapter: Some("jsonl".to_owned()),
        fetch: FetchRequest::default().with_source(source.display().to_string()),
        tenant: DEFAULT_TENANT.to_owned(),
        ..IngestRequest::default()
    };
    gannet
        .ingest(request, &Stop::default(), |_| {})
        .await
        .unwrap();
    let all = EnhanceRequest::default();
    gannet.enhance(all, &Stop::default(), |_| {}).await.unwrap();
    gannet
}

async fn ask(gannet: &Gannet, mode: &str) -> SearchResult {
    let mut input = SearchInput::new("which pump was exchanged?");
    input.mode = Some(mode.to_owned());
    gannet.search(input).await.unwrap()
}

fn notes(result: &SearchResult) -> String {
    let notes = result.diagnostics.iter();
    notes
        .map(|note| format!("{}: {}\n", note.source, note.message))
        .collect()
}

const BLOCK: &str = "\
ariel:
  search_modules:
    keyword: {enabled: true}
    semantic:
      enabled: true
      provider: ollama
      model: nomic-embed-text
      settings: {similarity_threshold: 0.7, embedding_dimension: 768}
  pipelines:
    rag: {enabled: true, retrieval_modules: [keyword, semantic]}
  enhancement_modules:
    text_embedding:
      enabled: true
      provider: ollama
      models: [{name: nomic-embed-text, dimension: 768}]
  embedding: {provider: ollama}
";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_its_server_the_builtin_encoder_finds_entries_and_each_result_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let gannet = host(folder.path(), BLOCK).await;
    for mode in ["semantic", "rag"] {
        let result = ask(&gannet, mode).await;
        assert_eq!(result.entries[0].entry.entry_id, "W-1", "{mode}");
        let notes = notes(&result);
        assert!(
            notes.contains(
                "search_modules.semantic: the provider `ollama` is not configured; `builtin` makes \
                 the vectors, and `similarity_threshold: 0.7`"
            ),
            "{notes}"
        );
    }
    assert!(!notes(&ask(&gannet, "keyword").await).contains("ollama"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn with_its_server_in_api_providers_the_model_of_the_block_is_asked() {
    let server = ModelServer::answering(|asked| {
        let vector = |text: &str| match text.contains("pump") {
            true => vec![1.0, 0.0, 0.0],
            false => vec![0.0, 1.0, 0.0],
        };
        let texts = asked.body["input"].as_array().unwrap();
        let vectors: Vec<Vec<f32>> = texts
            .iter()
            .map(|text| vector(text.as_str().unwrap()))
            .collect();
        Reply::embeddings(vectors)
    });
    let block = BLOCK
        .replace("provider: ollama", "provider: als-gpu")
        .replace("nomic-embed-text", "facility-embed")
        .replace("dimension: 768", "dimension: 3");
    let api = format!(
        "api: {{providers: {{als-gpu: {{base_url: \"{}/v1\"}}}}}}\n",
        server.url()
    );
    let folder = tempfile::tempdir().unwrap();
    let gannet = host(folder.path(), &format!("{api}{block}")).await;
    let result = ask(&gannet, "semantic").await;
    assert_eq!(result.entries.len(), 1, "{}", notes(&result));
    assert_eq!(result.entries[0].entry.entry_id, "W-1");
    let requests = server.requests();
    assert!(
        requests
            .iter()
            .all(|asked| asked.body["model"] == "facility-embed")
    );
}
