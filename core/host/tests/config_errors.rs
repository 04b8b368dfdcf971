//! What a user is told about a mistake in the configuration: file, line,
//! column, key, and the nearest name.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_core::config::{ConfigError, ConfigErrorKind, LoadOptions, Source, load};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

/// The errors of a `config.yml` with this text; the folder is cut away.
fn errors_of(text: &str) -> Vec<ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), text).unwrap();
    let options = LoadOptions {
        working_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    };
    let mut errors = load(options)
        .expect_err("the configuration has a mistake")
        .0;
    for error in &mut errors {
        if let Source::File(path) = &mut error.origin.source {
            *path = path.strip_prefix(folder.path()).unwrap().to_owned();
        }
    }
    errors
}

fn told(text: &str) -> String {
    let lines: Vec<String> = errors_of(text).iter().map(ConfigError::to_string).collect();
    lines.join("\n")
}

fn told_of_variable(name: &str, value: &str) -> String {
    let options = LoadOptions {
        env: [(name.to_owned(), value.to_owned())].into(),
        ..LoadOptions::default()
    };
    load(options).unwrap_err().to_string()
}

#[test]
fn an_unknown_key_comes_with_the_nearest_one() {
    assert_eq!(
        told("timezone: UTC\nserach_modules: {}\n"),
        "config.yml:2:1: unknown key `serach_modules`; did you mean `search_modules`?"
    );
    assert_eq!(
        told("search_modules:\n  keyword:\n    setings: {}\n"),
        "config.yml:3:5: unknown key `search_modules.keyword.setings`; did you mean `settings`?"
    );
}

#[test]
fn an_unknown_key_that_is_like_none_comes_with_all_of_them() {
    assert_eq!(
        told("embedding:\n  quux: 1\n"),
        "config.yml:2:3: unknown key `embedding.quux`; there is `provider`"
    );
}

#[test]
fn a_wrong_type_says_what_is_wanted_and_what_was_found() {
    assert_eq!(
        told("default_max_results: ten\n"),
        "config.yml:1:22: `default_max_results` must be an integer, found the string `ten`"
    );
    assert_eq!(
        told("search_modules:\n  keyword:\n    enabled: yes please\n"),
        "config.yml:3:14: `search_modules.keyword.enabled` must be `true` or `false`, \
         found the string `yes please`"
    );
    assert_eq!(
        told("pipelines:\n  rag:\n    retrieval_modules: keyword\n"),
        "config.yml:3:24: `pipelines.rag.retrieval_modules` must be a list such as `[a, b]`, \
         found the string `keyword`"
    );
    assert_eq!(
        told("store: 5\n"),
        "config.yml:1:8: `store` must be a mapping, found the number `5`"
    );
}

#[test]
fn a_mapping_in_place_of_a_value_is_shown_by_its_key() {
    assert_eq!(
        told("timezone:\n  name: UTC\n"),
        "config.yml:1:1: `timezone` must be a string, found a mapping"
    );
}

#[test]
fn a_fraction_is_no_whole_number() {
    assert_eq!(
        told("default_max_results: 1.5\n"),
        "config.yml:1:22: `default_max_results` must be an integer, found the number `1.5`"
    );
}

#[test]
fn a_value_that_is_not_allowed_comes_with_those_that_are() {
    assert_eq!(
        told("store:\n  kind: oracle\n"),
        "config.yml:2:9: `store.kind` must be `embedded`, `postgres`, found the string `oracle`"
    );
    assert_eq!(
        told("store:\n  synchronous: ful\n"),
        "config.yml:2:16: `store.synchronous` must be `normal`, `full`, found the string `ful`; \
         did you mean `full`?"
    );
}

#[test]
fn numbers_have_bounds() {
    assert_eq!(
        told("default_max_results: 0\n"),
        "config.yml:1:22: `default_max_results` must be at least 1, found the number `0`"
    );
    assert_eq!(
        told("store: {field_weights: {title: -1}}\n"),
        "config.yml:1:32: `store.field_weights.title` must be at least 0, found the number `-1`"
    );
}

#[test]
fn an_empty_list_of_retrieval_modules_is_refused() {
    assert_eq!(
        told("pipelines: {rag: {retrieval_modules: []}}\n"),
        "config.yml:1:19: `pipelines.rag.retrieval_modules` must be a list of at least 1, \
         found an empty list"
    );
}

