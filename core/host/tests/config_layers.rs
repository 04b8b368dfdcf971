//! Which layer wins, and that the configuration can say so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

use gannet_core::config::{Config, LoadOptions, Loaded, load};

/// A folder with a layer of each kind in it.
struct Machine {
    folder: tempfile::TempDir,
    options: LoadOptions,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let user = folder.path().join("home");
        let options = LoadOptions {
            working_dir: work,
            system_config: Some(folder.path().join("etc/config.yml")),
            env: [(
                "XDG_CONFIG_HOME".to_owned(),
                user.to_str().unwrap().to_owned(),
            )]
            .into(),
            ..LoadOptions::default()
        };
        Self { folder, options }
    }

    fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn variable(&mut self, name: &str, value: &str) {
        self.options.env.insert(name.to_owned(), value.to_owned());
    }

    fn flag(&mut self, key: &str, value: &str) {
        self.options
            .overrides
            .push((key.to_owned(), value.to_owned()));
    }

    fn load(&self) -> Loaded {
        load(self.options.clone()).unwrap()
    }

    /// The number of results, and where it comes from.
    fn results(&self) -> (usize, String) {
        let loaded = self.load();
        let origin = loaded
            .origins
            .locate("default_max_results")
            .unwrap()
            .to_string();
        let folder = self.folder.path().to_str().unwrap();
        (
            loaded.config.default_max_results,
            origin.replace(folder, ""),
        )
    }
}

#[test]
fn without_any_layer_the_reference_holds() {
    let loaded = Machine::new().load();
    assert_eq!(loaded.config, absolute(Config::default()));
    assert!(loaded.notices.is_empty());
    let here = std::env::current_dir().unwrap();
    assert_eq!(loaded.config.store.path, here.join("gannet-data"));
}

/// As a configuration is when it was loaded in the current directory.
fn absolute(mut config: Config) -> Config {
    config.store.path = std::path::absolute(&config.store.path).unwrap();
    config
}

#[test]
fn each_layer_wins_over_those_before_it() {
    let mut machine = Machine::new();
    assert_eq!(machine.results().0, 10);
    machine.file("etc/config.yml", "default_max_results: 11\n");
    assert_eq!(machine.results(), (11, "/etc/config.yml:1:22".into()));
    machine.file("home/gannet/config.yml", "default_max_results: 12\n");
    assert_eq!(
        machine.results(),
        (12, "/home/gannet/config.yml:1:22".into())
    );
    machine.file("work/config.yml", "\ndefault_max_results: 13\n");
    assert_eq!(machine.results(), (13, "/work/config.yml:2:22".into()));
    machine.options.config_file = Some(machine.file("given.yml", "default_max_results: 14\n"));
    assert_eq!(machine.results(), (14, "/given.yml:1:22".into()));
    machine.file("work/.env", "GANNET__DEFAULT_MAX_RESULTS=15\n");
    assert_eq!(
        machine.results(),
        (15, "/work/.env:1:1 (GANNET__DEFAULT_MAX_RESULTS)".into())
    );
    machine.variable("RETRIEVER_DEFAULT_LIMIT", "16");
    assert_eq!(
        machine.results(),
        (16, "environment variable RETRIEVER_DEFAULT_LIMIT".into())
    );
    machine.variable("GANNET__DEFAULT_MAX_RESULTS", "17");
    assert_eq!(
        machine.results(),
        (
            17,
            "environment variable GANNET__DEFAULT_MAX_RESULTS".into()
        )
    );
    machine.flag("default_max_results", "18");
    assert_eq!(
        machine.results(),
        (18, "command line, `default_max_results`".into())
    );
}

#[test]
fn layers_are_merged_key_by_key_and_lists_are_replaced() {
    let machine = Machine::new();
    machine.file(
        "etc/config.yml",
        "search_modules: {mine: {settings: {a: 1, b: {c: 2}}}}\n",
    );
    let text = "search_modules: {mine: {settings: {b: {d: 3}}}}\n\
                pipelines: {rag: {retrieval_modules: [keyword]}}\n";
    machine.file("work/config.yml", text);
    let loaded = machine.load();
    let settings = &loaded.config.search_modules["mine"].settings;
    assert_eq!(
        serde_json::to_string(settings).unwrap(),
        r#"{"a":1,"b":{"c":2,"d":3}}"#
    );
    assert_eq!(loaded.config.retrieval_modules("rag"), ["keyword"]);
    let c = loaded
        .origins
        .locate("search_modules.mine.settings.b.c")
        .unwrap();
    assert!(c.to_string().contains("/etc/config.yml"), "{c}");
}

