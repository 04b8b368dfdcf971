//! Repositories, and the adapter as the host runs it.

use std::path::Path;
use std::process::Command;

use gannet_git::{Git, Settings};
use gannet_plugin::prelude::{Adapter, FetchRequest, Result, Setup};
use gannet_plugin::testing::{self, Fetched};
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A repository that goes away with the test.
pub struct Repository(pub TempDir);

impl Repository {
    pub fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch=main", "."]);
        repository
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// Commits everything at a time in seconds since 1970; the hash.
    pub fn commit(&self, time: i64, message: &str) -> String {
        self.git(&["add", "--all"]);
        let date = format!("@{time} +0000");
        let arguments = [
            "commit",
            "--quiet",
            "--allow-empty",
            "--allow-empty-message",
            "-m",
            message,
        ];
        self.run(
            &arguments,
            &[
                ("GIT_COMMITTER_DATE", date.as_str()),
                ("GIT_AUTHOR_DATE", "@7 +0000"),
            ],
        );
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.run(arguments, &[])
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "M. Lee")
            .env("GIT_AUTHOR_EMAIL", "lee@lab.example")
            .env("GIT_COMMITTER_NAME", "Robot")
            .env("GIT_COMMITTER_EMAIL", "robot@lab.example")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub fn fetch(&self, settings: Value) -> Result<Fetched> {
        self.fetch_with(settings, FetchRequest::default())
    }

    pub fn fetch_with(&self, settings: Value, request: FetchRequest) -> Result<Fetched> {
        fetch(&self.path().display().to_string(), settings, request)
    }
}

/// Since when the records of a folder are complete, as the adapter says it.
pub fn complete_since(source: &Path) -> Option<Timestamp> {
    let settings: Settings = testing::settings(json!({})).unwrap();
    let request = FetchRequest::default().with_source(source.display().to_string());
    let adapter = Git::new(settings, &Setup::default()).unwrap();
    let stream = pollster::block_on(adapter.fetch(request, &testing::context()));
    stream.unwrap().complete_since
}

pub fn fetch(source: &str, settings: Value, request: FetchRequest) -> Result<Fetched> {
    let settings: Settings = testing::settings(settings)?;
    let request = request.with_source(source.to_owned());
    let mut context = testing::context();
    context.call.tenant = "ring-1".into();
    let adapter = Git::new(settings, &Setup::default())?;
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}