#[test]
fn names_of_instances_follow_a_rule() {
    assert_eq!(
        told("search_modules:\n  My.Module: {}\n"),
        "config.yml:2:3: `My.Module` is not a valid name; names are lower-case letters and digits, \
         with `_` between words"
    );
}

#[test]
fn a_retrieval_module_that_is_off_or_unknown_is_an_error_at_start() {
    assert_eq!(
        told("pipelines:\n  rag:\n    retrieval_modules:\n      - keyword\n      - semntic\n"),
        "config.yml:5:9: no search module named `semntic`; did you mean `semantic`?"
    );
    let told = told("search_modules:\n  semantic:\n    enabled: false\n");
    assert!(told.starts_with("built-in config.yml:"), "{told}");
    assert!(
        told.ends_with(
            ": the search module `semantic` is off; \
             enable it, or use another: there is `keyword`"
        ),
        "{told}"
    );
}

#[test]
fn pipelines_do_not_search_in_a_circle() {
    assert_eq!(
        told("pipelines: {rag: {retrieval_modules: [keyword, rag]}}\n"),
        "config.yml:1:19: `rag` refers to itself"
    );
    let circle = "pipelines:\n  rag: {retrieval_modules: [two]}\n  \
                  two: {plugin: rag, retrieval_modules: [rag]}\n";
    let told = told(circle);
    assert!(told.contains("`rag` refers to itself"), "{told}");
    assert!(told.contains("`two` refers to itself"), "{told}");
}

#[test]
fn modes_adapters_providers_and_zones_must_exist() {
    assert_eq!(
        told("default_search_mode: keywrd\n"),
        "config.yml:1:22: no search module or pipeline named `keywrd`; did you mean `keyword`?"
    );
    assert_eq!(
        told("ingestion: {adapter: josnl}\n"),
        "config.yml:1:22: no adapter named `josnl`; did you mean `jsonl`?"
    );
    assert_eq!(
        told("search_modules: {semantic: {provider: buildin}}\n"),
        "config.yml:1:39: no provider named `buildin`; did you mean `builtin`?"
    );
    assert_eq!(
        told("timezone: Europe/Berln\n"),
        "config.yml:1:11: no time zone named `Europe/Berln`; did you mean `Europe/Berlin`?"
    );
}

#[test]
fn a_search_module_and_a_pipeline_do_not_share_a_name() {
    let told = told("search_modules:\n  rag: {enabled: true, plugin: keyword}\n");
    assert!(
        told.contains("`rag` is a search module and a pipeline"),
        "{told}"
    );
}

#[test]
fn broken_yaml_is_shown_where_it_breaks() {
    let errors = errors_of("store:\n  path: [a\ntimezone: UTC\n");
    assert_eq!(errors[0].kind, ConfigErrorKind::Syntax);
    assert_eq!(errors[0].origin.place.as_ref().unwrap().line, 3);
    assert_eq!(
        told("a: 1\na: 2\n"),
        "config.yml:1:1: not valid YAML: duplicate entry with key \"a\""
    );
}

#[test]
fn all_mistakes_are_told_at_once() {
    assert_eq!(
        told("default_max_results: 0\nstore:\n  ptah: x\n  kind: 5\n"),
        "config.yml:1:22: `default_max_results` must be at least 1, found the number `0`\n\
         config.yml:3:3: unknown key `store.ptah`; did you mean `path`?\n\
         config.yml:4:9: `store.kind` must be `embedded`, `postgres`, found the number `5`"
    );
}

#[test]
fn an_error_has_the_text_and_the_span_for_a_picture() {
    let errors = errors_of("# Größe\nstore:\n  ptah: x\n");
    let place = errors[0].origin.place.as_ref().unwrap();
    assert_eq!((place.line, place.column), (3, 3));
    assert_eq!(&place.text[place.span.clone()], "ptah");
}

#[test]
fn a_file_that_was_asked_for_must_be_there() {
    let options = LoadOptions {
        config_file: Some("no/such/file.yml".into()),
        ..LoadOptions::default()
    };
    let told = load(options).unwrap_err().to_string();
    assert!(
        told.starts_with("no/such/file.yml: cannot be read: No such file"),
        "{told}"
    );
}

