//! The output of `git log` as records.

use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use gannet_plugin::ingest::{self, RejectedRecord};
use gannet_plugin::prelude::{Entry, Error, Record, Result};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The longest field: a message or a name.
const MAX_FIELD_BYTES: u64 = 4 << 20;

/// What every commit is converted with.
pub(crate) struct Conversion {
    pub(crate) source_system: String,
    pub(crate) repository: Option<String>,
    pub(crate) tenant: String,
    pub(crate) max_files: usize,
}

/// The commits in the output of `git log`.
pub(crate) struct Commits<R> {
    log: R,
    conversion: Conversion,
    path: PathBuf,
    /// Where HEAD points to, as soon as a commit says so.
    number: u64,
    /// Whether the empty field that begins a commit was read.
    is_begun: bool,
    is_ended: bool,
}

/// One commit as it was written.
#[derive(Default)]
struct Commit {
    hash: String,
    author: String,
    time: String,
    /// `HEAD -> refs/heads/main, tag: refs/tags/v1.0`
    refs: String,
    /// The revision by which it was reached.
    reached_by: String,
    message: String,
    files: Vec<String>,
    files_changed: u64,
}

impl<R: BufRead> Commits<R> {
    pub(crate) fn new(log: R, conversion: Conversion, path: PathBuf) -> Self {
        Self {
            log,
            conversion,
            path,
            number: 0,
            is_begun: false,
            is_ended: false,
        }
    }

    fn read_commit(&mut self) -> io::Result<Option<Commit>> {
        if !self.is_begun {
            match self.field()? {
                None => return Ok(None),
                Some(first) if first.is_empty() => {}
                Some(_) => return Err(not_a_log()),
            }
        }
        self.is_begun = false;
        let mut commit = Commit::default();
        for field in [
            &mut commit.hash,
            &mut commit.author,
            &mut commit.time,
            &mut commit.refs,
            &mut commit.reached_by,
            &mut commit.message,
        ] {
            *field = self.field()?.ok_or_else(not_a_log)?;
        }
        if !is_hash(&commit.hash) {
            return Err(not_a_log());
        }
        // Pairs of status and name, up to the empty field of the next commit.
        while let Some(status) = self.field()? {
            if status.is_empty() {
                self.is_begun = true;
                break;
            }
            let name = self.field()?.ok_or_else(not_a_log)?;
            commit.files_changed += 1;
            if commit.files.len() < self.conversion.max_files {
                commit.files.push(name);
            }
        }
        Ok(Some(commit))
    }

    /// The next field; bytes that are not UTF-8 become U+FFFD, since a commit
    /// may be written in any encoding.
    fn field(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let mut limited = self.log.by_ref().take(MAX_FIELD_BYTES);
        if limited.read_until(0, &mut bytes)? == 0 {
            return Ok(None);
        }
        match bytes.pop() {
            Some(0) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            _ => Err(not_a_log()),
        }
    }
}

impl<R: BufRead> Iterator for Commits<R> {
    type Item = Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_ended {
            return None;
        }
        match self.read_commit() {
            Ok(commit) => {
                self.number += 1;
                Some(Ok(self.conversion.record(self.number, commit?)))
            }
            Err(error) => {
                self.is_ended = true;
                let error = ingest::unreadable(&self.path, &error);
                Some(Err(after_commit(self.number, error)))
            }
        }
    }
}

impl Conversion {
    fn record(&self, number: u64, commit: Commit) -> Record {
        match self.entry(&commit) {
            Ok(entry) => Record::Entry(Box::new(entry)),
            Err(reason) => Record::Rejected(
                RejectedRecord::new(
                    format!("commit {number}"),
                    reason,
                    format!("{} {} {}", commit.hash, commit.author, commit.time),
                )
                .with_entry_id(commit.hash),
            ),
        }
    }

    fn entry(&self, commit: &Commit) -> std::result::Result<Entry, String> {
        let text = commit.message.trim();
        if text.is_empty() {
            return Err("no commit message".to_owned());
        }
        let seconds = commit.time.parse().ok();
        let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        let time = time.ok_or_else(|| format!("the time {:?} is not valid", commit.time))?;
        let mut entry = Entry::new(&commit.hash, &self.source_system, time, text);
        entry.tenant.clone_from(&self.tenant);
        entry.author.clone_from(&commit.author);

        let title = text.lines().next().unwrap_or_default();
        let mut add = |key: &str, value: Value| entry.metadata.insert(key.to_owned(), value);
        add("title", title.into());
        if let Some(repository) = &self.repository {
            add("repository", repository.as_str().into());
        }
        if let Some(branch) = branch_of(commit) {
            add("branch", branch.into());
        }
        let tags: Vec<&str> = named(&commit.refs, "tag: refs/tags/").collect();
        if !tags.is_empty() {
            add("tags", json!(tags));
        }
        if commit.files_changed > 0 {
            add("files", json!(commit.files));
            add("files_changed", commit.files_changed.into());
        }
        Ok(entry)
    }
}

/// The branch by which a commit was reached. Which branch `HEAD` is would
/// change with every commit, so it is left out.
fn branch_of(commit: &Commit) -> Option<&str> {
    let name = commit.reached_by.as_str();
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    (!name.is_empty() && name != "HEAD").then_some(name)
}

/// The names of a kind of refs.
fn named<'a>(refs: &'a str, kind: &'a str) -> impl Iterator<Item = &'a str> {
    refs.split(", ")
        .filter_map(move |name| name.strip_prefix(kind))
}

/// SHA-1 or SHA-256.
fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn not_a_log() -> io::Error {
    io::Error::other("it is neither a repository nor what `git log` writes for this adapter")
}

fn after_commit(number: u64, error: Error) -> Error {
    match number {
        0 => error,
        _ => Error::invalid_input(format!("{error} (after commit {number})")),
    }
}
