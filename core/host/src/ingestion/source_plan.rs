//! Which adapter reads which file of a source.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gannet_api::{Error, FetchRequest};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::file_kind::FileKind;
use super::file_list::{FileList, Found};
use crate::{Gannet, HostError};

/// Bytes of a file by which most kinds are known.
const BEGINNING: u64 = 8 << 10;
/// Bytes of a file with records, of which the first ones are looked at.
const RECORDS: u64 = 256 << 10;
/// The adapter of the configuration that is compiled in: another one was chosen
/// by somebody.
const BUILT_IN: &str = "jsonl";

/// What is read of a file or a folder, and by which adapters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcePlan {
    /// The file or the folder.
    #[serde(skip)]
    pub source: PathBuf,
    /// Whether it is a folder.
    #[serde(skip)]
    pub is_folder: bool,
    /// The runs that read it, in the order of their adapters.
    pub runs: Vec<PlannedRun>,
    /// The files that are not read.
    pub skipped: Vec<SkippedFiles>,
}

/// Files that one adapter reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PlannedRun {
    /// The adapter.
    pub adapter: String,
    /// Whether none of the first records has a time, so that all are taken as
    /// documents without one.
    pub undated: bool,
    /// The files, as paths from the folder with `/`.
    pub files: Vec<String>,
}

/// Files that are not read for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedFiles {
    /// Why, for a person.
    pub reason: String,
    /// The files, as paths from the folder with `/`.
    pub files: Vec<String>,
}

impl SourcePlan {
    /// What the adapter of a run fetches.
    pub fn fetch(&self, run: &PlannedRun, request: &FetchRequest) -> FetchRequest {
        let mut fetch = request.clone();
        fetch.source = Some(self.source.display().to_string());
        if self.is_folder {
            fetch.files.clone_from(&run.files);
        }
        if run.undated && fetch.default_timestamp.is_none() {
            fetch.default_timestamp = Some(Timestamp::UNIX_EPOCH);
            fetch.default_kind = Some("document".to_owned());
        }
        fetch
    }

    /// Where a file of the plan is.
    pub fn path_of(&self, file: &str) -> PathBuf {
        match self.is_folder {
            true => self.source.join(file),
            false => self.source.clone(),
        }
    }

    /// Notes a file that is not read, with the reason.
    pub fn skip(&mut self, file: String, reason: String) {
        match self
            .skipped
            .iter_mut()
            .find(|skipped| skipped.reason == reason)
        {
            Some(skipped) => skipped.files.push(file),
            None => self.skipped.push(SkippedFiles {
                reason,
                files: vec![file],
            }),
        }
    }
}

impl Gannet {
    /// Finds the adapters for the files of a source. `None` where the
    /// configuration names an adapter for it, or it is neither a file nor a folder: an
    /// address, or standard input.
    ///
    /// # Errors
    /// A folder that cannot be listed.
    pub fn source_plan(&self, source: &str) -> Result<Option<SourcePlan>, HostError> {
        let path = Path::new(source);
        if source == "-" || source.contains("://") || !path.exists() {
            return Ok(None);
        }
        let is_regular = path.is_dir() || path.is_file();
        if !is_regular || (self.default_adapter() != BUILT_IN && !has_own_adapter(path)) {
            return Ok(None);
        }
        let unlisted = |error: io::Error| {
            Error::invalid_input(format!("cannot read `{}`: {error}", path.display()))
        };
        let list = match path.is_dir() {
            true => FileList::of(path, &self.own_files()).map_err(unlisted)?,
            false => FileList::of_file(path),
        };
        Ok(Some(self.plan_of(path, list)))
    }

    /// What the store and its rejected records are in, which no source is.
    fn own_files(&self) -> Vec<PathBuf> {
        let own = [self.config().store.path.clone(), self.reject_file()];
        own.into_iter()
            .filter_map(|path| path.canonicalize().ok())
            .collect()
    }

    fn plan_of(&self, source: &Path, list: FileList) -> SourcePlan {
        let is_folder = source.is_dir();
        let mut plan = SourcePlan {
            source: source.to_owned(),
            is_folder,
            runs: Vec::new(),
            skipped: Vec::new(),
        };
        let mut runs: BTreeMap<(&str, bool), Vec<String>> = BTreeMap::new();
        for Found { name, path } in list.found {
            let kind = path
                .and_then(|path| kind_of(&path))
                .and_then(|kind| self.readable(kind, &name, is_folder));
            match kind {
                Ok(kind) => runs
                    .entry((kind.adapter, kind.is_undated))
                    .or_default()
                    .push(name),
                Err(reason) => plan.skip(name, reason),
            }
        }
        plan.runs = runs
            .into_iter()
            .map(|((adapter, undated), files)| PlannedRun {
                adapter: adapter.to_owned(),
                undated,
                files,
            })
            .collect();
        plan
    }

    /// A kind whose adapter is there and takes the file.
    fn readable(&self, kind: FileKind, name: &str, is_folder: bool) -> Result<FileKind, String> {
        let adapter = kind.adapter;
        if self.services().catalog().adapter(adapter).is_none() {
            return Err(format!("the adapter `{adapter}` is not enabled"));
        }
        let taken = self.document_extensions();
        let own = extension(name);
        let takes = |wanted: &str| taken.iter().any(|one| one.eq_ignore_ascii_case(wanted));
        let is_plain = matches!(kind.format, "txt" | "md" | "html");
        let is_taken = match is_plain && !own.is_empty() {
            true => takes(&own),
            false => takes(kind.format) || takes(&own),
        };
        match adapter != "files" || !is_folder || is_taken {
            true => Ok(kind),
            false => Err(format!(
                "a file .{own} is not among the `extensions` of the adapter `files`; `gannet \
                 ingest FILE` reads one as a document"
            )),
        }
    }

    /// The setting `extensions` of the adapter `files`.
    fn document_extensions(&self) -> Vec<String> {
        let files = self.config().ingestion.adapters.get("files");
        let extensions = files.and_then(|files| files.settings.get("extensions"));
        let extensions = extensions.and_then(Value::as_array).into_iter().flatten();
        extensions
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect()
    }
}

/// Whether the extension alone names the adapter.
fn has_own_adapter(path: &Path) -> bool {
    let known = ["jsonl", "ndjson", "json", "csv", "tsv"];
    path.is_file() && known.contains(&extension(&path.to_string_lossy()).as_str())
}

/// The extension in lower case, or nothing.
fn extension(name: &str) -> String {
    let extension = Path::new(name).extension();
    let extension = extension.and_then(|extension| extension.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

fn kind_of(path: &Path) -> Result<FileKind, String> {
    let extension = extension(&path.to_string_lossy());
    let unreadable = |error: io::Error| format!("cannot be read: {error}");
    let mut file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let mut read = |bytes: &mut Vec<u8>, most: u64| {
        file.by_ref()
            .take(most)
            .read_to_end(bytes)
            .map_err(unreadable)
    };
    read(&mut bytes, BEGINNING)?;
    let is_json = matches!(extension.as_str(), "json" | "jsonl" | "ndjson")
        || bytes.trim_ascii_start().starts_with(b"{")
        || bytes.trim_ascii_start().starts_with(b"[");
    let mut most = BEGINNING;
    if is_json || bytes.starts_with(b"PK") {
        most = RECORDS;
        read(&mut bytes, RECORDS - BEGINNING)?;
    }
    let is_cut = bytes.len() as u64 >= most;
    FileKind::find(&extension, &bytes, is_cut)
}
