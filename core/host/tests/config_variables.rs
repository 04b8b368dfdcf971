//! Variables and blocks of the systems that came before, but ARIEL's.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_core::config::{LoadOptions, Loaded, load};
use serde_json::{Value, json};

fn with_variables(variables: &[(&str, &str)]) -> Loaded {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let options = LoadOptions {
        env: variables.iter().map(pair).collect(),
        ..LoadOptions::default()
    };
    load(options).unwrap()
}

fn rag(loaded: &Loaded, setting: &str) -> Value {
    let settings = Value::Object(loaded.config.pipelines["rag"].settings.clone());
    settings
        .pointer(setting)
        .cloned()
        .unwrap_or(json!("not set"))
}

#[test]
fn each_variable_with_a_meaning_sets_its_keys() {
    let loaded = with_variables(&[
        ("RETRIEVER_DEFAULT_METHOD", "Hybrid"),
        ("RETRIEVER_DEFAULT_LIMIT", "7"),
        ("RETRIEVER_MIN_RELEVANCE", "0.4"),
        ("ENABLE_RERANKING", "0"),
        ("ENABLE_SYNTHESIS", "False"),
        ("SYNTHESIS_MAX_TOKENS", "300"),
        ("SYNTHESIS_MAX_SOURCES", "3"),
        ("LOG_QUERIES", "false"),
        ("EMBEDDING_MODEL", "sentence-transformers/all-MiniLM-L6-v2"),
    ]);
    assert_eq!(loaded.notices, Vec::<String>::new());
    let config = &loaded.config;
    assert_eq!(config.default_search_mode, "rag");
    assert_eq!(config.default_max_results, 7);
    assert_eq!(rag(&loaded, "/min_relevance"), 0.4);
    assert_eq!(rag(&loaded, "/rerank"), Value::Null);
    assert_eq!(rag(&loaded, "/answer"), "none");
    assert_eq!(rag(&loaded, "/max_tokens"), 300);
    assert_eq!(rag(&loaded, "/budget/policy"), "top_n");
    assert_eq!(rag(&loaded, "/budget/top_n"), 3);
    let model = Some("all-MiniLM-L6-v2");
    assert_eq!(config.search_modules["semantic"].model.as_deref(), model);
    assert_eq!(
        config.enhancement_modules["text_embedding"]
            .model
            .as_deref(),
        model
    );
}

#[test]
fn each_variable_without_a_meaning_is_named_with_the_reason() {
    let names = [
        "QDRANT_URL",
        "QDRANT_COLLECTION",
        "ELASTICSEARCH_URL",
        "ELASTICSEARCH_INDEX",
        "RERANKER_MODEL",
        "LOG_LEVEL",
        "ERDOS_DATA_PATH",
        "ERDOS_INDEX_PATH",
    ];
    for name in names {
        let notices = with_variables(&[(name, "anything")]).notices;
        let start = format!("environment variable {name}: it sets nothing: ");
        assert!(
            notices.len() == 1 && notices[0].starts_with(&start),
            "{notices:?}"
        );
    }
    for (name, what_to_do) in [
        ("ENABLE_RERANKING", "name a reranker in "),
        ("LOG_QUERIES", "name "),
    ] {
        let notices = with_variables(&[(name, "true")]).notices;
        let said = format!("it sets nothing: {what_to_do}");
        assert!(notices[0].contains(&said), "{notices:?}");
        let notices = with_variables(&[(name, "maybe")]).notices;
        let said = "it sets nothing: its value is neither `true` nor `false`";
        assert!(notices[0].ends_with(said), "{notices:?}");
    }
}

#[test]
fn variables_of_a_dotenv_file_are_read_alike() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join(".env"),
        "SYNTHESIS_MAX_TOKENS=9\nQDRANT_URL=http://q\n",
    )
    .unwrap();
    let loaded = load(LoadOptions {
        working_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    })
    .unwrap();
    assert_eq!(rag(&loaded, "/max_tokens"), 9);
    assert!(loaded.notices[0].contains(".env:2:1 (QDRANT_URL): it sets nothing"));
}

