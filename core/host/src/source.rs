//! Reads a source on a task of its own: one that blocks its thread does not
//! keep the run from being stopped, and it is read while entries are written.

use std::sync::Arc;

use gannet_api::{Entry, Record, RecordStream, RejectedRecord, Result};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::isolate::{AbortOnDrop, next_of};

/// How many records are read ahead at most: two batches, so that the source is
/// read on while one is written.
const AHEAD: usize = 1_000;
/// How many bytes of them, but for one record that alone is larger.
const AHEAD_BYTES: usize = 8 << 20;

/// A source that is being read.
pub(crate) struct Source {
    records: mpsc::Receiver<Read>,
    _task: AbortOnDrop<()>,
}

/// A record, and its part of what may be read ahead.
struct Read {
    record: Result<Record>,
    _budget: Option<OwnedSemaphorePermit>,
}

impl Source {
    /// Begins to read, on a runtime. Ends with the stream, or after its first error.
    /// `operation` names the adapter.
    pub(crate) fn start(mut stream: RecordStream, operation: String, runtime: &Handle) -> Self {
        let (sender, records) = mpsc::channel(AHEAD);
        let budget = Arc::new(Semaphore::new(AHEAD_BYTES));
        let task = runtime.spawn(async move {
            loop {
                let next = next_of(&operation, &mut stream.records).await;
                let Some(record) = next.and_then(Option::transpose).transpose() else {
                    return;
                };
                let is_last = record.is_err();
                let bytes = record.as_ref().map_or(0, record_bytes).min(AHEAD_BYTES);
                let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
                let permit = budget.clone().acquire_many_owned(bytes).await;
                let read = Read {
                    record,
                    // The semaphore is never closed.
                    _budget: permit.ok(),
                };
                if sender.send(read).await.is_err() || is_last {
                    return;
                }
            }
        });
        Self {
            records,
            _task: AbortOnDrop(task),
        }
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// The adapter's own; [`gannet_api::Error::Panicked`] when it panicked.
    pub(crate) async fn next(&mut self) -> Result<Option<Record>> {
        let read = self.records.recv().await;
        read.map(|read| read.record).transpose()
    }
}

fn record_bytes(record: &Record) -> usize {
    match record {
        Record::Entry(entry) => entry_bytes(entry),
        Record::Rejected(RejectedRecord { raw, .. }) => raw.len(),
        Record::Deleted(text) | Record::Cursor(text) => text.len(),
    }
}

/// How many bytes of text and metadata an entry has, about.
pub(crate) fn entry_bytes(entry: &Entry) -> usize {
    let metadata = entry.metadata.iter();
    let metadata = metadata.map(|(key, value)| key.len() + value_bytes(value));
    entry.raw_text.len() + metadata.sum::<usize>()
}

fn value_bytes(value: &Value) -> usize {
    let below: usize = match value {
        Value::String(text) => text.len(),
        Value::Array(members) => members.iter().map(value_bytes).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| key.len() + value_bytes(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + below
}
