//! Commands of cargo that the documentation shows without running them: their
//! packages and targets exist. What is fenced as `console` is run, by
//! `core/cli/tests/cli/docs.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use gannet_tests::root;
use serde_json::Value;

/// A package: its folder, and its targets by kind and name.
struct Package {
    folder: PathBuf,
    targets: Vec<(String, String)>,
}

fn packages() -> BTreeMap<String, Package> {
    let output = Command::new(env!("CARGO"))
        .args("metadata --no-deps --offline --locked --format-version 1".split(' '))
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    packages
        .map(|package| {
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            let targets = package["targets"].as_array().unwrap().iter();
            let targets = targets.map(|target| (text(&target["kind"][0]), text(&target["name"])));
            let package_of = Package {
                folder: manifest.parent().unwrap().to_owned(),
                targets: targets.collect(),
            };
            (text(&package["name"]), package_of)
        })
        .collect()
}

/// The pages, and the words of each line with a command of cargo in it.
fn commands() -> Vec<(PathBuf, Vec<String>)> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "examples", "demo"] {
        collect_pages(&root().join(folder), &mut pages);
    }
    let mut commands = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for line in text.replace("\\\n", " ").lines() {
            for command in of_line(line) {
                commands.push((page.clone(), command));
            }
        }
    }
    commands
}

fn collect_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// From `cargo` to what ends the command: a code mark, a comment, another
/// command.
fn of_line(line: &str) -> Vec<Vec<String>> {
    let commands = line.split(['`', '#', '(', ')', ';', '&', '|']);
    let commands = commands.filter_map(|part| {
        let words: Vec<String> = part.split_whitespace().map(str::to_owned).collect();
        let cargo = words.iter().position(|word| word == "cargo")?;
        let rest = words[cargo + 1..].iter();
        Some(
            rest.filter(|word| !word.starts_with('+'))
                .cloned()
                .collect(),
        )
    });
    commands
        .filter(|words: &Vec<String>| {
            let verbs = ["bench", "test", "nextest", "miri", "run", "build", "tree"];
            words
                .first()
                .is_some_and(|verb| verbs.contains(&verb.as_str()))
        })
        .collect()
}

/// What is wrong with a command, if anything is.
fn fault(words: &[String], packages: &BTreeMap<String, Package>) -> Option<String> {
    let after = |option: &str| {
        let mut pairs = words.windows(2).take_while(|pair| pair[0] != "--");
        pairs
            .find(|pair| pair[0] == option)
            .map(|pair| pair[1].as_str())
    };
    let name = after("-p").or_else(|| after("--package"))?;
    let Some(package) = packages.get(name) else {
        return Some(format!("there is no package `{name}`"));
    };
    for kind in ["bench", "test", "bin", "example"] {
        let Some(target) = after(&format!("--{kind}")) else {
            continue;
        };
        let found = (kind.to_owned(), target.to_owned());
        if !package.targets.contains(&found) {
            return Some(format!("`{name}` has no {kind} `{target}`"));
        }
    }
    let name_of_tests = filter_of(words)?;
    let is_there = sources(&package.folder).any(|(path, text)| {
        path.contains(&name_of_tests.replace("::", "/"))
            || text.contains(&format!("fn {name_of_tests}"))
    });
    (!is_there).then(|| format!("`{name}` has no test with `{name_of_tests}` in its name"))
}

/// The word that tests are chosen by: the one that is no option and no value
/// of one, also behind `--`.
fn filter_of(words: &[String]) -> Option<&str> {
    let verbs = ["test", "nextest", "run", "miri"];
    if !verbs.contains(&words[0].as_str()) || words[0] == "run" {
        return None;
    }
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        match word {
            "-p" | "--package" | "--test" | "--bin" | "--bench" | "--example" | "-E" => {
                words.next();
            }
            word if word.starts_with('-') || verbs.contains(&word) => {}
            word => return Some(word),
        }
    }
    None
}

fn sources(folder: &Path) -> impl Iterator<Item = (String, String)> {
    let mut files = Vec::new();
    collect_sources(folder, &mut files);
    files.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.display().to_string(), text)
    })
}

fn collect_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            collect_sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_package_and_target_of_a_shown_command_is_there() {
    let packages = packages();
    let commands = commands();
    let faults: Vec<String> = commands
        .iter()
        .filter_map(|(page, words)| {
            let fault = fault(words, &packages)?;
            Some(format!(
                "{}: cargo {}: {fault}",
                page.display(),
                words.join(" ")
            ))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        commands.len() > 20,
        "only {} commands were found",
        commands.len()
    );
}

#[test]
fn a_command_with_a_wrong_name_is_found() {
    let packages = packages();
    let told = |command: &str| fault(&of_line(command)[0], &packages);
    assert_eq!(told("`cargo bench -p gannet-store --bench ingest`"), None);
    for wrong in [
        "cargo bench -p gannet-stores",
        "cargo bench -p gannet-store --bench injest",
        "cargo test -p gannet-tests --test mode",
        "cargo test -p gannet-store -- no_test_has_this_name_of_all",
    ] {
        assert!(told(wrong).is_some(), "{wrong}");
    }
}

#[test]
fn every_script_that_testing_shows_is_there() {
    let page = std::fs::read_to_string(root().join("docs/testing.md")).unwrap();
    let scripts = page.split(['\n', '`', '(']).filter_map(|part| {
        let word = part.split_whitespace().next()?;
        (word.starts_with("tests/") || word == "./check").then_some(word)
    });
    let names = scripts.map(|word| word.split("::").next().unwrap());
    let missing: Vec<&str> = names.filter(|name| !root().join(name).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