fn with_block(text: &str) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), text).unwrap();
    load(LoadOptions {
        working_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    })
    .unwrap()
}

#[test]
fn a_retriever_s_block_sets_what_has_a_meaning_and_the_rest_is_told() {
    let loaded = with_block(
        "retriever_arm:\n  port: 8006\n  default_method: vector\n  default_limit: 12\n  \
         min_relevance_score: 0.2\n  vector_search: {collection: docs}\n  \
         keyword_search: {algorithm: bm25}\n  reranking: {enabled: false}\n  \
         synthesis: {enabled: false, max_tokens: 200}\n  fusion: {method: rrf, k: 30}\n",
    );
    assert_eq!(loaded.config.default_search_mode, "semantic");
    assert_eq!(loaded.config.default_max_results, 12);
    assert_eq!(loaded.config.server.port, 8006);
    assert_eq!(rag(&loaded, "/min_relevance"), 0.2);
    assert_eq!(rag(&loaded, "/rerank"), Value::Null);
    assert_eq!(rag(&loaded, "/answer"), "none");
    assert_eq!(rag(&loaded, "/max_tokens"), 200);
    assert_eq!(rag(&loaded, "/fusion/k"), 30);
    let notices = loaded.notices.join("\n");
    assert!(
        notices.contains("`retriever_arm.vector_search.collection`"),
        "{notices}"
    );
    assert_eq!(loaded.notices.len(), 1, "{notices}");
}

#[test]
fn a_retriever_s_block_of_a_reranker_is_told_in_one_line() {
    for (block, said) in [
        ("{enabled: true, model: m, top_k: 3}", "name a reranker in "),
        ("{model: m}", "name a reranker in "),
        ("true", "name a reranker in "),
        ("{enabled: maybe, model: m}", "neither `true` nor `false`"),
        ("maybe", "neither `true` nor `false`"),
    ] {
        let loaded = with_block(&format!("retriever_arm:\n  reranking: {block}\n"));
        let notices = loaded.notices.join("\n");
        assert_eq!(notices.matches(said).count(), 1, "{block}: {notices}");
        assert_eq!(
            notices.matches("`retriever_arm.").count(),
            1,
            "{block}: {notices}"
        );
    }
    let loaded = with_block("retriever_arm:\n  reranking: {enabled: false, model: m}\n");
    assert_eq!(loaded.notices, Vec::<String>::new());
    assert_eq!(rag(&loaded, "/rerank"), Value::Null);
}

#[test]
fn keys_beside_a_retriever_s_block_win_and_foreign_ones_are_named() {
    let loaded = with_block(
        "retriever_arm: {default_limit: 12}\ndefault_max_results: 4\nlogging: {level: info}\n",
    );
    assert_eq!(loaded.config.default_max_results, 4);
    assert!(loaded.notices[0].ends_with("`logging` is not read"));
}

#[test]
fn variables_of_opentelemetry_set_traces_and_their_secrets_stay_where_they_are() {
    let loaded = with_variables(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=s3cret"),
        ("OTEL_SERVICE_NAME", "logbook"),
        ("OTEL_SDK_DISABLED", "true"),
    ]);
    let traces = serde_json::to_value(&loaded.config.server.traces).unwrap();
    assert_eq!(
        traces,
        json!({
            "enabled": false,
            "endpoint": "http://collector:4318/v1/traces",
            "headers": {},
            "header_list": { "env": "OTEL_EXPORTER_OTLP_HEADERS" },
            "service_name": "logbook",
            "allow_private_addresses": false,
        })
    );
    let shown = loaded.show(true);
    assert!(!shown.contains("s3cret"), "{shown}");
    assert!(shown.contains("OTEL_EXPORTER_OTLP_HEADERS"), "{shown}");
    let enabled = with_variables(&[("OTEL_SDK_DISABLED", "false")]);
    assert!(enabled.config.server.traces.enabled);
}
