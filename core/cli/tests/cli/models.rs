//! Model files: made by `gannet models`, named in the configuration.

#[path = "../../../../plugins/providers/minilm/tests/tiny/mod.rs"]
mod tiny;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tiny::TinyModel;

/// Runs `gannet` in this folder, with nothing of the machine's configuration.
fn gannet(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

/// What it printed; it must have done its work.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = gannet(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn import_says_what_it_made_and_which_setting_takes_it() {
    let embedder = TinyModel::new();
    let text = printed(embedder.folder(), &["models", "import", ".", "tiny.i8"]);
    assert!(
        text.starts_with("written tiny.i8 (") && text.contains("an embedder with 64 dimensions"),
        "{text}"
    );
    assert!(text.contains(" kB): "), "{text}");
    let reranker = TinyModel::cross_encoder();
    let text = printed(reranker.folder(), &["models", "import", ".", "tiny.i8"]);
    assert!(
        text.contains(
            "a reranker with 40 tokens per pair, for `path` of the provider `cross_encoder`"
        ),
        "{text}"
    );
}

#[test]
fn an_imported_cross_encoder_orders_what_is_asked_for() {
    let tiny = TinyModel::cross_encoder();
    let folder = tiny.folder();
    printed(folder, &["models", "import", ".", "tiny.i8"]);
    let model = gannet_minilm::CrossEncoder::open(&tiny.path("tiny.i8")).unwrap();
    let texts = [
        "beam lost",
        "beam lost, valve open",
        "the beam",
        "no beam, pumps open",
    ];
    let entries = texts.iter().enumerate().map(|(n, text)| {
        json!({"id": format!("A-{n}"), "text": text, "timestamp": "2025-03-01T10:00:00Z"})
    });
    let lines: Vec<String> = entries.map(|entry| entry.to_string()).collect();
    std::fs::write(tiny.path("entries.jsonl"), lines.join("\n")).unwrap();
    let config = json!({
        "providers": {"cross_encoder": {"settings": {"path": "tiny.i8"}}},
        "pipelines": {"rag": {"settings": {"rerank": {"provider": "cross_encoder"}}}},
    });
    tiny.write("config.yml", &config);

    printed(folder, &["--data", "store", "ingest", "entries.jsonl"]);
    let asked = ["--data", "store", "--format", "json", "ask", "beam"];
    let answer: Value = serde_json::from_str(&printed(folder, &asked)).unwrap();
    let hits = answer["entries"].as_array().unwrap();
    let found: Vec<(&str, f64)> = hits
        .iter()
        .map(|hit| {
            assert_eq!(hit["score_kind"], "rerank");
            let text = hit["entry"]["raw_text"].as_str().unwrap();
            (text, hit["score"].as_f64().unwrap())
        })
        .collect();
    let scores = model.score("beam", &texts, 1);
    let mut expected: Vec<(&str, f64)> = texts
        .into_iter()
        .zip(scores.into_iter().map(f64::from))
        .collect();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert_eq!(found, expected);
}

#[test]
fn every_model_is_listed_with_where_it_comes_from() {
    let tiny = TinyModel::cross_encoder();
    let folder = tiny.folder();
    printed(folder, &["models", "import", ".", "tiny.i8"]);
    let providers = json!({"cross_encoder": {"settings": {"path": "tiny.i8"}}});
    tiny.write("config.yml", &json!({ "providers": providers }));
    let entry = json!({"id": "A", "text": "Pump tripped", "timestamp": "2025-03-01T10:00:00Z"});
    std::fs::write(tiny.path("entries.jsonl"), entry.to_string()).unwrap();
    printed(folder, &["--data", "store", "ingest", "entries.jsonl"]);

    let listed = printed(folder, &["--data", "store", "models", "--format", "json"]);
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let named = |name: &str| {
        let found = listed.iter().find(|model| model["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {listed:?}"))
    };
    for (name, kind, license) in [
        ("all-MiniLM-L6-v2", json!("embedder"), "Apache-2.0"),
        ("reader", json!("reader"), "MIT OR Apache-2.0"),
        ("relevance", Value::Null, "MIT OR Apache-2.0"),
        ("recurrence", Value::Null, "MIT OR Apache-2.0"),
    ] {
        let model = named(name);
        assert_eq!(model["kind"], kind, "{name}");
        assert_eq!(model["license"], license, "{name}");
        assert_eq!(model["state"], "on", "{name}");
        for field in ["source", "made_by", "purpose"] {
            assert_ne!(model[field], "", "{name}: {field}");
        }
        assert!(model["bytes"].as_u64().unwrap() > 100_000, "{name}");
        let data = model["trained_on"].as_array().unwrap();
        assert!(!data.is_empty(), "{name}");
        assert!(
            data.iter().all(|one| one["license"] != ""),
            "{name}: {data:?}"
        );
    }
    assert_eq!(named("all-MiniLM-L6-v2")["passages"], 1);
    for name in ["reader", "relevance", "recurrence"] {
        for field in ["trained", "machine"] {
            assert_ne!(named(name)[field], "", "{name}: {field}");
        }
    }
    assert_eq!(named("reader")["features_version"], 1);
    let own = named("tiny");
    assert_eq!(
        (&own["kind"], &own["license"]),
        (&json!("reranker"), &json!(""))
    );
    assert_eq!(own["source"], "tiny.i8");
    let size = std::fs::metadata(tiny.path("tiny.i8")).unwrap().len();
    assert_eq!(own["bytes"], size);

    let table = printed(folder, &["models", "list"]);
    assert!(table.contains("not stated"), "{table}");
    assert!(table.contains("xquad-en, CC BY-SA 4.0"), "{table}");
}

