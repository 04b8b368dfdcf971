//! `ask` and `chat` on the command line, with a scripted model and without
//! one.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::facility::{Facility, code, stderr, stdout};
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::json;

/// A facility with three entries.
fn with_entries() -> Facility {
    let facility = Facility::new();
    let record = |id: &str, system: &str, title: &str, text: &str| {
        let record = json!({
            "id": id, "title": title, "text": text, "metadata": { "system": system },
            "author": "M. Okafor", "timestamp": "2025-03-14T09:30:00Z",
        });
        record.to_string()
    };
    let lines = [
        record("A-1", "RF", "RF trip", "CAV1 tripped on reflected power."),
        record(
            "A-2",
            "RF",
            "RF repair",
            "CAV1 tripped. The circulator was replaced.",
        ),
        record(
            "A-3",
            "VAC",
            "Vacuum",
            "Leak found at the SR07 flange, tightened.",
        ),
    ];
    facility.write("log.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "log.jsonl"]);
    facility
}

fn with_model(replies: impl IntoIterator<Item = Reply>) -> (Facility, ModelServer) {
    let facility = with_entries();
    let server = ModelServer::start(replies);
    let config = format!(
        "providers:\n  scripted:\n    plugin: openai\n    settings: {{ base_url: \"{}/v1\", \
         model: small }}\nreasoning: {{ provider: scripted }}\n",
        server.url()
    );
    facility.write("config.yml", &config);
    (facility, server)
}

/// Runs `gannet` with lines on its standard input.
fn piped(facility: &Facility, arguments: &[&str], lines: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(arguments)
        .current_dir(facility.folder.path())
        .env_clear()
        .env("HOME", facility.folder.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn ask_asks_the_model_and_search_does_not() {
    let (facility, server) = with_model([Reply::text("The circulator was replaced [#A-2].")]);
    facility.done(&["search", "what fixed CAV1?"]);
    facility.done(&["ask", "what fixed CAV1?", "--no-llm"]);
    facility.done(&["ask", "what fixed CAV1?", "--llm-cmd", ""]);
    assert!(server.requests().is_empty());
    let answer = facility.json(&["ask", "what fixed CAV1?"]);
    assert_eq!(answer["answer"], "The circulator was replaced [#A-2].");
    assert_eq!(answer["citations"], json!(["A-2"]));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_program_is_the_model_of_one_question() {
    let facility = with_entries();
    let question = [
        "--format",
        "json",
        "ask",
        "-",
        "--llm-cmd",
        "grep -o 'circulator'",
    ];
    let output = piped(&facility, &question, "what fixed CAV1?\n");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(answer["answer"], "circulator");
    assert_eq!(answer["answer_status"], "uncited");

    for command in ["false", "/nonexistent/llm", "sh -c 'exit 3'", "'open"] {
        let question = ["ask", "what fixed CAV1?", "--llm-cmd", command, "--strict"];
        let output = piped(&facility, &question, "");
        assert_eq!(code(&output), 5, "{command}: {}", stderr(&output));
        assert!(stdout(&output).contains("A-2"), "{command}");
        assert!(stderr(&output).contains("rag.generate"), "{command}");
    }
}

/// The program is in a group of its own, which the terminal's signal does not
/// reach.
#[cfg(target_os = "linux")]
#[test]
fn a_program_ends_with_the_command_that_asked_it() {
    let facility = with_entries();
    let started = facility.folder.path().join("started");
    let made = Command::new("mkfifo").arg(&started).status().unwrap();
    assert!(made.success());
    let program = "sh -c 'echo $$ > started; exec sleep 600'";
    let mut gannet = Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(["ask", "what fixed CAV1?", "--llm-cmd", program])
        .current_dir(facility.folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Waits until the program writes.
    let program = std::fs::read_to_string(&started).unwrap();
    let asked = Command::new("kill")
        .args(["-TERM", &gannet.id().to_string()])
        .status();
    assert!(asked.unwrap().success());
    assert_eq!(gannet.wait().unwrap().code(), Some(143));
    let state = std::fs::read_to_string(format!("/proc/{}/stat", program.trim()));
    // Gone, or dead and not yet buried.
    assert!(state.is_err() || state.is_ok_and(|state| state.contains(") Z ")));
}

#[test]
fn pinned_entries_come_first_and_a_scope_is_kept() {
    let facility = with_entries();
    let arguments = [
        "ask",
        "what was replaced?",
        "--pin",
        "A-3",
        "--scope",
        "system=RF",
    ];
    let answer = facility.json(&arguments);
    let entries = answer["entries"].as_array().unwrap();
    let ids: Vec<&str> = entries
        .iter()
        .map(|entry| entry["entry"]["entry_id"].as_str().unwrap())
        .collect();
    assert!(
        !ids.contains(&"A-3"),
        "a filter holds for what is pinned: {ids:?}"
    );
    let answer = facility.json(&["ask", "what was replaced?", "--pin", "A-3", "--pin", "gone"]);
    assert_eq!(answer["entries"][0]["entry"]["entry_id"], "A-3");
    let told = answer["diagnostics"].to_string();
    assert!(told.contains("gone"), "{told}");

    let output = facility.gannet(&["ask", "x", "--mode", "keyword", "--pin", "A-3"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--pin"), "{}", stderr(&output));
}

#[test]
fn a_blank_question_is_a_usage_error() {
    let output = piped(&with_entries(), &["ask", "-"], "\n");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("empty"), "{}", stderr(&output));
}

#[test]
fn a_conversation_streams_answers_and_keeps_what_was_said() {
    let (facility, server) = with_model([
        Reply::text("CAV1 tripped on reflected power [#A-1]."),
        Reply::text("The circulator was replaced [#A-2]."),
    ]);
    let lines =
        "why did CAV1 trip on reflected power?\nwhat fixed it?\n/open A-3\n/sauces\n/quit\n";
    let output = piped(&facility, &["chat"], lines);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(shown.contains("Answer of the model:"), "{shown}");
    assert!(
        shown.contains("CAV1 tripped on reflected power [#A-1]."),
        "{shown}"
    );
    assert!(shown.contains("Leak found at the SR07 flange"), "{shown}");
    assert!(shown.contains("unknown command `/sauces`"), "{shown}");
    let second = &server.requests()[1].body["messages"];
    let turns: Vec<&str> = second
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| turn["role"].as_str().unwrap())
        .collect();
    assert_eq!(turns, ["system", "user", "assistant", "user"]);
    assert_eq!(
        second[1]["content"],
        "why did CAV1 trip on reflected power?"
    );
    assert!(stderr(&output).contains("treated as a follow-up"));
}

#[test]
fn a_conversation_without_a_model_shows_each_answer_once_with_its_status() {
    let facility = with_entries();
    let output = piped(
        &facility,
        &["chat"],
        "what was replaced after CAV1 tripped?\n",
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = stdout(&output);
    let quote = "The circulator was replaced";
    assert_eq!(shown.matches(quote).count(), 1, "{shown}");
    let status = shown.lines().find(|line| line.starts_with("  partial"));
    assert!(status.is_some(), "{shown}");
}

#[test]
fn a_model_that_is_away_leaves_one_answer_and_a_warning() {
    let facility = with_entries();
    let config = "providers:\n  away:\n    plugin: openai\n    settings: { base_url: \
                  \"http://127.0.0.1:9/v1\", model: m, max_retries: 0 }\n\
                  reasoning: { provider: away }\n";
    facility.write("config.yml", config);
    let output = piped(
        &facility,
        &["chat"],
        "what was replaced after CAV1 tripped?\n",
    );
    assert_eq!(code(&output), 0);
    let shown = stdout(&output);
    assert_eq!(
        shown.matches("The circulator was replaced").count(),
        1,
        "{shown}"
    );
    assert!(
        stderr(&output).contains("rag.generate"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn answers_are_kept_where_it_is_asked_for_and_nowhere_else() {
    let facility = with_entries();
    facility.done(&["ask", "what fixed CAV1?"]);
    facility.write("config.yml", "question_log: { path: answers.jsonl }\n");
    facility.done(&["ask", "what fixed CAV1? my password: hunter2"]);
    facility.done(&["search", "--mode", "keyword", "CAV1"]);
    let kept = std::fs::read_to_string(facility.folder.path().join("answers.jsonl")).unwrap();
    let lines: Vec<&str> = kept.lines().collect();
    assert_eq!(lines.len(), 1, "{kept}");
    let line: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(line["schema_version"], 1);
    assert!(!kept.contains("hunter2"), "{kept}");
    assert!(line["sources"][0].get("raw_text").is_none());
    assert!(line["source_count"].as_u64().unwrap() > 0);

    facility.write("config.yml", "question_log: { path: no/such/folder/log }\n");
    let output = facility.gannet(&["ask", "what fixed CAV1?"]);
    assert_eq!(code(&output), 0);
    assert!(
        stderr(&output).contains("service.question_log"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn providers_and_prompts_that_cannot_be_used_are_told_at_start() {
    let facility = with_entries();
    for (config, told) in [
        (
            "reasoning: { provider: builtin }\n",
            "`builtin` is not a chat model",
        ),
        (
            "reasoning: { provider: nobody }\n",
            "no provider named `nobody`",
        ),
        (
            "providers: { openai: { settings: { api_key: sk-plain } } }\n",
            "a secret must not be written in the configuration",
        ),
        ("prompts: { dir: prompts }\n", "has no prompt `sistem`"),
    ] {
        std::fs::create_dir_all(facility.folder.path().join("prompts")).unwrap();
        facility.write("prompts/rag.sistem.md", "Be kind. {nonce}");
        facility.write("config.yml", config);
        let output = facility.gannet(&["ask", "what fixed CAV1?"]);
        assert_eq!(code(&output), 3, "{config}");
        let said = stderr(&output);
        assert!(said.contains(told), "{config}: {said}");
        assert!(!said.contains("sk-plain"), "{said}");
    }
}
