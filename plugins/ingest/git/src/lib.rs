//! Ingestion adapter that reads the commits of a git repository as a logbook.
//!
//! ```console
//! $ gannet ingest --adapter git --source .
//! $ gannet search "who changed the retry delay"
//! ```
//!
//! | in the commit | in the entry |
//! |---|---|
//! | hash | `entry_id` |
//! | author | `author` |
//! | time of the committer | `timestamp` |
//! | message | `raw_text`; its first line is `metadata.title` |
//! | files changed | `metadata.files`, at most `max_files`, and their number in `metadata.files_changed` |
//! | tags, branch | `metadata.tags`, `metadata.branch` |
//! | name of the repository's folder | `metadata.repository` |
//!
//! The oldest commit comes first. A commit without a message is rejected. Of a
//! repository that lacks a part of its history (a shallow clone), no commit that
//! is missing counts as deleted.
//!
//! The program `git` runs as a child process, without a shell, and only reads:
//! whatever a repository's own configuration could start (hooks, pagers,
//! filters, remote helpers, signature checks) is off, see [`command`].
//! Where `git` cannot run, a file that [`command::FORMAT`] was written to by
//! another machine is a source too.
//!
//! ```
//! use gannet_git::Git;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(Git::descriptor().name, "git");
//! ```

pub mod command;
mod commits;
mod examples;
mod log_process;

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gannet_plugin::ingest::{self, Opened, RecordStream};
use gannet_plugin::prelude::{
    Adapter, Context, Descriptor, Error, FetchRequest, Result, Setup, settings,
};
use jiff::Timestamp;

use commits::{Commits, Conversion};
use log_process::LogProcess;

gannet_plugin::export_plugin! {
    adapters: [Git],
}

/// Brings in the commits of a repository.
pub struct Git(Settings);

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The folder of the repository, when a call names none.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "git")]
    pub source_system: String,
    /// The branches, tags or ranges whose commits are read, as in
    /// `git log`.
    #[setting(default = ["HEAD"])]
    pub revisions: Vec<String>,
    /// Whether the commits of all branches are read, beside the revisions.
    pub all_branches: bool,
    /// How many names of changed files are kept.
    #[setting(default = 200)]
    pub max_files: usize,
    /// The program that is run.
    #[setting(default = "git")]
    pub program: String,
}

impl Adapter for Git {
    const NAME: &'static str = "git";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "Git",
            "Reads the commits of a git repository as a logbook.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        if let Some(option) = settings.revisions.iter().find(|name| name.starts_with('-')) {
            let message = format!("`{option}` is an option; write names of branches or tags");
            return Err(Error::setting("revisions", message));
        }
        Ok(Self(settings))
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let path = ingest::source_path(&request, self.0.source_url.as_deref())?;
        if path.as_os_str().as_encoded_bytes().starts_with(b"-")
            && !ingest::is_standard_input(&path)
        {
            let message = format!("`{0}` looks like an option; write `./{0}`", path.display());
            return Err(Error::invalid_input(message));
        }
        let settings = self.0.clone();
        let tenant = context.call.tenant.to_string();
        let times = (request.since, request.until);
        let is_shallow = Arc::new(AtomicBool::new(false));
        let found = Arc::clone(&is_shallow);
        let stream = ingest::from_blocking(request, move || {
            let conversion = Conversion {
                source_system: settings.source_system.clone(),
                repository: repository_name(&path),
                tenant,
                max_files: settings.max_files,
            };
            // A folder is a repository; a file is what `git log` wrote.
            let log: Box<dyn Read> = match path.is_dir() {
                true => {
                    let log = command::log(&settings, &path, times);
                    let log = LogProcess::start(log, &path)?;
                    let lacks_history = command::is_shallow(&settings, &path);
                    found.store(lacks_history, Ordering::Release);
                    Box::new(log)
                }
                false => Box::new(ingest::open(&path)?),
            };
            Ok(Opened {
                total: None,
                records: Commits::new(BufReader::new(log), conversion, path),
            })
        });
        let stream = stream.await?;
        // Nothing is read completely: commits that did not come are not gone.
        let lacks_history = is_shallow.load(Ordering::Acquire);
        Ok(stream.with_complete_since(lacks_history.then_some(Timestamp::MAX)))
    }
}

/// The name of the repository's folder; none of a file.
fn repository_name(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok().filter(|path| path.is_dir())?;
    let name = path.file_name()?.to_str()?;
    Some(name.strip_suffix(".git").unwrap_or(name).to_owned())
}
