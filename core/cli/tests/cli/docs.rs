//! Every command that the docs show is run, in the order of its page, and
//! prints what the docs show below it.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_command_of_the_docs_runs_and_prints_what_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    collect_pages(&root.join("docs"), &mut pages);
    pages.sort();
    let demo = Demo::make();
    let (mut run, mut shown) = (0, 0);
    let mut faults = Vec::new();
    for page in &pages {
        let commands = commands(&std::fs::read_to_string(page).unwrap());
        let folder = tempfile::tempdir().unwrap();
        for command in &commands {
            let line = demo.in_place_of_quickstart(&command.line);
            let printed = execute(page, &line, folder.path());
            if let Some(missing) = command.missing_in(&printed) {
                faults.push(format!(
                    "{}: `{}` does not print `{missing}`, but\n{printed}",
                    page.display(),
                    command.line
                ));
            }
            shown += usize::from(!command.shown.is_empty());
        }
        run += commands.len();
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(run > 10, "only {run} commands were found in the docs");
    assert!(shown > 10, "only {shown} outputs were found in the docs");
}

#[test]
fn the_configurations_for_several_sources_are_valid_in_this_program() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = page.join("../../docs/how-to/search-several-sources.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let blocks = text.split("```yaml\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    // The file of a plugin that the reader writes is not there.
    let (own, blocks): (Vec<&str>, Vec<&str>) =
        blocks.partition(|block| block.starts_with("plugins:"));
    assert_eq!((own.len(), blocks.len()), (1, 2));
    for block in blocks {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yml"), block).unwrap();
        let printed = execute(&page, "gannet config validate", folder.path());
        assert!(printed.contains("valid"), "{block}\n{printed}");
    }
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

/// What `gannet quickstart` makes and prints, for every page that begins with it:
/// embedding the demo takes most of the time.
struct Demo(tempfile::TempDir);

impl Demo {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let make = "gannet quickstart > printed 2>&1";
        execute(Path::new("README.md"), make, folder.path());
        Self(folder)
    }

    /// A command with the result of `gannet quickstart` instead.
    fn in_place_of_quickstart(&self, command: &str) -> String {
        let Some(rest) = command.strip_prefix("gannet quickstart") else {
            return command.to_owned();
        };
        let named = rest.strip_prefix(" --data ");
        let (store, rest) = match named {
            Some(named) => named.split_once(' ').unwrap_or((named, "")),
            None => ("gannet-data", rest),
        };
        let demo = self.0.path().display();
        format!("cp -r {demo}/gannet-data {store} && cat {demo}/printed {rest}")
    }
}

/// A command of the docs.
#[derive(Debug, Default)]
struct Shown {
    /// As it is typed, with its continuations.
    line: String,
    /// What the docs show of its output; `…` stands for anything.
    shown: String,
}

impl Shown {
    /// The first part of the shown output that is not in the printed one, with
    /// blanks and line breaks taken as the same.
    fn missing_in(&self, printed: &str) -> Option<String> {
        let printed = with_single_blanks(printed);
        let mut rest = printed.as_str();
        for part in with_single_blanks(&self.shown).split('…') {
            let part = part.trim();
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return Some(part.to_owned()),
            }
        }
        None
    }
}

fn with_single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn output_that_differs_from_the_shown_one_is_found() {
    let page = "```console\n$ one \\\n  two\nfirst … last\n$ three\n```\n";
    let commands = commands(page);
    assert_eq!(commands[0].line, "one \\\n  two");
    assert_eq!(commands[0].missing_in("first, the\n  last line"), None);
    let missing = commands[0].missing_in("last, then first");
    assert_eq!(missing.as_deref(), Some("last"));
    assert_eq!(commands[1].missing_in(""), None);
}

/// The commands of ```console blocks, which start with `$ ` and go on over
/// trailing backslashes, with the lines below them.
fn commands(page: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
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
        match (commands.last_mut(), line.strip_prefix("$ ")) {
            (Some(command), _) if continues => {
                command.line.push('\n');
                command.line.push_str(line);
            }
            (_, Some(line)) => commands.push(Shown {
                line: line.to_owned(),
                shown: String::new(),
            }),
            (Some(command), None) => {
                command.shown.push_str(line);
                command.shown.push('\n');
                continue;
            }
            (None, None) => continue,
        }
        continues = line.ends_with('\\');
    }
    commands
}

/// Runs a command; gives what it printed.
fn execute(page: &Path, command: &str, folder: &Path) -> String {
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
    let printed = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success(),
        "{}: `{command}` ended with {}\n{printed}",
        page.display(),
        output.status,
    );
    printed
}
