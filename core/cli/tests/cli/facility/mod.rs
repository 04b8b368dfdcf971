//! A facility with plugins, and the command line in its folder.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use gannet_tests::dylibs::{PluginFolder, file_name};
use serde_json::Value;
use tempfile::TempDir;

/// A facility's folder, and one with its plugins.
pub struct Facility {
    pub folder: TempDir,
    pub plugins: PluginFolder,
}

impl Facility {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            plugins: PluginFolder::new(),
        }
    }

    /// One whose configuration loads the example plugins.
    pub fn with_examples() -> Self {
        let facility = Self::new();
        let examples = ["pv_search", "timeline", "shift_csv", "device_names"];
        let load = examples.map(|example| {
            let library = format!("gannet_{example}");
            facility.plugins.put(&library);
            format!("    - file: {}\n", file_name(&library))
        });
        facility.configure(&load.concat(), SWITCHED_ON);
        facility
    }

    /// Writes a configuration: the list `plugins.load`, and more.
    pub fn configure(&self, load: &str, more: &str) {
        let plugins = self.plugins.path().display();
        let config = format!(
            "plugins:\n  dynamic:\n    enabled: true\n    dirs: [{plugins}]\n  load:\n{load}{more}"
        );
        self.write("config.yml", &config);
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// `gannet` in this folder, without the configuration and the input of the
    /// machine, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_gannet"), arguments)
    }

    /// Runs `gannet` with so much memory of its own, in KiB, and not more.
    pub fn gannet_within(&self, memory: usize, arguments: &[&str]) -> Output {
        let limited = format!("ulimit -d {memory} && exec \"$0\" \"$@\"");
        let gannet = ["-c", &limited, env!("CARGO_BIN_EXE_gannet")];
        let mut command = self.program("sh", &[&gannet, arguments].concat());
        command.output().unwrap()
    }

    fn program(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs `gannet` in this folder.
    pub fn gannet(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs what must work, and gives what it prints.
    pub fn done(&self, arguments: &[&str]) -> String {
        let output = self.gannet(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// Runs what must work, and reads what it prints.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [&["--format", "json"], arguments].concat();
        serde_json::from_str(&self.done(&arguments)).unwrap()
    }

    pub fn inspect(&self, file: &Path) -> Value {
        self.json(&["plugins", "inspect", text(file)])
    }

    pub fn check(&self, file: &Path) -> Output {
        self.gannet(&["plugins", "check", text(file)])
    }
}

/// What a configuration switches on of the example plugins.
const SWITCHED_ON: &str = "\
search_modules:
  pv_search: { enabled: true }
pipelines:
  timeline: { retrieval_modules: [keyword, pv_search] }
ingestion:
  adapters:
    shift_csv: { enabled: true }
enhancement_modules:
  device_names: { enabled: true }
";

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What was said, without the breaks of lines that are too long.
pub fn stderr(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let words = said.split_whitespace().filter(|word| *word != "│");
    words.collect::<Vec<_>>().join(" ")
}
