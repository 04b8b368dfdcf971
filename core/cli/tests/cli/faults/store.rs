//! A store in a folder, what is brought into it, and what it answers.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

/// Entries that are in the store before a fault.
pub const ACKNOWLEDGED: usize = 40;
/// Entries with those that a fault hits.
pub const ALL: usize = 100;

const DEVICES: [&str; 10] = [
    "ion pump",
    "turbo pump",
    "klystron",
    "circulator",
    "wiggler",
    "septum magnet",
    "beam position monitor",
    "cryostat",
    "chiller",
    "interlock",
];
const EVENTS: [&str; 10] = [
    "tripped on overcurrent",
    "lost its cooling water",
    "was exchanged after a leak",
    "shows a drifting offset",
    "was restarted by the night shift",
    "failed its weekly test",
    "was calibrated against the reference",
    "vibrates at forty hertz",
    "was switched off for maintenance",
    "reported a stale reading",
];
const QUESTIONS: [&str; 3] = ["pump leak", "klystron", "cooling water failure"];

/// A folder with sources and a store.
pub struct Scene {
    pub folder: PathBuf,
}

impl Scene {
    /// Writes the sources.
    pub fn new(folder: &Path) -> Self {
        let scene = Self {
            folder: folder.to_owned(),
        };
        scene.write("before.jsonl", ACKNOWLEDGED);
        scene.write("all.jsonl", ALL);
        scene
    }

    fn write(&self, name: &str, entries: usize) {
        let lines: Vec<String> = (0..entries).map(record).collect();
        std::fs::write(self.folder.join(name), lines.join("\n")).unwrap();
    }

    /// `gannet` over the store in this folder, in small batches.
    pub fn command(&self, store: &Path, arguments: &[&str]) -> Command {
        let program = std::env::var_os("GANNET_FAULT_PROGRAM")
            .unwrap_or_else(|| env!("CARGO_BIN_EXE_gannet").into());
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg("--data")
            .arg(store)
            .current_dir(&self.folder)
            .env_clear()
            .env("HOME", &self.folder)
            .env("NO_COLOR", "1")
            .env("GANNET__INGESTION__BATCH_SIZE", "10")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, store: &Path, arguments: &[&str]) -> Output {
        self.command(store, arguments).output().unwrap()
    }

    pub fn start(&self, store: &Path, arguments: &[&str]) -> Child {
        self.command(store, arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Runs what must work.
    pub fn done(&self, store: &Path, arguments: &[&str]) -> Output {
        let output = self.run(store, arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// A store with this source, complete.
    pub fn build(&self, name: &str, source: &str) -> PathBuf {
        let store = self.folder.join(name);
        self.done(&store, &["ingest", source]);
        store
    }

    /// Entries in the records.
    pub fn entries(&self, store: &Path) -> u64 {
        let status = self.done(store, &["status", "--format", "json"]);
        let status: Value = serde_json::from_slice(&status.stdout).unwrap();
        status["entries"].as_u64().unwrap()
    }

    /// What the store answers to all questions; an error or the diagnostics
    /// where there are some.
    pub fn answers(&self, store: &Path) -> Answers {
        let mut answers = Answers::default();
        for mode in ["keyword", "semantic"] {
            for question in QUESTIONS {
                answers.add(&self.search(store, question, mode, 10));
            }
        }
        answers
    }

    /// What the store answers to questions that find every entry.
    pub fn every_entry(&self, store: &Path) -> Answers {
        let mut answers = Answers::default();
        for (question, mode) in [
            ("sector OR \"cooling water\"", "keyword"),
            ("pump leak", "semantic"),
        ] {
            answers.add(&self.search(store, question, mode, ALL));
        }
        answers
    }

    fn search(&self, store: &Path, question: &str, mode: &str, most: usize) -> Output {
        let most = most.to_string();
        let output = ["--max-results", &most, "--format", "json"];
        let arguments = ["search", question, "--mode", mode];
        self.run(store, &[&arguments[..], &output].concat())
    }
}

/// What a store answers.
#[derive(Debug, Default, PartialEq)]
pub struct Answers {
    /// Ids and scores of each question.
    pub hits: Vec<Vec<(String, i64)>>,
    /// Errors and diagnostics.
    pub told: Vec<String>,
    /// Processes that ended in another way than with a result or an error.
    pub crashed: Vec<String>,
}

impl Answers {
    fn add(&mut self, output: &Output) {
        let said = String::from_utf8_lossy(&output.stderr);
        // Warnings of the log are diagnostics too.
        if !said.trim().is_empty() {
            self.told.push(said.into_owned());
        }
        match output.status.code() {
            Some(0) => {}
            Some(1..=6) => {
                self.hits.push(Vec::new());
                return;
            }
            other => {
                self.crashed.push(format!("{other:?}: {:?}", self.told));
                return;
            }
        }
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        let warnings = result["diagnostics"].as_array().unwrap().iter();
        let warnings = warnings.filter(|one| one["level"] != "info");
        self.told.extend(warnings.map(Value::to_string));
        let hit = |hit: &Value| {
            let id = hit["entry"]["entry_id"].as_str().unwrap();
            let score = hit["score"].as_f64().unwrap();
            // All of the entry is part of the result but when it was written.
            let mut entry = hit["entry"].as_object().unwrap().clone();
            for time in ["created_at", "updated_at", "enhancement_status"] {
                entry.remove(time);
            }
            let entry = Value::Object(entry);
            (format!("{id} {entry}"), (score * 1000.0).round() as i64)
        };
        let mut hits: Vec<(String, i64)> = result["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(hit)
            .collect();
        // Entries of one score come in any order.
        hits.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        self.hits.push(hits);
    }
}

fn record(number: usize) -> String {
    let device = DEVICES[number % 10];
    let event = EVENTS[(number / 10 + number) % 10];
    json!({
        "id": format!("E{number:03}"),
        "title": format!("{device} {number}"),
        "text": format!("The {device} in sector {number} {event}."),
        "author": "operator",
        "timestamp": format!("2025-03-01T{:02}:{:02}:00Z", number / 60, number % 60),
    })
    .to_string()
}

/// Copies a folder, but for lock files.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Every file below a folder, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}
