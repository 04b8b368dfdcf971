//! An `ariel:` block of an Osprey `config.yml` loads as it is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_core::config::{Adopt, ConfigErrors, LoadOptions, Loaded, StoreKind, load};

const OSPREY: &str = "\
project_name: als-assistant
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
    // The threshold of an encoder that is not here is not used.
    assert_eq!(
        serde_json::to_string(&semantic.settings).unwrap(),
        r#"{"similarity_threshold":0.2}"#
    );
    assert_eq!((&semantic.provider, &semantic.model), (&None, &None));
    assert_eq!(
        semantic.notes,
        [
            "the provider `ollama` is not configured; `builtin` makes the vectors, and \
          `similarity_threshold: 0.6`, which is for other vectors, is not used"
        ]
    );
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
        ":3:54: `ariel.database.pool_size` has no meaning here: there is nothing that it could set",
        ":5:3: `ariel.default_search_mode` has no meaning here: there is no `hybrid` here; it stays `rag`",
        ":10:7: `ariel.search_modules.semantic.provider` has no meaning here: the provider `ollama` is not configured; `builtin` makes the vectors",
        ":11:7: `ariel.search_modules.semantic.model` has no meaning here: its provider is not configured",
        ":12:18: `ariel.search_modules.semantic.settings.similarity_threshold` has no meaning here: it is for the vectors of another encoder",
        ":12:45: `ariel.search_modules.semantic.settings.embedding_dimension` has no meaning here: the provider knows its dimension",
        ":13:5: `ariel.search_modules.hybrid` has no meaning here: the pipeline `rag` joins what `keyword` and `semantic` find",
        ":15:55: `ariel.pipelines.rag.retrieval_modules.1` has no meaning here: there is no search module \"hybrid\" here",
        ":20:7: `ariel.enhancement_modules.text_embedding.models` has no meaning here: its provider is not configured",
        ":22:15: `ariel.embedding.provider` has no meaning here: the provider `ollama` is not configured; `builtin` makes the vectors",
        ": `project_name` is not read",
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
    let text = "ariel: {search_modules: {keyword: {enabled: true}}}\n";
    let loaded = load_text(text).unwrap();
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
    assert!(
        told.contains("define it under `api.providers` or `providers`"),
        "{told}"
    );
}

#[test]
fn a_provider_of_api_providers_keeps_its_modules_and_their_model() {
    let api = "api: {providers: {ollama: {base_url: 'http://gpu:11434/v1', api_key: ollama}}}\n";
    let loaded = load_text(&format!("{api}{OSPREY}")).unwrap();
    let config = loaded.config;
    let semantic = &config.search_modules["semantic"];
    assert_eq!(semantic.provider.as_deref(), Some("ollama"));
    assert_eq!(semantic.model.as_deref(), Some("nomic-embed-text"));
    assert_eq!(semantic.settings["similarity_threshold"], 0.6);
    assert!(semantic.notes.is_empty());
    let enhancer = &config.enhancement_modules["text_embedding"];
    assert_eq!(enhancer.model.as_deref(), Some("nomic-embed-text"));
    assert_eq!(config.embedding.provider, "ollama");
    let provider = &config.providers["ollama"];
    assert_eq!(
        serde_json::to_value(&provider.settings).unwrap(),
        serde_json::json!({
            "base_url": "http://gpu:11434",
            "embedding": {"model": "nomic-embed-text", "dimension": 768}
        })
    );
    let origin = loaded.origins.locate("providers.ollama.settings.base_url");
    assert!(origin.unwrap().to_string().ends_with("config.yml:1:19"));
}

