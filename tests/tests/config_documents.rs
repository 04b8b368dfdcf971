//! The JSON Schema of the configuration says what `gannet config validate`
//! says. `UPDATE=1 cargo test -p gannet-tests --test config_documents` rewrites
//! the one in the repository.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_core::Gannet;
use gannet_core::api::Registration;
use gannet_core::config::{LoadOptions, load, schema};
use gannet_core::registry::Registry;
use gannet_core::registry::schema::Schema;
use gannet_tests::root;
use serde_json::{Map, Value, json};

fn current() -> Value {
    let plugins = Registry::of(Registration::linked().copied()).unwrap();
    schema(&plugins)
}

#[test]
fn the_committed_schema_is_current() {
    let path = root().join("docs/config.schema.json");
    let current = serde_json::to_string_pretty(&current()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == current,
        "run with UPDATE=1 to rewrite {}",
        path.display()
    );
}

#[test]
fn every_key_has_a_description() {
    let schema = current();
    let types = schema["$defs"].as_object().unwrap();
    let types = types.iter().filter(|(name, _)| !name.contains('.'));
    for node in types.map(|(_, node)| node).chain([&schema]) {
        for (key, property) in node["properties"].as_object().into_iter().flatten() {
            assert!(
                property["description"].is_string(),
                "`{key}` has no description"
            );
        }
    }
}

/// A folder for documents, and the schema.
struct Desk {
    folder: tempfile::TempDir,
    schema: Schema,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            schema: Schema::new(&current()).unwrap(),
        }
    }

    /// What `config validate` says of a document; JSON is YAML.
    fn validate(&self, document: &Value) -> Result<(), String> {
        let file = self.folder.path().join("config.yml");
        std::fs::write(&file, document.to_string()).unwrap();
        let options = LoadOptions {
            config_file: Some(file),
            ..LoadOptions::default()
        };
        let loaded = load(options).map_err(|errors| errors.to_string())?;
        let checked = Gannet::check(&loaded.config);
        checked.map(drop).map_err(|error| error.to_string())
    }

    /// What is wrong when the two do not say the same.
    fn disagreement(&self, document: &Value) -> Option<String> {
        let faults = self.schema.faults(document);
        let by_schema = match faults.first() {
            None => Ok(()),
            Some(fault) => Err(format!("{}: {fault}", fault.place)),
        };
        let by_validate = self.validate(document);
        (by_schema.is_ok() != by_validate.is_ok())
            .then(|| format!("{document}\n  schema: {by_schema:?}\n  validate: {by_validate:?}"))
    }
}

fn assert_agreement(documents: impl IntoIterator<Item = Value>) {
    let desk = Desk::new();
    let documents = documents.into_iter();
    let wrong: Vec<String> = documents
        .filter_map(|document| desk.disagreement(&document))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} disagree:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The built-in configuration, every key of `config.yml`.
fn reference() -> Value {
    let loaded = load(LoadOptions::default()).unwrap();
    loaded.show_json(false)
}

#[test]
fn the_reference_is_accepted_by_both() {
    let desk = Desk::new();
    let reference = reference();
    assert!(desk.schema.allows(&reference));
    assert_eq!(desk.validate(&reference), Ok(()));
}

/// Every way to a value of the reference.
fn ways(value: &Value, path: &[String], all: &mut Vec<Vec<String>>) {
    for (key, member) in value.as_object().into_iter().flatten() {
        let path: Vec<String> = path.iter().cloned().chain([key.clone()]).collect();
        ways(member, &path, all);
        all.push(path);
    }
}

/// A document that sets one value.
fn document(path: &[String], value: Value) -> Value {
    path.iter().rev().fold(value, |value, key| {
        Value::Object(Map::from_iter([(key.clone(), value)]))
    })
}

fn reference_ways() -> Vec<(Vec<String>, Value)> {
    let reference = reference();
    let mut all = Vec::new();
    ways(&reference, &[], &mut all);
    let at = |path: &[String]| {
        path.iter()
            .fold(&reference, |value, key| &value[key])
            .clone()
    };
    all.into_iter()
        .map(|path| (path.clone(), at(&path)))
        .collect()
}

#[test]
fn both_refuse_a_misspelt_key() {
    let documents = reference_ways().into_iter().map(|(mut path, value)| {
        path.last_mut().unwrap().push('x');
        document(&path, value)
    });
    assert_agreement(documents);
}

#[test]
fn both_say_the_same_of_values_of_another_type() {
    let others = [
        Value::Null,
        json!(true),
        json!(5),
        json!(2.5),
        json!("text"),
        json!([1]),
        json!({"a": 1}),
    ];
    let mut documents = Vec::new();
    for (path, value) in reference_ways() {
        for other in &others {
            // Another text is another name, which may mean nothing.
            let is_name = other.is_string() && (value.is_string() || value.is_null());
            let same = std::mem::discriminant(other) == std::mem::discriminant(&value);
            if !is_name && (!same || other.is_null()) {
                documents.push(document(&path, other.clone()));
            }
        }
    }
    assert_agreement(documents);
}

