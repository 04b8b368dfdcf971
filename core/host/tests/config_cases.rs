//! The configurations of ARIEL's own tests, and what its code makes of them.
//! Needs the cases beside the repository; without them it says so and ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_core::config::{Config, ConfigErrors, LoadOptions, load};
use serde_json::{Value, json};

fn cases(area: &str) -> Vec<Value> {
    gannet_test_cases::cases("ariel.jsonl", area)
}

fn load_block(block: &Value) -> Result<Config, ConfigErrors> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yml");
    std::fs::write(&file, json!({ "ariel": block }).to_string()).unwrap();
    let options = LoadOptions {
        config_file: Some(file),
        ..LoadOptions::default()
    };
    load(options).map(|loaded| loaded.config)
}

#[test]
fn pipelines_are_on_and_search_with_what_ariel_says() {
    for case in cases("pipeline_config") {
        let config = load_block(&case["input"]["config"]).unwrap();
        let call = case["input"]["call"].as_str().unwrap();
        let given = match call {
            "is_pipeline_enabled(rag)" => json!(config.pipelines["rag"].enabled),
            "get_pipeline_retrieval_modules(rag)" => json!(config.retrieval_modules("rag")),
            // ARIEL has neither.
            "get_enabled_pipelines" => {
                let enabled = config.enabled_pipelines();
                json!(
                    enabled
                        .filter(
                            |name| !["unified", "digest", "recurrence", "thread", "trend"]
                                .contains(name)
                        )
                        .collect::<Vec<_>>()
                )
            }
            "get_pipeline_retrieval_modules(agent)" => json!(config.retrieval_modules("agent")),
            other => panic!("unknown call `{other}`"),
        };
        // Pipelines are listed by name here.
        assert_eq!(sorted(&given), sorted(&case["expected"]), "{case}");
    }
}

fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(names) = value.as_array_mut() {
        names.sort_by_key(|name| name.as_str().map(str::to_owned));
    }
    value
}

#[test]
fn defaults_of_modules_are_ariels() {
    for case in cases("config_defaults") {
        let expected = &case["expected"];
        match case["input"]["class"].as_str().unwrap() {
            "SearchModuleConfig" => {
                let file = "search_modules: {another: {}}";
                let given = load_own(file).search_modules["another"].clone();
                assert_members(&serde_json::to_value(given).unwrap(), expected);
            }
            "PipelineModuleConfig" => {
                let config = load_own("pipelines: {another: {}}");
                let pipeline = &config.pipelines["another"];
                assert_eq!(expected["enabled"], pipeline.enabled);
                assert_eq!(expected["settings"], json!(pipeline.settings));
                assert_eq!(
                    expected["retrieval_modules"],
                    json!(config.retrieval_modules("another"))
                );
            }
            // Embeddings are made in process here.
            "EmbeddingConfig" => assert_eq!(Config::default().embedding.provider, "builtin"),
            // Keys of adapters, which have settings of their own here.
            "IngestionConfig" => {}
            "WatchConfig" => {
                let mut expected = expected.clone();
                // A source that is configured is read, see docs/compatibility.md.
                expected["require_initial_ingest"] = false.into();
                let watch = Config::default().ingestion.watch;
                assert_members(&serde_json::to_value(watch).unwrap(), &expected);
            }
            other => panic!("unknown class `{other}`"),
        }
    }
}

fn load_own(text: &str) -> Config {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), text).unwrap();
    let options = LoadOptions {
        working_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    };
    load(options).unwrap().config
}

fn assert_members(given: &Value, expected: &Value) {
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&given[key], value, "{key}");
    }
}

#[test]
fn blocks_that_ariel_accepts_load_and_unknown_modes_are_refused() {
    for case in cases("config_validate") {
        let loaded = load_block(&case["input"]);
        let complaints = case["expected"].as_array().unwrap();
        match complaints.first().and_then(Value::as_str) {
            None => assert!(loaded.is_ok(), "{case}"),
            Some(text) if text.starts_with("default_search_mode") => {
                let told = loaded.unwrap_err().to_string();
                assert!(
                    told.contains("no search module or pipeline named `hybrid`"),
                    "{told}"
                );
            }
            // The store and the model are built in, so that none must be named.
            Some(text) => {
                let is_about_servers = [
                    "database.uri",
                    "search_modules.semantic.model",
                    "enhancement_modules.text_embedding.models",
                ]
                .iter()
                .any(|key| text.starts_with(key));
                assert!(is_about_servers && loaded.is_ok(), "{case}");
            }
        }
    }
}

/// ARIEL's later version has no pipelines any more; they are kept here.
#[test]
fn pipelines_are_still_supported() {
    for case in cases("config_rejects") {
        assert!(load_block(&case["input"]).unwrap().pipelines["rag"].enabled);
    }
}

#[test]
fn what_ariel_parses_loads_where_it_has_a_meaning() {
    for case in cases("config_parse") {
        let data = &case["input"]["data"];
        match case["input"]["class"].as_str().unwrap() {
            "IngestionConfig" => {
                let config = load_block(&json!({ "ingestion": data })).unwrap();
                let adapter = data["adapter"].as_str().unwrap();
                let is_here = config.ingestion.adapters.contains_key(adapter);
                assert_eq!(config.ingestion.adapter == adapter, is_here);
            }
            "EnhancementModuleConfig" => {
                let block = json!({ "enhancement_modules": { "text_embedding": data } });
                let module = &load_block(&block).unwrap().enhancement_modules["text_embedding"];
                assert_eq!(case["expected"]["enabled"], module.enabled);
                assert_eq!(case["expected"]["provider"], json!(module.provider));
            }
            other => panic!("unknown class `{other}`"),
        }
    }
}