#[test]
fn the_file_that_is_given_stands_for_the_one_in_the_folder() {
    let mut machine = Machine::new();
    machine.file("work/config.yml", "timezone: Europe/Berlin\n");
    machine.options.config_file = Some(machine.file("given.yml", ""));
    assert_eq!(machine.load().config.timezone, "UTC");
}

#[test]
fn variables_reach_every_depth_and_are_read_by_the_type_of_the_key() {
    let mut machine = Machine::new();
    machine.variable("GANNET__STORE__PATH", "2024");
    machine.variable("GANNET__SEARCH_MODULES__SEMANTIC__ENABLED", "false");
    machine.variable("GANNET__SEARCH_MODULES__KEYWORD__SETTINGS__BOOST", "0.5");
    machine.variable("GANNET__PIPELINES__RAG__RETRIEVAL_MODULES", "[keyword]");
    let config = machine.load().config;
    assert_eq!(config.store.path, std::path::absolute("2024").unwrap());
    assert!(!config.search_modules["semantic"].enabled);
    assert_eq!(config.search_modules["keyword"].settings["boost"], 0.5);
    assert_eq!(config.retrieval_modules("rag"), ["keyword"]);
}

#[test]
fn blank_variables_and_those_of_others_set_nothing() {
    let mut machine = Machine::new();
    machine.variable("GANNET__TIMEZONE", " ");
    machine.variable("GANNET_LOG", "debug");
    machine.variable("TIMEZONE", "Europe/Berlin");
    assert_eq!(machine.load().config, absolute(Config::default()));
}

#[test]
fn a_dotenv_file_never_overrides_a_set_variable_and_can_be_switched_off() {
    let mut machine = Machine::new();
    machine.file(
        "work/.env",
        "GANNET__TIMEZONE=Europe/Berlin\nGANNET__MAX_QUERY_CHARS=5\nodd line\n",
    );
    machine.variable("GANNET__TIMEZONE", "Asia/Tokyo");
    let loaded = machine.load();
    assert_eq!(loaded.config.timezone, "Asia/Tokyo");
    assert_eq!(loaded.config.max_query_chars, 5);
    assert_eq!(loaded.notices.len(), 1);
    assert!(loaded.notices[0].ends_with("/.env:3:1: not `NAME=VALUE`, ignored"));

    machine.variable("ERDOS_LOAD_DOTENV", "0");
    assert_eq!(machine.load().config.max_query_chars, 1000);
}

#[test]
fn methods_of_the_retriever_have_names_here() {
    for (method, mode) in [
        ("vector", "semantic"),
        ("keyword", "keyword"),
        ("hybrid", "rag"),
    ] {
        let mut machine = Machine::new();
        machine.variable("RETRIEVER_DEFAULT_METHOD", method);
        assert_eq!(machine.load().config.default_search_mode, mode);
    }
}

#[test]
fn a_command_of_erdos_becomes_a_provider_that_is_asked() {
    let mut machine = Machine::new();
    machine.variable("ERDOS_LLM_COMMAND", "answer --model 7: fast");
    let config = machine.load().config;
    assert_eq!(config.reasoning.provider.as_deref(), Some("command"));
    let command = &config.providers["command"];
    assert_eq!(command.plugin.as_deref(), Some("command"));
    assert_eq!(command.settings["command"], "answer --model 7: fast");

    machine.variable("ERDOS_LLM_COMMAND_MATH", "prove");
    let settings = &machine.load().config.providers["command"].settings;
    assert_eq!(settings["command"], "prove");
    machine.variable("ERDOS_LLM_COMMAND_MATH", "  ");
    let settings = &machine.load().config.providers["command"].settings;
    assert_eq!(settings["command"], "answer --model 7: fast");
}

#[test]
fn a_key_without_a_value_counts_as_not_set_where_it_cannot_be_empty() {
    let machine = Machine::new();
    let text = "search_modules:\n#  keyword: {}\nstore:\n  path:\npipelines:\n  rag:\n    retrieval_modules:\n";
    machine.file("work/config.yml", text);
    let config = machine.load().config;
    assert_eq!(config.store, absolute(Config::default()).store);
    assert_eq!(config.pipelines["rag"].retrieval_modules, None);
    assert_eq!(config.retrieval_modules("rag"), ["keyword", "semantic"]);
}