#[test]
fn both_say_the_same_of_these_documents() {
    assert_agreement([
        json!({}),
        json!({"default_max_results": 10.0}),
        json!({"default_max_results": 10.5}),
        json!({"default_max_results": 0}),
        json!({"default_max_results": 1001}),
        json!({"search_modules": {"keyword": null}}),
        json!({"search_modules": {"Not-A-Name": {}}}),
        json!({"search_modules": {"second": {"enabled": true, "plugin": "semantic"}}}),
        json!({"search_modules": {"second": {"enabled": true, "plugin": "semantc"}}}),
        json!({"search_modules": {"second": {"enabled": true, "plugin": "keyword",
            "settings": {"similarity_threshold": 0.5}}}}),
        json!({"search_modules": {"second": {"plugin": "keyword",
            "settings": {"similarity_threshold": 0.5}}}}),
        json!({"search_modules": {"nobody": {"enabled": false}}}),
        json!({"search_modules": {"semantic": {"settings": {"similarity_threshold": 2}}}}),
        json!({"search_modules": {"keyword": {"provider": "builtin"}}}),
        json!({"search_modules": {"keyword": {"model": "m"}}}),
        json!({"search_modules": {"semantic": {"provider": "builtin"}}}),
        json!({"pipelines": {"rag": {"retrieval_modules": []}}}),
        json!({"pipelines": {"rag": {"settings": {"fusion": {"metod": "rrf"}}}}}),
        json!({"pipelines": {"rag": {"settings": {"budget": {"policy": "all"}}}}}),
        json!({"pipelines": {"rag": {"settings": {"rerank": {"candidate_k": -3}}}}}),
        json!({"pipelines": {"rag": {"settings": {"rerank": {"candidate_k": 1001}}}}}),
        json!({"pipelines": {"agent": {"enabled": false, "settings": {"whatever": 1}}}}),
        json!({"providers": {"ollama": null}}),
        json!({"providers": {"ollama": {"settings": {"model": "llama3.2"}}}}),
        json!({"providers": {"ollama": {"settings": {"modell": "llama3.2"}}}}),
        json!({"providers": {"openai": {"settings": {"api_key": {"env": "KEY"}}}}}),
        json!({"providers": {"cross_encoder": {}}}),
        json!({"providers": {"mine": {"plugin": "openai", "settings": {"preset": "vlm"}}}}),
        json!({"store": {"uri": {}}}),
        json!({"store": {"uri": {"env": null}}}),
        json!({"store": {"kind": "oracle"}}),
        json!({"plugins": {"load": [{"file": "a.so", "required": null}]}}),
        json!({"plugins": {"load": [{"sha256": "abc"}]}}),
        json!({"plugins": {"load": [{"file": "a.so"}]}, "search_modules": {"pv": {"enabled": true}}}),
        json!({"project_name": "facility"}),
        json!({"project_name": "facility", "ariel": null}),
        json!({"ariel": {"default_max_results": 5, "anything": [1]}}),
        json!({"ariel": {"default_max_results": "five"}}),
        json!({"ariel": [1]}),
        json!({"ariel": {"search_modules": {"keyword": {"enabled": true}, "hybrid": 5}}}),
        json!({"ariel": {"search_modules": {"keyword": {"enabled": "on"}}}}),
        json!({"ariel": {"search_modules": {"keyword": null, "semantic": {"enabled": true}}}}),
        json!({"ariel": {"search_modules": {"semantic": {"enabled": true, "provider": 5}}}}),
        json!({"ariel": {"search_modules": {"semantic": {"enabled": true, "model": ["m"]}}}}),
        json!({"ariel": {"search_modules": {"semantic":
            {"enabled": true, "settings": {"similarity_threshold": 7}}}}}),
        json!({"ariel": {"reasoning": {"max_iterations": 0}}}),
        json!({"ariel": {"reasoning": {"provider": "openai", "model_id": "m"}}}),
        json!({"ariel": {"database": {"uri": 5}}}),
        json!({"ariel": {"ingestion": {"adapter": 5}}}),
        json!({"retriever_arm": {"default_method": "vector", "port": "anything"}, "other": 1}),
        json!({"retriever_arm": {"default_limit": "ten"}}),
        json!({"retriever_arm": {"fusion": {"method": "rrf", "k": 30}}}),
        json!({"retriever_arm": {"fusion": {"method": "sum"}}}),
        json!({"retriever_arm": 5}),
    ]);
}

#[test]
fn a_name_that_means_nothing_is_found_by_validate_alone() {
    let desk = Desk::new();
    for document in [
        json!({"default_search_mode": "nowhere"}),
        json!({"timezone": "Mars/Olympus"}),
        json!({"search_modules": {"semantic": {"model": "m9"}}}),
        json!({"pipelines": {"rag": {"settings": {"rerank": {}}}}}),
        json!({"pipelines": {"rag": {"settings": {"rerank": {"provider": "builtin"}}}}}),
        json!({"pipelines": {"rag": {"settings": {"rerank": {"provider": "cross_encodr"}}}}}),
        json!({"pipelines": {"rag": {"settings": {"reader": "nosuch"}}}}),
    ] {
        assert!(desk.schema.allows(&document), "{document}");
        assert!(desk.validate(&document).is_err(), "{document}");
    }
}