#[test]
fn compiled_models_are_listed_where_another_is_used_and_where_settings_are_refused() {
    let tiny = TinyModel::new();
    let folder = tiny.folder();
    let entry = json!({"id": "A", "text": "Pump tripped", "timestamp": "2025-03-01T10:00:00Z"});
    std::fs::write(tiny.path("entries.jsonl"), entry.to_string()).unwrap();
    printed(folder, &["--data", "store", "ingest", "entries.jsonl"]);

    let asked = ["--data", "store", "models", "--format", "json"];
    let listed = |settings: Value| {
        let providers = json!({"builtin": {"settings": settings}});
        tiny.write("config.yml", &json!({ "providers": providers }));
        let output = gannet(folder, &asked);
        let models: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        (models, output.status.code())
    };
    let named = |models: &[Value], name: &str| {
        let found = models.iter().find(|model| model["name"] == name);
        found
            .cloned()
            .unwrap_or_else(|| panic!("{name}: {models:?}"))
    };
    let (models, code) = listed(json!({"model_path": "."}));
    assert_eq!(code, Some(0));
    let own = models.iter().find(|model| model["source"] == ".").unwrap();
    assert_eq!((&own["state"], &own["made_by"]), (&json!("on"), &json!("")));
    let compiled = named(&models, "all-MiniLM-L6-v2");
    assert_eq!(compiled["license"], "Apache-2.0");
    assert_eq!(
        (&compiled["state"], &compiled["passages"]),
        (&json!("off"), &json!(1))
    );

    // A model of the same name hides neither the compiled one nor its passages.
    let twin = tiny.path("all-MiniLM-L6-v2");
    std::fs::create_dir(&twin).unwrap();
    for file in ["config.json", "model.safetensors", "vocab.txt"] {
        std::fs::copy(tiny.path(file), twin.join(file)).unwrap();
    }
    let (models, _) = listed(json!({"model_path": "all-MiniLM-L6-v2"}));
    let same = models
        .iter()
        .filter(|one| one["name"] == "all-MiniLM-L6-v2" && one["kind"] == "embedder");
    let same: Vec<&Value> = same.collect();
    assert_eq!(same.len(), 2, "{models:?}");
    assert!(same.iter().all(|one| one["passages"].is_null()), "{same:?}");
    assert!(same.iter().any(|one| one["license"] == "Apache-2.0"));

    // The list is whole, and the exit code is that of the configuration.
    let (models, code) = listed(json!({"model_pth": "x"}));
    assert_eq!(code, Some(3));
    for name in ["all-MiniLM-L6-v2", "reader", "relevance", "recurrence"] {
        assert_ne!(named(&models, name)["license"], "", "{name}");
    }
    assert_eq!(named(&models, "all-MiniLM-L6-v2")["passages"], Value::Null);
    // The reader has the name of the embedder, and none of its settings.
    assert_eq!(named(&models, "reader")["state"], "on");
}

#[test]
fn configured_models_are_named_and_recurrence_is_off_with_its_pipeline() {
    let tiny = TinyModel::new();
    let folder = tiny.folder();
    let providers = json!({"rerank_server": {"settings": {"model": "bge-reranker"}}});
    let pipelines = json!({"recurrence": {"enabled": false}});
    let config = json!({ "providers": providers, "pipelines": pipelines });
    tiny.write("config.yml", &config);
    let listed = printed(folder, &["--data", "store", "models", "--format", "json"]);
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let named = |name: &str| listed.iter().find(|model| model["name"] == name);
    let reranker = named("bge-reranker").unwrap();
    assert_eq!(reranker["instance"], "rerank_server");
    assert_eq!(named("recurrence").unwrap()["state"], "off");
    assert_eq!(named("relevance").unwrap()["state"], "on");
}
