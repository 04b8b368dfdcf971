//! An `ariel:` block of an Osprey `config.yml` loads as it is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_core::config::{Adopt, ConfigErrors, LoadOptions, Loaded, StoreKind, load};

const OSPREY: &str = "\
project_name: als-assistant
api: {providers: {ollama: {base_url: http://localhost:11434}}}
ariel:
  database: {uri: postgresql://localhost:5432/ariel, pool_size: 5}
  default_max_results: 20
  default_search_mode: Hybrid
  search_modules:
    keyword: {enabled: true}
    semantic:
      enabled: true
      provider: ollama
      model: nomic-embed-text
      settings: {similarity_threshold: 0.6, embedding_dimension: 768}
    hybrid: {enabled: true}
  pipelines:
    rag: {enabled: true, retrieval_modules: [keyword, hybrid]}
    agent: {enabled: true, retrieval_modules: [keyword]}
  enhancement_modules:
    text_embedding:
      enabled: true
      models: [{name: nomic-embed-text, dimension: 768}]
  ingestion: {adapter: generic, source_url: log.json, poll_interval_seconds: 60}
  embedding: {provider: ollama}
";

fn load_text(text: &str) -> Result<Loaded, ConfigErrors> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), text).unwrap();
    load(LoadOptions {
        working_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    })
}

/// Without the folder in which the file stood.
fn without_folder(text: &str) -> &str {
    text.rsplit_once("/config.yml")
        .map_or(text, |(_, rest)| rest)
}

#[test]
fn what_has_a_meaning_here_is_taken_over() {
    let config = load_text(OSPREY).unwrap().config;
    assert_eq!(config.default_max_results, 20);
    assert_eq!(config.default_search_mode, "rag");
    let semantic = &config.search_modules["semantic"];
    assert_eq!(
        serde_json::to_string(&semantic.settings).unwrap(),
        r#"{"similarity_threshold":0.6}"#
    );
    assert_eq!((&semantic.provider, &semantic.model), (&None, &None));
    assert_eq!(config.retrieval_modules("rag"), ["keyword"]);
    assert_eq!(config.ingestion.adapter, "generic_json");
    assert!(config.ingestion.source_url.unwrap().ends_with("/log.json"));
    assert_eq!(config.embedding.provider, "builtin");
    assert_eq!(
        (config.store.kind, config.store.adopt),
        (StoreKind::Postgres, Adopt::Ariel)
    );
    let uri = config.store.uri.unwrap();
    assert_eq!(uri.reveal(), "postgresql://localhost:5432/ariel");
}

#[test]
fn without_an_address_the_database_has_ariel_s_own() {
    let loaded = load_text("ariel: {database: {port_host: 5439}}\n").unwrap();
    let uri = loaded.config.store.uri.unwrap();
    assert_eq!(
        uri.reveal(),
        "postgresql://ariel:ariel@localhost:5439/ariel"
    );
    let loaded = load_text("ariel: {default_max_results: 5}\n").unwrap();
    assert_eq!(loaded.config.store.kind, StoreKind::Embedded);
}

#[test]
fn whoever_chooses_another_store_does_not_mean_ariel_s() {
    let block = "ariel: {database: {uri: postgresql://localhost/ariel}}\n";
    let store = |own: &str| load_text(&format!("{block}{own}")).unwrap().config.store;
    let embedded = store("store: {kind: embedded}\n");
    assert_eq!((embedded.uri, embedded.adopt), (None, Adopt::None));
    let other = store("store: {uri: postgres://localhost/gannet}\n");
    assert_eq!(
        (other.kind, other.adopt),
        (StoreKind::Postgres, Adopt::None)
    );
    let migrated = store("store: {adopt: none}\n");
    assert_eq!(migrated.adopt, Adopt::None);
    assert_eq!(
        migrated.uri.unwrap().reveal(),
        "postgresql://localhost/ariel"
    );
}

#[test]
fn a_mistake_in_the_database_is_placed_in_the_block() {
    let told = load_text("ariel:\n  database: {uri: mysql://ariel:secret@db/ariel}\n");
    let told = told.unwrap_err().to_string();
    assert_eq!(
        without_folder(&told),
        ":2:19: `ariel.database.uri` is not the address of a PostgreSQL database; \
         write postgres://USER@HOST/DATABASE"
    );
    let told = load_text("ariel:\n  database: {uri: 5}\n").unwrap_err();
    assert_eq!(
        without_folder(&told.to_string()),
        ":2:19: `ariel.database.uri` must be a string or a mapping, found the number `5`"
    );
}

#[test]
fn what_has_none_is_told_line_by_line() {
    let notices = load_text(OSPREY).unwrap().notices;
    let told: Vec<&str> = notices
        .iter()
        .map(|notice| without_folder(notice))
        .collect();
    let expected = [
        ": `project_name`, `api` are outside of `ariel:` and ignored",
        ":4:54: `ariel.database.pool_size` is not supported: it has no effect",
        ":6:3: `ariel.default_search_mode` is not supported: there is no `hybrid` here; it stays `rag`",
        ":11:7: `ariel.search_modules.semantic.provider` is not supported: there is no provider `ollama` here; vectors are made by `builtin`",
        ":12:7: `ariel.search_modules.semantic.model` is not supported: its provider is ignored",
        ":13:45: `ariel.search_modules.semantic.settings.embedding_dimension` is not supported: the provider knows its dimension",
        ":14:5: `ariel.search_modules.hybrid` is not supported: there is none of this name",
        ":16:55: `ariel.pipelines.rag.retrieval_modules.1` is not supported: there is no search module \"hybrid\" here",
        ":21:7: `ariel.enhancement_modules.text_embedding.models` is not supported: the provider has one model",
        ":22:55: `ariel.ingestion.poll_interval_seconds` is not supported: sources are read when `gannet ingest` is run",
        ":23:15: `ariel.embedding.provider` is not supported: there is no provider `ollama` here; vectors are made by `builtin`",
    ];
    assert_eq!(told, expected);
}

#[test]
fn mistakes_are_placed_in_the_block() {
    let told = load_text(
        "ariel:\n  default_max_results: many\n  search_modules:\n    keyword: {enabled: 3}\n",
    );
    let told = told.unwrap_err().to_string();
    let lines: Vec<&str> = told.lines().map(without_folder).collect();
    let expected = [
        ":2:24: `ariel.default_max_results` must be an integer, found the string `many`",
        ":4:24: `ariel.search_modules.keyword.enabled` must be `true` or `false`, found the number `3`",
    ];
    assert_eq!(lines, expected);
    assert!(load_text("ariel: [1]\n").is_err());
}

#[test]
fn keys_of_gannet_beside_the_block_win() {
    let loaded = load_text("default_max_results: 5\nariel: {default_max_results: 6}\n").unwrap();
    assert_eq!(loaded.config.default_max_results, 5);
}

#[test]
fn a_pipeline_without_a_list_searches_with_what_is_on() {
    let loaded = load_text("ariel: {search_modules: {semantic: {enabled: false}}}\n").unwrap();
    assert_eq!(loaded.config.retrieval_modules("rag"), ["keyword"]);
}

#[test]
fn the_limits_of_its_reasoning_are_taken_over_and_its_provider_is_told() {
    let block = "ariel: {reasoning: {provider: openai, model_id: m, max_iterations: 3}}";
    let loaded = load_text(block).unwrap();
    assert_eq!(loaded.config.reasoning.max_iterations, 3);
    assert_eq!(loaded.config.reasoning.provider, None);
    let told = loaded.notices.join("\n");
    assert!(told.contains("ariel.reasoning.provider"), "{told}");
    assert!(told.contains("name it under `providers`"), "{told}");
}