#[test]
fn a_variable_is_named_instead_of_a_place() {
    assert_eq!(
        told_of_variable("GANNET__DEFAULT_MAX_RESULTS", "ten"),
        "environment variable GANNET__DEFAULT_MAX_RESULTS: `default_max_results` must be \
         an integer, found the string `ten`"
    );
    assert_eq!(
        told_of_variable("RETRIEVER_DEFAULT_METHOD", "vektor"),
        "environment variable RETRIEVER_DEFAULT_METHOD: no search module or pipeline named \
         `vektor`; there is `keyword`, `semantic`, `agent`, `digest`, `rag`, `recurrence`, \
         `thread`, `trend`, `unified`"
    );
}

#[test]
fn a_flag_is_named_instead_of_a_place() {
    let options = LoadOptions {
        overrides: vec![("store.synchronous".into(), "off".into())],
        ..LoadOptions::default()
    };
    assert_eq!(
        load(options).unwrap_err().to_string(),
        "command line, `store.synchronous`: `store.synchronous` must be `normal`, `full`, \
         found the string `off`"
    );
}

#[test]
fn checks_of_others_are_placed_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yml");
    std::fs::write(
        &file,
        "search_modules:\n  keyword:\n    settings:\n      colour: red\n",
    )
    .unwrap();
    let loaded = load(LoadOptions {
        config_file: Some(file.clone()),
        ..LoadOptions::default()
    })
    .unwrap();

    let kind = ConfigErrorKind::UnknownKey;
    let key = "search_modules.keyword.settings.colour";
    let error = loaded
        .origins
        .error(kind, key, "unknown setting `colour`", None);
    assert_eq!(
        error.to_string(),
        format!("{}:4:7: unknown setting `colour`", file.display())
    );
    let missing = loaded
        .origins
        .locate("search_modules.keyword.settings.size")
        .unwrap();
    assert_eq!(missing.place.unwrap().line, 3);
}

/// Configurations of known names with values that mostly do not fit.
fn anything() -> impl Strategy<Value = Value> {
    let names = "store|kind|path|search_modules|keyword|settings|pipelines|rag|retrieval_modules|\
                 ariel|ingestion|adapter|embedding|provider|default_search_mode|timezone|a.b|[a-z]?";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "keyword|rag|UTC|embedded|[a-z.]{0,3}|\\PC".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::from),
            4 => vec((names, inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_configured_is_taken_or_refused_with_a_place(root in anything()) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yml");
        std::fs::write(&file, root.to_string()).unwrap();
        let options = LoadOptions { config_file: Some(file), ..LoadOptions::default() };
        match load(options) {
            Ok(loaded) => prop_assert!(!loaded.show(true).is_empty()),
            Err(errors) => prop_assert!(errors.iter().all(|error| error.origin.place.is_some())),
        }
    }
}

#[test]
fn an_endpoint_of_traces_that_cannot_be_used_is_found_and_not_repeated() {
    for (endpoint, part) in [
        ("http://2130706433/v1/traces", "write the host as 127.0.0.1"),
        ("http://s3cret@collector/v1/traces", "a user or a password"),
        (
            "http://me:s3cret@collector/v1/traces",
            "a user or a password",
        ),
        (
            "http://collector/v1/traces?token=s3cret",
            "a query or a fragment",
        ),
        ("http://collector/v1/traces#s3cret", "a query or a fragment"),
        ("http://collector:99999/v1/traces", "not an address"),
        ("ftp://me:s3cret@collector/", "does not match pattern"),
    ] {
        let told = told(&format!("server:\n  traces:\n    endpoint: {endpoint}\n"));
        assert!(
            told.starts_with("config.yml:3:15: `server.traces.endpoint`: "),
            "{told}"
        );
        assert!(told.contains(part), "{endpoint}: {told}");
        assert!(!told.contains("s3cret"), "{told}");
    }
}

#[test]
fn headers_of_traces_are_references_to_secrets() {
    let headers = |value: &str| format!("server:\n  traces:\n    headers: {value}\n");
    for wrong in ["{authorization: s3cret}", "{authorization: {key: s3cret}}"] {
        let told = told(&headers(wrong));
        assert!(!told.contains("s3cret"), "{told}");
        assert!(told.contains("server.traces.headers"), "{told}");
    }
    let number = told(&headers("{authorization: 471100}"));
    assert!(number.contains("found a number"), "{number}");
    assert!(!number.contains("471100"), "{number}");
    let told = told(&headers("{a b: {env: A}}"));
    assert!(told.contains("is not the name of a header"), "{told}");
}