#[test]
fn addresses_and_keys_of_api_providers_are_taken_over_by_reference() {
    let text = "\
api:
  providers:
    cborg: {api_key: '${CBORG_API_KEY}', base_url: https://api.cborg.lbl.gov/v1, timeout: 40}
    site-gpu: {base_url: 'http://${GPU:-gpu}:8000/v1', api_key: written-out}
    anthropic: {api_key: '${ANTHROPIC_API_KEY}'}
    stanford: {api_key: '${STANFORD_API_KEY}'}
ariel:
  reasoning: {provider: cborg, model_id: some/model, max_iterations: 3}
";
    let loaded = load_text(text).unwrap();
    let config = &loaded.config;
    assert_eq!(config.reasoning.provider.as_deref(), Some("cborg"));
    assert_eq!(config.reasoning.model_id.as_deref(), Some("some/model"));
    let cborg = serde_json::to_value(&config.providers["cborg"]).unwrap();
    assert_eq!(cborg["plugin"], "openai");
    assert_eq!(
        cborg["settings"],
        serde_json::json!({
            "preset": "cborg",
            "api_key": {"env": "CBORG_API_KEY"},
            "base_url": "https://api.cborg.lbl.gov/v1",
            "timeout_seconds": 40
        })
    );
    let site = &config.providers["site_gpu"].settings;
    assert_eq!(site["base_url"], "http://gpu:8000/v1");
    assert!(!site.contains_key("api_key"));
    let told = loaded.notices.join("\n");
    assert!(
        told.contains(
            "`api.providers.site-gpu.api_key` has no meaning here: a key is not written down"
        ),
        "{told}"
    );
    assert!(!told.contains("written-out"), "{told}");
    assert!(
        told.contains("`api.providers.anthropic` has no meaning here"),
        "{told}"
    );
    assert!(
        told.contains("`api.providers.stanford` has no meaning here: its address"),
        "{told}"
    );
    assert!(!config.providers.contains_key("anthropic"));
}

#[test]
fn a_provider_and_a_module_beside_the_block_are_used() {
    let text = "\
providers: {gpu: {plugin: openai, settings: {base_url: http://gpu/v1}}}
search_modules: {by_shift: {enabled: true, plugin: keyword}}
ariel:
  search_modules:
    keyword: {enabled: true}
    by_shift: {enabled: true}
    semantic: {enabled: true, provider: gpu, model: bge-m3}
  pipelines: {rag: {retrieval_modules: [keyword, by_shift]}}
";
    let loaded = load_text(text).unwrap();
    assert_eq!(loaded.notices, Vec::<String>::new());
    let config = loaded.config;
    assert_eq!(config.retrieval_modules("rag"), ["keyword", "by_shift"]);
    let semantic = &config.search_modules["semantic"];
    assert_eq!(semantic.provider.as_deref(), Some("gpu"));
    assert_eq!(semantic.model.as_deref(), Some("bge-m3"));
    // ARIEL's threshold, since it is ARIEL's encoder.
    assert_eq!(semantic.settings["similarity_threshold"], 0.5);
}

#[test]
fn a_module_of_a_dylib_is_kept_with_its_settings() {
    let text = "\
plugins: {dynamic: {enabled: true}, load: [{file: libpv.so}]}
ariel:
  search_modules:
    keyword: {enabled: true}
    pv: {enabled: true, settings: {table: names}}
    hybrid: {enabled: true}
  pipelines: {rag: {retrieval_modules: [keyword, pv]}}
";
    let loaded = load_text(text).unwrap();
    assert_eq!(
        loaded.config.search_modules["pv"].settings["table"],
        "names"
    );
    assert_eq!(loaded.config.retrieval_modules("rag"), ["keyword", "pv"]);
    assert!(!loaded.config.search_modules.contains_key("hybrid"));
}

#[test]
fn modules_that_the_block_does_not_name_are_off() {
    let text = "\
ariel:
  search_modules: {keyword: {enabled: true}}
  enhancement_modules: {text_embedding: {enabled: false}}
  pipelines: {rag: {retrieval_modules: [keyword, semantic]}}
";
    let loaded = load_text(text).unwrap();
    assert!(!loaded.config.search_modules["semantic"].enabled);
    assert_eq!(loaded.config.retrieval_modules("rag"), ["keyword"]);
    let told: Vec<&str> = loaded
        .notices
        .iter()
        .map(|told| without_folder(told))
        .collect();
    assert_eq!(
        told,
        [
            ":2:3: `ariel.search_modules`: `semantic` is not named here, and so it is off",
            ":4:50: `ariel.pipelines.rag.retrieval_modules.1` has no meaning here: the search \
             module \"semantic\" is off",
        ]
    );
}

#[test]
fn the_parts_of_the_address_stand_in_services_and_the_block_s_own_win() {
    let services =
        "services: {postgresql: {username: reader, port_host: 5433, database_name: log}}\n";
    let uri = |block: &str| {
        let loaded = load_text(&format!("{services}ariel: {block}\n")).unwrap();
        assert!(loaded.notices.is_empty(), "{:?}", loaded.notices);
        loaded.config.store.uri.unwrap().reveal().to_owned()
    };
    let of_service = "postgresql://reader:ariel@localhost:5433/log";
    assert_eq!(uri("{database: {}}"), of_service);
    assert_eq!(uri("{default_max_results: 5}"), of_service);
    assert_eq!(
        uri("{database: {port_host: 5439}}"),
        "postgresql://reader:ariel@localhost:5439/log"
    );
    assert_eq!(
        uri("{database: {uri: postgresql://db/other}}"),
        "postgresql://db/other"
    );
}

#[test]
fn the_address_of_entries_is_taken_over_where_it_can_be_used() {
    let with =
        |template: &str| load_text(&format!("ariel: {{ entry_url_template: {template} }}\n"));
    let template = "https://log.example/?id={entry_id}";
    let loaded = with(&format!("'{template}'")).unwrap();
    assert_eq!(loaded.config.server.entry_url.as_deref(), Some(template));

    let loaded = with("'https://log.example/?id={wrong}'").unwrap();
    assert_eq!(loaded.config.server.entry_url, None);
    let is_named = |notice: &String| notice.contains("entry_url_template");
    assert!(loaded.notices.iter().any(is_named), "{:?}", loaded.notices);
    assert!(load_text("server: { entry_url: 'https://log.example/' }\n").is_err());
}
