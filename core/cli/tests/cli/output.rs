//! What people read: help, tables, times, colors and man pages.

use std::process::{Command, Output};

use crate::facility::{Facility, code, stderr, stdout};
use serde_json::json;

/// Runs `gannet` 100 columns wide, with these environment variables.
fn gannet(facility: &Facility, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gannet"))
        .args(arguments)
        .current_dir(facility.folder.path())
        .env_clear()
        .env("HOME", facility.folder.path())
        .env("COLUMNS", "100")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn printed(facility: &Facility, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let output = gannet(facility, variables, arguments);
    assert_eq!(
        code(&output),
        0,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    stdout(&output)
}

/// A facility in Berlin with two entries, without vectors.
fn in_berlin() -> Facility {
    let facility = Facility::new();
    facility.write("config.yml", "timezone: Europe/Berlin\n");
    let record = |id: &str, time: &str, title: &str, text: &str| {
        let record = json!({
            "id": id, "timestamp": time, "title": title, "text": text,
            "author": "M. Okafor", "metadata": { "shift": "Night" },
        });
        record.to_string()
    };
    let lines = [
        record(
            "A-1",
            "2025-07-14T22:30:15Z",
            "Flow switch replaced",
            "The circulator flow switch was worn, so it was replaced.",
        ),
        record(
            "A-2",
            "2025-01-14T08:00:00Z",
            "RF trip",
            "CAV1 tripped because of the circulator flow.",
        ),
    ];
    facility.write("log.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    facility
}

#[test]
fn the_help_fits_a_screen_and_has_examples() {
    let facility = Facility::new();
    let help = printed(&facility, &[], &["--help"]);
    assert!(help.lines().count() <= 60, "{help}");
    assert!(
        help.lines().all(|line| line.chars().count() <= 100),
        "{help}"
    );
    assert!(
        help.contains("\n  gannet search circulator flow\n"),
        "{help}"
    );
}

#[test]
fn global_options_are_in_a_group_of_their_own() {
    let facility = Facility::new();
    let help = printed(&facility, &[], &["search", "--help"]);
    // The modes behind it are those of the configuration.
    let (help, _) = help.split_once("\nModes of this configuration").unwrap();
    insta::assert_snapshot!(help);
    for command in ["ask", "ingest", "enhance", "status", "eval"] {
        let help = printed(&facility, &[], &[command, "--help"]);
        let (own, global) = help.split_once("Global options:").unwrap();
        for flag in ["--config", "--data", "--format", "--color", "--verbose"] {
            assert!(!own.contains(flag), "{help}");
            assert!(global.contains(flag), "{help}");
        }
    }
}

#[test]
fn the_help_of_a_search_has_the_modes_of_the_configuration_with_their_parameters() {
    let facility = Facility::new();
    facility.write(
        "config.yml",
        "search_modules:\n  titles: { enabled: true, plugin: keyword, description: \"Finds titles.\" }\n",
    );
    for command in ["search", "ask", "chat"] {
        let help = printed(&facility, &[], &[command, "--help"]);
        assert!(help.contains("\n  titles: Finds titles.\n"), "{help}");
        assert!(help.contains("\n      include_highlights=true  "), "{help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 100),
            "{help}"
        );
    }
    let other = printed(&facility, &[], &["ingest", "--help"]);
    assert!(!other.contains("titles"), "{other}");
}

#[test]
fn words_need_no_quotes() {
    let facility = in_berlin();
    let unquoted = facility.json(&["search", "circulator", "flow", "--mode", "keyword"]);
    assert_eq!(unquoted["query"], "circulator flow");
    let without = facility.gannet(&["search"]);
    assert_eq!(code(&without), 2);
}

#[test]
fn search_prints_the_entries_first_and_ask_the_answer() {
    let facility = in_berlin();
    let question = "why was the flow switch replaced?";
    let searched = printed(&facility, &[], &["search", "--mode", "rag", question]);
    let asked = printed(&facility, &[], &["ask", question]);
    let places = |text: &str| (text.find("A-1  ").unwrap(), text.find("Answer").unwrap());
    let (entry, answer) = places(&searched);
    assert!(entry < answer, "{searched}");
    let (entry, answer) = places(&asked);
    assert!(answer < entry, "{asked}");
    assert!(asked.lines().count() < searched.lines().count());
}

#[test]
fn an_answer_stays_on_the_screen_with_its_sources_in_one_line_each() {
    let facility = in_berlin();
    let asked = printed(
        &facility,
        &[],
        &["ask", "why was the flow switch replaced?"],
    );
    let source = asked.lines().find(|line| line.contains("A-1  ")).unwrap();
    assert!(source.contains("2025-07-15 00:30 CEST"), "{asked}");
    assert!(source.ends_with("Flow switch replaced"), "{asked}");
    assert!(!asked.contains("bm25"), "{asked}");

    let record = |number: usize| {
        let record = json!({
            "id": format!("B-{number}"), "timestamp": "2025-07-14T22:30:15Z",
            "title": format!("Flow switch {number} {}", "and what else there was ".repeat(9)),
            "text": "The circulator flow switch was replaced.",
        });
        record.to_string()
    };
    let lines: Vec<String> = (0..14).map(record).collect();
    facility.write("more.jsonl", &lines.join("\n"));
    facility.done(&["ingest", "more.jsonl", "--no-enhance"]);
    let question = [
        "ask",
        "why was the flow switch replaced?",
        "--max-results",
        "14",
    ];
    let asked = printed(&facility, &[], &question);
    assert!(asked.contains("and 4 more"), "{asked}");
    let sources = asked.lines().filter(|line| line.contains(" CEST"));
    let sources: Vec<&str> = sources.filter(|line| line.contains("  B-")).collect();
    assert!((8..=10).contains(&sources.len()), "{asked}");
    assert!(
        sources.iter().all(|line| line.chars().count() <= 100),
        "{asked}"
    );
}

#[test]
fn search_sorts_by_time_and_counts_matches_and_values() {
    let facility = in_berlin();
    let search = ["search", "circulator flow", "--mode", "keyword"];
    let found = printed(&facility, &[], &search);
    let places = |text: &str| (text.find("A-1  ").unwrap(), text.find("A-2  ").unwrap());
    assert!(found.contains("2 entries · 2 matches · keyword"), "{found}");
    let by_time = [&search[..], &["--sort", "time", "--facet", "shift"]].concat();
    let found = printed(&facility, &[], &by_time);
    let (newer, older) = places(&found);
    assert!(newer < older, "{found}");
    assert!(found.contains("shift: Night 2\n"), "{found}");
    let json = facility.json(&by_time);
    assert_eq!(json["matches"]["count"], 2);
    assert_eq!(json["facets"][0]["values"][0]["value"], "Night");
    let refused = facility.gannet(&["search", "flow", "--facet", "date"]);
    assert_eq!(code(&refused), 2);
}

#[test]
fn a_hit_shows_its_title_once_and_its_time_in_the_configured_zone() {
    let facility = in_berlin();
    let search = ["search", "flow", "switch", "--mode", "keyword"];
    let shown = printed(&facility, &[], &search);
    // The last line has the time that the search took.
    let (hits, _) = shown.trim_end().rsplit_once('\n').unwrap();
    insta::assert_snapshot!(hits, @r"
    1  A-1  Flow switch replaced
        2025-07-15 00:30 CEST · M. Okafor
        The circulator flow switch was worn, so it was replaced.

    2  A-2  RF trip
        2025-01-14 09:00 CET · M. Okafor · partial match
        CAV1 tripped because of the circulator flow.
    ");
    let entry = printed(&facility, &[], &["entry", "show", "A-1"]);
    insta::assert_snapshot!(entry, @r#"
    A-1  Flow switch replaced
    2025-07-15 00:30:15 CEST · M. Okafor · jsonl

    The circulator flow switch was worn, so it was replaced.

    shift: Night
    "#);
}

#[test]
fn line_ends_of_windows_are_line_ends_and_stay_in_the_store() {
    let facility = Facility::new();
    let record =
        r#"{"id": "W-1", "text": "Pump\r\nstopped.\r\n", "timestamp": "2024-03-01T10:00:00Z"}"#;
    facility.write("log.jsonl", record);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let shown = printed(&facility, &[], &["entry", "show", "W-1"]);
    assert!(shown.contains("\nPump\nstopped.\n"), "{shown}");
    let stored = facility.json(&["entry", "show", "W-1"]);
    let text = stored["raw_text"].as_str().unwrap();
    assert!(text.starts_with("Pump\r\nstopped."), "{text:?}");
    for command in ["search", "ask"] {
        let shown = printed(&facility, &[], &[command, "why did the pump stop?"]);
        assert!(shown.contains("W-1"), "{shown}");
        assert!(!shown.contains(['\r', '\u{fffd}']), "{shown:?}");
    }
}

#[test]
fn scores_and_ranks_are_shown_to_who_asks_for_an_explanation() {
    let facility = in_berlin();
    let question = "why was the flow switch replaced?";
    for command in ["search", "ask"] {
        let plain = printed(&facility, &[], &[command, question, "--mode", "rag"]);
        assert!(
            plain.contains("A-1") && !plain.contains("#1 bm25"),
            "{plain}"
        );
        let arguments = [command, question, "--mode", "rag", "--explain"];
        let explained = printed(&facility, &[], &arguments);
        assert!(explained.contains("keyword #1 bm25"), "{explained}");
    }
}

#[test]
fn a_list_by_time_has_no_score() {
    let facility = in_berlin();
    let shown = printed(
        &facility,
        &[],
        &["search", "shift:Night", "--mode", "keyword", "--explain"],
    );
    assert!(
        shown.contains("2025-07-15 00:30 CEST · M. Okafor\n"),
        "{shown}"
    );
    assert!(!shown.contains("none"), "{shown}");
}

#[test]
fn color_is_as_asked_for_and_off_in_a_pipe() {
    let facility = in_berlin();
    let is_colored = |variables: &[(&str, &str)], color: &[&str]| {
        let search = ["search", "flow", "--mode", "keyword"];
        let arguments = [&search[..], color].concat();
        printed(&facility, variables, &arguments).contains('\u{1b}')
    };
    assert!(!is_colored(&[], &[]));
    assert!(is_colored(&[], &["--color", "always"]));
    assert!(is_colored(&[("NO_COLOR", "1")], &["--color", "always"]));
    assert!(!is_colored(
        &[("CLICOLOR_FORCE", "1")],
        &["--color", "never"]
    ));
}

#[test]
fn text_is_wrapped_at_the_width_of_the_terminal() {
    let facility = in_berlin();
    let ask = ["ask", "why was the flow switch replaced?"];
    let widest = |columns: &str| {
        let shown = printed(&facility, &[("COLUMNS", columns)], &ask);
        let answer = shown.split("\n\n").nth(1).unwrap().to_owned();
        answer
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap()
    };
    assert!(widest("50") <= 50);
    assert!(widest("110") > 50);
}

#[test]
fn what_ingest_did_is_told_in_plain_words() {
    let facility = Facility::new();
    let good = json!({"id": "A-1", "timestamp": "2025-07-14T22:30:15Z", "text": "Quiet."});
    facility.write("log.jsonl", &format!("{good}\n{}\n", json!({"id": "A-2"})));
    let first = facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    assert!(
        first.contains("ingested 1 new, 0 changed, 0 unchanged"),
        "{first}"
    );
    assert!(first.contains("rejected 1 record; see "), "{first}");
    let dry = facility.done(&["ingest", "log.jsonl", "--dry-run"]);
    assert!(
        dry.contains("dry run: 1 of 2 records can be stored; nothing was stored"),
        "{dry}"
    );
}

#[test]
fn every_command_has_a_man_page() {
    let facility = Facility::new();
    let page = printed(&facility, &[], &["man"]);
    assert!(page.contains(".TH gannet 1"), "{page}");
    facility.done(&["man", "pages"]);
    let pages = facility.folder.path().join("pages");
    for page in ["gannet.1", "gannet-search.1", "gannet-entry-show.1"] {
        assert!(pages.join(page).exists(), "{page}");
    }
    let search = std::fs::read_to_string(pages.join("gannet-search.1")).unwrap();
    assert!(search.contains("gannet search circulator flow"), "{search}");
}

#[test]
fn a_secret_that_is_written_in_the_configuration_is_not_repeated() {
    let facility = Facility::new();
    let headers = "server:\n  traces:\n    headers:\n      authorization: hunter2\n";
    facility.write("config.yml", headers);
    let refused = facility.gannet(&["config", "validate"]);
    assert_eq!(code(&refused), 3);
    let said = stderr(&refused);
    assert!(said.contains("authorization"), "{said}");
    assert!(!said.contains("hunter2"), "{said}");

    let uri = "store:\n  kind: postgres\n  uri: \"host=h password='a hunter2' dbname=d\"\n";
    facility.write("config.yml", uri);
    for command in [["config", "validate"], ["search", "pump"]] {
        let refused = facility.gannet(&command);
        assert_eq!(code(&refused), 3);
        let said = stderr(&refused);
        assert!(said.contains("store.uri"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_notice_of_the_configuration_is_printed_once_by_its_check() {
    let facility = Facility::new();
    let notice = "environment variable ENABLE_RERANKING: it sets nothing";
    let variables = [("ENABLE_RERANKING", "true")];
    let checked = gannet(&facility, &variables, &["config", "validate"]);
    assert_eq!(stdout(&checked).matches(notice).count(), 1);
    assert_eq!(stderr(&checked), "");
}
