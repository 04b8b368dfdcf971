//! The command line: exit codes, data on stdout, hints on stderr.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

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

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder whose store holds three entries, without vectors.
fn with_entries() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        (
            "A-1",
            "RF trip",
            "CAV1 tripped on reflected power; the arc detector fired.",
        ),
        (
            "A-2",
            "RF trip again",
            "CAV1 tripped. The circulator flow switch was replaced.",
        ),
        ("A-3", "Vacuum", "Leak found at SR07 flange, tightened."),
    ]
    .map(|(id, title, text)| {
        let record = json!({
            "id": id, "title": title, "text": text,
            "author": "M. Okafor", "timestamp": "2025-03-14T09:30:00Z",
        });
        record.to_string()
    });
    std::fs::write(folder.path().join("log.jsonl"), lines.join("\n")).unwrap();
    let ingested = gannet(folder.path(), &["ingest", "log.jsonl"]);
    assert_eq!(code(&ingested), 0, "{}", stderr(&ingested));
    folder
}

#[test]
fn a_source_of_which_every_record_is_rejected_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.jsonl"), "id,text\nA-1,Pump\n").unwrap();

    let output = gannet(folder.path(), &["ingest", "log.jsonl"]);

    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    assert!(said.contains("all 2 records were rejected"), "{said}");
    assert!(stdout(&output).contains("rejected.jsonl"));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_configuration_is_refused() {
    for name in ["config.yml", ".env"] {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join(name);
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());

        let output = gannet(folder.path(), &["config", "show"]);

        assert_eq!(code(&output), 3, "{name}");
        let said = stderr(&output);
        assert!(said.contains("it is a pipe or a device"), "{name}: {said}");
    }
}

