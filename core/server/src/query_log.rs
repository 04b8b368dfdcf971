//! The query log: a line of JSON for each search, with a hash in the place of
//! the query. A thread writes it; a search never waits for it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use gannet_core::config::QueryLogConfig;
use gannet_core::{redacted, was_replaced};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::auth::Caller;
use crate::{log_file, request_id};

/// The version of a line's form.
const SCHEMA_VERSION: u32 = 1;
/// Lines that wait to be written at most; others are dropped and counted.
const MOST_WAITING: usize = 1024;
/// Hexadecimal digits of the hash of a query.
const HASH_DIGITS: usize = 16;

/// The query log of a configuration, or none.
pub(crate) struct QueryLog {
    lines: Option<SyncSender<Value>>,
    queries: bool,
    dropped: Arc<AtomicU64>,
}

/// A search that began.
pub(crate) struct QueryRecord {
    line: Value,
    started: Instant,
    lines: SyncSender<Value>,
    dropped: Arc<AtomicU64>,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With so many entries.
    Found(usize),
    /// With an error.
    Failed,
    /// Nobody waited for it any more.
    Cancelled,
}

impl QueryRecord {
    /// The query, where the log holds queries.
    pub fn query(&self) -> Option<&Value> {
        self.line.get("query")
    }

    /// Writes the line of a search that ended. Never waits: a line that finds
    /// no room is dropped and counted.
    pub fn end(mut self, outcome: Outcome) {
        let (name, found) = match outcome {
            Outcome::Found(found) => ("ok", Some(found)),
            Outcome::Failed => ("failed", None),
            Outcome::Cancelled => ("cancelled", None),
        };
        self.line["outcome"] = name.into();
        self.line["results"] = found.into();
        let took = self.started.elapsed().as_secs_f64() * 1000.0;
        self.line["took_ms"] = took.into();
        if self.lines.try_send(self.line).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl QueryLog {
    /// The log of a configuration. Lines that are dropped are counted.
    pub fn of(config: &QueryLogConfig, dropped: Arc<AtomicU64>) -> Self {
        Self {
            lines: config.path.clone().and_then(start_writer),
            queries: config.queries,
            dropped,
        }
    }

    /// A search begins; `None` where none are logged.
    pub fn begin(&self, caller: &Caller, mode: &str, query: &str) -> Option<QueryRecord> {
        let lines = self.lines.clone()?;
        let mut line = json!({
            "schema_version": SCHEMA_VERSION,
            "at": Timestamp::now(),
            "request_id": request_id::current(),
            "actor": caller.name,
            "tenant": caller.tenant,
            "mode": mode,
            "query_sha256": hash(query),
        });
        if self.queries {
            line["query"] = redacted(query.into());
        }
        Some(QueryRecord {
            line,
            started: Instant::now(),
            lines,
            dropped: self.dropped.clone(),
        })
    }
}

fn hash(query: &str) -> String {
    let digest = Sha256::digest(query);
    let mut digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(HASH_DIGITS);
    digits
}

/// The thread ends with the last sender.
fn start_writer(path: PathBuf) -> Option<SyncSender<Value>> {
    let (sender, lines) = sync_channel(MOST_WAITING);
    let thread = std::thread::Builder::new().name("query-log".to_owned());
    match thread.spawn(move || write_all(&path, &lines)) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::error!(%error, "there is no query log");
            None
        }
    }
}

fn write_all(path: &Path, lines: &Receiver<Value>) {
    let mut file = None;
    for line in lines {
        // One write a line, so that lines of several processes do not mix.
        let text = format!("{line}\n");
        let written = opened(&mut file, path).and_then(|file| file.write_all(text.as_bytes()));
        if let Err(error) = written {
            tracing::error!(%error, path = %path.display(), "the query log cannot be written");
            file = None;
        }
    }
}

fn opened<'f>(file: &'f mut Option<File>, path: &Path) -> std::io::Result<&'f mut File> {
    // Old lines may have been deleted, which makes a new file.
    if file.as_ref().is_some_and(was_replaced) {
        *file = None;
    }
    if let Some(file) = file {
        return Ok(file);
    }
    Ok(file.insert(log_file::open(path)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn lines_that_nobody_takes_are_dropped_and_counted() {
        let (sender, lines) = sync_channel(1);
        let log = QueryLog {
            lines: Some(sender),
            queries: false,
            dropped: Arc::default(),
        };
        for query in ["first", "second", "third"] {
            let record = log.begin(&Caller::local(), "keyword", query);
            record.unwrap().end(Outcome::Failed);
        }
        assert_eq!(log.dropped.load(Ordering::Relaxed), 2);
        let line = lines.try_recv().unwrap();
        assert_eq!(line["query_sha256"], hash("first"));
        assert!(!line.to_string().contains("first"), "{line}");
    }
}