#[test]
fn paths_in_a_file_are_taken_from_its_folder() {
    let machine = Machine::new();
    let text =
        "store: {path: data}\ningestion: {reject_file: bad.jsonl, source_url: https://x/y}\n";
    machine.file("etc/config.yml", text);
    let config = machine.load().config;
    let folder = machine.folder.path().join("etc");
    assert_eq!(config.store.path, folder.join("data"));
    assert_eq!(config.ingestion.reject_file, Some(folder.join("bad.jsonl")));
    assert_eq!(config.ingestion.source_url.as_deref(), Some("https://x/y"));
}

#[test]
fn two_instances_of_one_plugin_stand_side_by_side() {
    let machine = Machine::new();
    let text =
        "search_modules:\n  semantic_titles: {enabled: true, plugin: semantic, model: other}\n";
    machine.file("work/config.yml", text);
    let config = machine.load().config;
    assert_eq!(
        config.enabled_search_modules().collect::<Vec<_>>(),
        ["keyword", "semantic", "semantic_titles"]
    );
    assert_eq!(
        config.search_modules["semantic_titles"].plugin.as_deref(),
        Some("semantic")
    );
}

#[test]
fn the_shown_configuration_loads_as_the_same() {
    let machine = Machine::new();
    machine.file(
        "work/config.yml",
        "search_modules: {keyword: {settings: {a: [1, {b: 'x: #y'}]}}}\n",
    );
    let loaded = machine.load();
    let shown = Machine::new();
    shown.file("work/config.yml", &loaded.show(true));
    let mut again = shown.load().config;
    again.store.path = loaded.config.store.path.clone();
    assert_eq!(again, loaded.config);
}

#[test]
fn the_shown_configuration_names_the_layer_of_each_value() {
    let mut machine = Machine::new();
    machine.flag("store.path", "/srv/log book");
    let shown = machine.load().show(true);
    assert!(
        shown.contains("  path: \"/srv/log book\"  # command line, `store.path`\n"),
        "{shown}"
    );
    assert!(
        shown.contains("    retrieval_modules: [keyword, semantic]  # built-in config.yml:"),
        "{shown}"
    );
    assert!(!machine.load().show(false).contains('#'));
}

#[test]
fn whole_numbers_may_be_written_with_a_fraction_of_nothing() {
    let machine = Machine::new();
    machine.file("work/config.yml", "default_max_results: 12.0\n");
    assert_eq!(machine.load().config.default_max_results, 12);
}

#[test]
fn every_path_is_absolute_once_it_is_loaded() {
    let mut machine = Machine::new();
    machine.options.working_dir = PathBuf::new();
    machine.flag("store.path", "data");
    machine.flag("prompts.dir", "prompts");
    machine.flag("question_log.path", "log.jsonl");
    machine.flag("ingestion.reject_file", "bad.jsonl");
    machine.flag("ingestion.source_url", "log.jsonl");
    machine.flag("plugins.dynamic.dirs", "[plugins]");
    let config = machine.load().config;
    let here = std::env::current_dir().unwrap();
    assert_eq!(config.store.path, here.join("data"));
    assert_eq!(config.prompts.dir, Some(here.join("prompts")));
    assert_eq!(config.question_log.path, Some(here.join("log.jsonl")));
    assert_eq!(config.ingestion.reject_file, Some(here.join("bad.jsonl")));
    let source = here.join("log.jsonl").display().to_string();
    assert_eq!(config.ingestion.source_url, Some(source));
    assert_eq!(config.plugins.dynamic.dirs, [here.join("plugins")]);
}

#[test]
fn the_default_mode_is_named_without_regard_to_case_and_blanks() {
    let mut machine = Machine::new();
    machine.flag("default_search_mode", " Keyword ");
    assert_eq!(machine.load().config.default_search_mode, "keyword");
}

#[test]
fn a_key_that_has_no_effect_as_things_are_is_told() {
    let mut machine = Machine::new();
    machine.variable("SYNTHESIS_MODEL", "m");
    let [notice] = &machine.load().notices[..] else {
        panic!("one notice");
    };
    assert_eq!(
        notice,
        "environment variable SYNTHESIS_MODEL: `reasoning.model_id` has no effect while \
         `reasoning.provider` is not set"
    );
}

#[test]
fn a_file_that_is_named_and_would_be_read_anyway_is_read_once() {
    let mut machine = Machine::new();
    let system = machine.file("etc/config.yml", "timezon: UTC\n");
    machine.options.config_file = Some(system);
    let errors = load(machine.options.clone()).unwrap_err();
    assert_eq!(errors.0.len(), 1, "{errors}");

    machine.file("etc/config.yml", "default_max_results: 7\n");
    machine.file("home/gannet/config.yml", "default_max_results: 8\n");
    assert_eq!(machine.results().0, 7, "the named one counts more");
}