#[test]
fn search_as_json_has_every_part_of_a_result() {
    let folder = with_entries();
    let output = gannet(
        folder.path(),
        &["--format", "json", "search", "--mode", "rag", "RF trip"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys: Vec<&String> = result.as_object().unwrap().keys().collect();
    for key in [
        "query",
        "mode",
        "entries",
        "answer",
        "answer_status",
        "citations",
        "sources",
        "search_modes_used",
        "reasoning",
        "diagnostics",
        "degraded",
        "pipeline_details",
        "extensions",
        "took_ms",
        "stability_hash",
    ] {
        assert!(
            keys.iter().any(|present| *present == key),
            "{key} is missing in {keys:?}"
        );
    }
    let hit = &result["entries"][0];
    for key in [
        "entry",
        "score",
        "score_kind",
        "rank",
        "highlights",
        "matched",
        "provenance",
    ] {
        assert!(!hit[key].is_null(), "{key} is missing in {hit}");
    }
    assert_eq!(hit["score_kind"], "convex");
}

#[test]
fn every_citation_of_an_answer_is_an_entry_that_exists() {
    let folder = with_entries();
    let question = "what fixed the RF trips?";
    let output = gannet(folder.path(), &["--format", "json", "ask", question]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["answer_status"], "partial", "{result:#}");
    let citations = result["citations"].as_array().unwrap();
    assert!(citations.contains(&json!("A-2")), "{citations:?}");
    for id in citations.iter().map(|id| id.as_str().unwrap()) {
        assert_eq!(code(&gannet(folder.path(), &["entry", "show", id])), 0);
        let mark = format!("[#{id}]");
        assert!(result["answer"].as_str().unwrap().contains(&mark));
    }
}

#[test]
fn nothing_found_is_no_error() {
    let folder = with_entries();
    let output = gannet(folder.path(), &["search", "--mode", "keyword", "xyzzyqwv"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("nothing found"));
}

#[test]
fn filters_are_hard() {
    let folder = with_entries();
    let by = |author: &str| {
        let search = [
            "--format", "json", "search", "--mode", "keyword", "trip", "--author", author,
        ];
        let output = gannet(folder.path(), &search);
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        result["entries"].as_array().unwrap().len()
    };
    assert_eq!((by("okafor"), by("nobody")), (2, 0));
}

#[test]
fn a_folder_without_a_store_is_an_error_and_stays_empty() {
    let folder = tempfile::tempdir().unwrap();
    for command in [&["status"][..], &["search", "x"], &["entry", "show", "x"]] {
        let output = gannet(folder.path(), command);
        assert_eq!(code(&output), 4);
        assert!(
            stderr(&output).contains("there is no store"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_an_entry_holds_cannot_command_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let record = json!({
        "id": "A-1", "title": "t\u{1b}]0;x\u{7}", "text": "pump \u{1b}[2J tripped",
        "author": "x\u{1b}[2J", "timestamp": "2025-03-14T09:30:00Z",
    });
    std::fs::write(folder.path().join("log.jsonl"), record.to_string()).unwrap();
    gannet(folder.path(), &["ingest", "log.jsonl"]);
    for command in [
        &["search", "pump"][..],
        &["ask", "pump"],
        &["entry", "show", "A-1"],
    ] {
        let output = gannet(folder.path(), command);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            !stdout(&output).contains('\u{1b}'),
            "{command:?}: {}",
            stdout(&output)
        );
    }
}

#[test]
fn an_unknown_mode_is_a_usage_error_that_names_the_nearest() {
    let folder = with_entries();
    let output = gannet(folder.path(), &["search", "--mode", "keywrd", "x"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("did you mean `keyword`?"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_broken_configuration_is_shown_with_its_line_and_the_nearest_key() {
    let folder = tempfile::tempdir().unwrap();
    let text = "store:\n  path: here\nserach_modules:\n  keyword: { enabled: true }\n";
    std::fs::write(folder.path().join("config.yml"), text).unwrap();
    let output = gannet(folder.path(), &["config", "validate"]);
    assert_eq!(code(&output), 3);
    let shown = stderr(&output);
    assert!(shown.contains("config.yml:3:1"), "{shown}");
    assert!(shown.contains("did you mean `search_modules`?"), "{shown}");
}

#[test]
fn an_unknown_setting_of_a_plugin_is_shown_with_its_line_and_the_nearest_one() {
    let folder = tempfile::tempdir().unwrap();
    let semantic = "search_modules:\n  semantic:\n    settings: { similarity_treshold: 0.4 }\n";
    let nested = "pipelines:\n  rag:\n    settings: { fusion: { metod: rrf } }\n";
    for (text, near) in [(semantic, "similarity_threshold"), (nested, "method")] {
        std::fs::write(folder.path().join("config.yml"), text).unwrap();
        let output = gannet(folder.path(), &["config", "validate"]);
        assert_eq!(code(&output), 3);
        let (shown, near) = (stderr(&output), format!("did you mean `{near}`?"));
        assert!(shown.contains("config.yml:3:"), "{shown}");
        assert!(shown.contains(&near), "{shown}");
    }
}

#[test]
fn a_store_that_cannot_be_opened_is_a_store_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("taken"), "a file").unwrap();
    let output = gannet(folder.path(), &["--data", "taken", "status"]);
    assert_eq!(code(&output), 4);
    assert!(stderr(&output).contains("taken"), "{}", stderr(&output));
}

#[test]
fn the_question_can_come_from_the_standard_input() {
    let folder = with_entries();
    let command = format!(
        "echo 'flow switch' | {} search --mode keyword -",
        env!("CARGO_BIN_EXE_gannet")
    );
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(stdout(&output).contains("A-2"), "{}", stdout(&output));
}

#[test]
fn two_instances_of_one_plugin_are_listed_with_their_own_descriptions() {
    let folder = tempfile::tempdir().unwrap();
    let config = "search_modules:\n  night:\n    plugin: keyword\n    enabled: true\n    \
                  label: Night\n    description: Words of the night shift.\n";
    std::fs::write(folder.path().join("config.yml"), config).unwrap();
    let output = gannet(folder.path(), &["--format", "json", "plugins", "list"]);
    let listing: Value = serde_json::from_slice(&output.stdout).unwrap();
    let described = |name: &str| {
        let mut plugins = listing["plugins"].as_array().unwrap().iter();
        let plugin = plugins.find(|plugin| plugin["name"] == name).unwrap();
        (plugin["label"].clone(), plugin["description"].clone())
    };
    let own = ("Night".into(), "Words of the night shift.".into());
    assert_eq!(described("night"), own);
    assert_eq!(described("keyword").0, "Keyword");
    assert_ne!(described("keyword").1, own.1);
}

#[test]
fn the_plugins_that_are_built_in_are_listed_by_kind_and_name() {
    let folder = tempfile::tempdir().unwrap();
    let output = gannet(folder.path(), &["--format", "json", "plugins", "list"]);
    let listing: Value = serde_json::from_slice(&output.stdout).unwrap();
    let plugins = listing["plugins"].as_array().unwrap().iter();
    let names = plugins.map(|plugin| {
        let text = |key: &str| plugin[key].as_str().unwrap();
        format!("{} {} {}", text("kind"), text("name"), text("state"))
    });
    let names: Vec<String> = names.collect();
    insta::assert_snapshot!(names.join("\n"), @r"
    search_module gannet_remote off
    search_module keyword on
    search_module opensearch off
    search_module qdrant off
    search_module semantic on
    pipeline agent on
    pipeline digest on
    pipeline rag on
    pipeline recurrence on
    pipeline thread on
    pipeline trend on
    pipeline unified on
    adapter als_logbook on
    adapter csv on
    adapter elog on
    adapter files on
    adapter generic_json on
    adapter git on
    adapter jlab_logbook on
    adapter jsonl on
    adapter olog on
    adapter ornl_logbook on
    enhancer attachment_text off
    enhancer entities off
    enhancer semantic_processor off
    enhancer text_embedding on
    embedder builtin on
    embedder ollama off
    embedder openai off
    reranker cross_encoder off
    reranker rerank_server off
    reader builtin on
    reader hf_qa off
    chat_model command off
    chat_model ollama off
    chat_model openai off
    ");
}

#[test]
fn a_completion_script_is_printed_for_every_shell() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = gannet(folder.path(), &["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("gannet"), "{shell}");
    }
}

#[test]
fn data_goes_to_stdout_and_hints_to_stderr() {
    let folder = with_entries();
    let output = gannet(
        folder.path(),
        &[
            "--format",
            "jsonl",
            "search",
            "--mode",
            "keyword",
            "cavty trip",
        ],
    );
    for line in stdout(&output).lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[test]
fn the_configuration_is_shown_as_json_on_one_line_or_several() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), "default_max_results: 7\n").unwrap();
    let shown = |arguments: &[&str]| {
        let output = gannet(folder.path(), arguments);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let json: Value =
        serde_json::from_str(&shown(&["config", "show", "--format", "json"])).unwrap();
    assert_eq!(json["default_max_results"], 7);
    let line = shown(&["config", "show", "--format", "jsonl"]);
    assert_eq!(line.lines().count(), 1);
    let again: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(again, json);
    let text = shown(&["config", "show", "--origin", "--format", "json"]);
    let with_origins: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(with_origins["config"], json);
    let origin = &with_origins["origins"]["default_max_results"];
    let origin = origin.as_str().unwrap();
    assert!(origin.ends_with("config.yml:1:22"), "{origin}");
}
