//! Plain words: phrases that readers had to guess at do not come back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

/// Phrases that no text for users holds, in lower case. Each has a common
/// expression in its place: rejected, unchanged, rebuilt, is not a valid …,
/// unknown command, must be a string, fell back to quoted sentences, the
/// result is partial, OpenAI-compatible, and so on.
const PHRASES: [&str; 34] = [
    "kept aside",
    "keeps aside",
    " the same {dim}in",
    "made anew",
    "copy it anew",
    "is no date",
    "is no time",
    "is no dynamic library",
    "is no number",
    "is no json",
    "is no utf-8",
    "no order `",
    "must be a text",
    "must be text",
    "what is there and how it is",
    "entries' own sentences",
    "rest stands for the whole",
    "others' results stand",
    "speaks openai's form",
    "let a model word it",
    "who words the answer",
    "do again what was done",
    "tell little",
    "a link that leads out",
    "does not do |",
    "counts at once",
    "some hundred times",
    "how far the enhancement",
    "a date that is none",
    "leans on an earlier",
    "filters are hard",
    "take that from them",
    "numbers a vector",
    "can be loaded, and its plugins conform{good",
];

/// Names of types that were replaced, by the folder of their crate.
const NAMES: [(&str, &[&str]); 2] = [
    ("core/cli/src", &["Told", "Sort", "Order", "ORDERS"]),
    ("plugins/providers/model_servers/src", &["Calls", "Answer"]),
];

#[test]
fn the_docs_and_the_reference_configuration_use_plain_words() {
    let mut files = vec!["README.md", "CHANGELOG.md", "config.yml", "demo/README.md"]
        .into_iter()
        .map(|name| root().join(name))
        .collect();
    collect(&root().join("docs"), "md", &mut files);
    let found: Vec<String> = files
        .iter()
        .flat_map(|file| phrases_in(file, &read(file)))
        .collect();
    assert!(files.len() > 30, "only {} files were read", files.len());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_messages_use_plain_words() {
    let files = sources(&["core", "plugins", "registry", "examples"]);
    let mut literals = 0;
    let mut found = Vec::new();
    for file in &files {
        let text = literals_of(&read(file));
        literals += text.lines().count();
        found.extend(phrases_in(file, &text));
    }
    assert!(
        literals > 2_000,
        "only {literals} string literals were read"
    );
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_help_of_the_command_line_uses_plain_words() {
    let mut files = vec![root().join("core/cli/src/arguments.rs")];
    collect(&root().join("core/cli/src/arguments"), "rs", &mut files);
    let found: Vec<String> = files
        .iter()
        .flat_map(|file| phrases_in(file, &read(file)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn replaced_names_do_not_come_back() {
    for (folder, names) in NAMES {
        for file in sources(&[folder]) {
            let text = read(&file);
            for name in names {
                let is_there = ["struct", "enum", "const", "type"]
                    .iter()
                    .any(|keyword| defines(&text, keyword, name));
                assert!(!is_there, "{} defines {name}", file.display());
            }
        }
    }
}

#[test]
fn a_phrase_is_found_over_lines_and_only_in_literals() {
    let code = "// made anew\nlet text = \"it is made \\\n    anew\";\nlet other = 'x';";
    let found = phrases_in(Path::new("x.rs"), &literals_of(code));
    assert_eq!(found, ["x.rs: made anew"]);
    assert!(phrases_in(Path::new("x.rs"), &literals_of("// made anew\n")).is_empty());
}

/// The phrases that a text holds, each with the name of its file.
fn phrases_in(file: &Path, text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let flat = words.join(" ").to_lowercase();
    PHRASES
        .iter()
        .filter(|phrase| flat.contains(*phrase))
        .map(|phrase| format!("{}: {phrase}", file.display()))
        .collect()
}

/// The string literals of Rust code, a line each. Comments are left out, and
/// so are unit tests, which stand at the end of a file.
fn literals_of(code: &str) -> String {
    let code = code.split("#[cfg(test)]").next().unwrap();
    let lines: Vec<&str> = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let code = lines.join("\n").replace("\\\"", "'").replace("'\"'", "' '");
    code.split('"')
        .skip(1)
        .step_by(2)
        .map(|literal| literal.replace("\\\n", " ").replace('\n', " ") + "\n")
        .collect()
}

fn defines(text: &str, keyword: &str, name: &str) -> bool {
    text.split(&format!("{keyword} {name}"))
        .skip(1)
        .any(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

/// Rust files of folders, without tests and benches.
fn sources(folders: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in folders {
        collect(&root().join(folder), "rs", &mut files);
    }
    files.retain(|file| {
        let path = file.to_string_lossy();
        !path.contains("/tests") && !path.contains("/benches/")
    });
    files
}

fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, ending, files);
        } else if path.extension().is_some_and(|found| found == ending) {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}
