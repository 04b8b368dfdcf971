//! Every command that the docs show is run, in the order of its page.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_command_of_the_docs_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    collect_pages(&root.join("docs"), &mut pages);
    pages.sort();
    let mut run = 0;
    for page in &pages {
        let commands = commands(&std::fs::read_to_string(page).unwrap());
        let folder = tempfile::tempdir().unwrap();
        for command in &commands {
            execute(page, command, folder.path());
        }
        run += commands.len();
    }
    assert!(run > 10, "only {run} commands were found in the docs");
}

#[test]
fn the_demo_as_a_logbook_and_as_a_corpus_are_the_same_entries() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo");
    let text = std::fs::read_to_string(demo.join("logbook.json")).unwrap();
    let logbook: serde_json::Value = serde_json::from_str(&text).unwrap();
    let corpus: Vec<serde_json::Value> = std::fs::read_to_string(demo.join("corpus.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let entries = logbook["entries"].as_array().unwrap();
    assert!(entries.len() >= 300);
    assert_eq!(entries.len(), corpus.len());
    for (entry, document) in entries.iter().zip(&corpus) {
        for key in ["id", "title", "text", "author", "timestamp", "metadata"] {
            assert_eq!(entry[key], document[key], "{} of {}", key, entry["id"]);
        }
    }
}

fn collect_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_pages(&path, pages);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
}

/// The lines of ```console blocks that start with `$ `, joined over trailing
/// backslashes.
fn commands(page: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut inside = false;
    let mut continues = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            inside = line.trim() == "```console";
            continue;
        }
        if !inside {
            continue;
        }
        if continues {
            let command = commands.last_mut().unwrap();
            command.push('\n');
            command.push_str(line);
        } else if let Some(command) = line.strip_prefix("$ ") {
            commands.push(command.to_owned());
        } else {
            continue;
        }
        continues = line.ends_with('\\');
    }
    commands
}

fn execute(page: &Path, command: &str, folder: &Path) {
    let binary = Path::new(env!("CARGO_BIN_EXE_gannet"));
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: `{command}` ended with {}\n{}{}",
        page.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}
