//! The query log: a line of JSON for each search, with a hash in the place of
//! the query. A thread writes it; a search never waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use gannet_core::config::QueryLogConfig;
use gannet_core::redacted;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::auth::Caller;
use crate::log_writer::{LogWriter, LogWriters};
use crate::request_id;

/// The version of a line's form.
const SCHEMA_VERSION: u32 = 1;
/// Hexadecimal digits of the hash of a query.
const HASH_DIGITS: usize = 16;

/// The query log of a configuration, or none.
pub(crate) struct QueryLog {
    writer: Option<Arc<LogWriter>>,
    queries: bool,
    dropped: Arc<AtomicU64>,
}

/// A search that began.
pub(crate) struct QueryRecord {
    line: Value,
    started: Instant,
    writer: Arc<LogWriter>,
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
        if !self.writer.try_write(&self.line.to_string()) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl QueryLog {
    /// The log of a configuration. Lines that are dropped are counted.
    pub fn of(config: &QueryLogConfig, logs: &LogWriters, dropped: Arc<AtomicU64>) -> Self {
        let path = config.path.as_deref();
        Self {
            writer: path.and_then(|path| logs.of(path)),
            queries: config.queries,
            dropped,
        }
    }

    /// A search begins; `None` where none are logged.
    pub fn begin(&self, caller: &Caller, mode: &str, query: &str) -> Option<QueryRecord> {
        let writer = self.writer.clone()?;
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
            writer,
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn lines_that_nobody_takes_are_dropped_and_counted() {
        let (writer, mut messages) = LogWriter::unread(1);
        let log = QueryLog {
            writer: Some(Arc::new(writer)),
            queries: false,
            dropped: Arc::default(),
        };
        for query in ["first", "second", "third"] {
            let record = log.begin(&Caller::local(), "keyword", query);
            record.unwrap().end(Outcome::Failed);
        }
        assert_eq!(log.dropped.load(Ordering::Relaxed), 2);
        let line = messages.try_recv().unwrap().line;
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["query_sha256"], hash("first"));
        assert!(!line.to_string().contains("first"), "{line}");
    }
}
