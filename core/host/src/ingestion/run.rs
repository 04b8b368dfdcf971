//! One run of an ingestion: records in batches.

use std::collections::HashSet;
use std::path::Path;

use gannet_api::{
    Entry, Error, MAX_CURSOR_BYTES, PluginKind, Record, RejectedRecord, Result as ApiResult, limits,
};
use gannet_store::{RunOutcome, RunStatus, UpsertReport};
use jiff::Timestamp;

use super::cursor::SourceCursor;
use super::missing::Given;
use super::reasons::Reasons;
use super::{IngestProgress, RunEnd};
use crate::publishing::unseen;
use crate::quarantine::PluginName;
use crate::rejects::RejectFile;
use crate::source::{Source, entry_bytes};
use crate::watch::without_effect;
use crate::{Gannet, HostError, Stop};

/// After so many records without a usable one, a source is given up.
const HOPELESS: u64 = 1_000;
/// A batch is written when it has so many bytes, whatever the number of its
/// entries.
const BATCH_BYTES: usize = 16 << 20;
/// How much of a record that is too large is kept with its reason.
const KEPT_BYTES: usize = 64 << 10;

/// One ingestion under way.
pub(super) struct Ingestion<'a> {
    gannet: &'a Gannet,
    adapter: &'a str,
    tenant: String,
    dry_run: bool,
    pub(super) counts: IngestProgress,
    batch: Vec<Entry>,
    batch_bytes: usize,
    /// Ids of entries that are gone; deleted after the batch was written.
    gone: Vec<String>,
    /// Where cursors are kept, unless this run reads a part of the source.
    pub(super) cursor: Option<SourceCursor>,
    /// Whether the cursor is kept only at the end.
    pub(super) cursor_at_end: bool,
    /// The last cursor of what is stored, which is not kept yet.
    last: Option<String>,
    /// What the source gave, where missing entries are to be deleted.
    pub(super) given: Option<Given>,
    /// Published entries that no source gave yet.
    pub(super) unseen: HashSet<String>,
    /// Those of them that came, and are not stored yet.
    seen: Vec<String>,
    /// Whether the next run goes on where this one ends.
    has_cursor: bool,
    /// The last cursor that came.
    reached: Option<String>,
    rejects: RejectFile,
    /// Why records were rejected.
    pub(super) reasons: Reasons,
    /// Whether good records may follow, however many were rejected: those of
    /// other files.
    pub(super) is_hopeful: bool,
    latest: Option<Timestamp>,
    /// What the store did with the entries.
    pub(super) written: UpsertReport,
}

impl<'a> Ingestion<'a> {
    /// A run of this number, for a tenant; it may be dry.
    pub(super) fn new(
        gannet: &'a Gannet,
        adapter: &'a str,
        (tenant, dry_run): (&str, bool),
        run: i64,
        total: Option<u64>,
    ) -> Self {
        Self {
            gannet,
            adapter,
            tenant: tenant.to_owned(),
            dry_run,
            counts: IngestProgress {
                total,
                ..IngestProgress::default()
            },
            batch: Vec::new(),
            batch_bytes: 0,
            gone: Vec::new(),
            cursor: None,
            cursor_at_end: false,
            last: None,
            given: None,
            unseen: HashSet::new(),
            seen: Vec::new(),
            has_cursor: false,
            reached: None,
            rejects: RejectFile::new(gannet.reject_file(), run),
            reasons: Reasons::default(),
            is_hopeful: false,
            latest: None,
            written: UpsertReport::default(),
        }
    }

    /// The file of the rejected records, where there are any.
    pub(super) fn rejected_records(&self) -> Option<&Path> {
        self.rejects.path()
    }

    /// Reads the source to its end, or until the run is stopped.
    pub(super) async fn read_all(
        &mut self,
        mut source: Source,
        stop: &Stop,
        progress: &mut impl FnMut(IngestProgress),
    ) -> Result<RunEnd, HostError> {
        loop {
            // A source that hangs does not keep the run from being stopped.
            let record = tokio::select! {
                biased;
                record = self.next_record(&mut source) => record?,
                () = stop.raised() => return Ok(RunEnd::Stopped),
            };
            let Some(record) = record else {
                return Ok(RunEnd::Finished);
            };
            self.take(record).await?;
            self.refuse_hopeless_source()?;
            if self.is_batch_full() {
                self.store_batch().await?;
                progress(self.counts);
            }
            if stop.is_raised() {
                return Ok(RunEnd::Stopped);
            }
        }
    }

    fn is_batch_full(&self) -> bool {
        self.batch.len().max(self.gone.len()) >= self.gannet.ingest_batch_size()
            || self.batch_bytes >= BATCH_BYTES
    }

    async fn next_record(&self, source: &mut Source) -> ApiResult<Option<Record>> {
        let next = source.next().await;
        let quarantine = self.gannet.services().quarantine();
        quarantine.note(self.plugin(), next)
    }

    fn plugin(&self) -> PluginName<'_> {
        PluginName {
            kind: PluginKind::Adapter,
            name: self.adapter,
        }
    }

    async fn take(&mut self, record: Record) -> Result<(), HostError> {
        match record {
            Record::Entry(entry) => {
                self.counts.read += 1;
                self.take_entry(*entry).await
            }
            Record::Rejected(rejected) => {
                self.counts.read += 1;
                self.reject(&rejected)
            }
            Record::Deleted(id) => {
                self.counts.read += 1;
                self.note_seen(&id);
                self.gone.push(id);
                Ok(())
            }
            Record::Cursor(cursor) if cursor.len() <= MAX_CURSOR_BYTES => {
                self.has_cursor = true;
                self.reached = Some(cursor);
                Ok(())
            }
            Record::Cursor(cursor) => Err(Error::InvalidResult {
                plugin: self.plugin().to_string(),
                message: format!(
                    "a cursor of {} bytes; {MAX_CURSOR_BYTES} are allowed",
                    cursor.len()
                ),
            }
            .into()),
        }
    }

    async fn take_entry(&mut self, mut entry: Entry) -> Result<(), HostError> {
        if let Some(reason) = id_fault(&entry.entry_id) {
            let place = format!("record {}", self.counts.read);
            return self.reject(&RejectedRecord::new(
                place,
                reason,
                beginning(entry.raw_text),
            ));
        }
        if let Some(given) = &mut self.given {
            given.add(&entry);
        }
        let bytes = entry_bytes(&entry);
        let limit = self.gannet.max_record_bytes();
        if bytes > limit {
            return self.reject(&too_large(entry, bytes, limit));
        }
        // An entry that was deleted and came again is there at the end.
        if !self.gone.is_empty() {
            self.store_batch().await?;
        }
        self.note_seen(&entry.entry_id);
        self.batch_bytes += bytes;
        entry.tenant.clone_from(&self.tenant);
        self.latest = self.latest.max(Some(entry.timestamp));
        self.batch.push(entry);
        Ok(())
    }

    /// A published entry that the source knows is missing when it goes.
    fn note_seen(&mut self, id: &str) {
        self.seen.extend(self.unseen.take(id));
    }

    fn reject(&mut self, rejected: &RejectedRecord) -> Result<(), HostError> {
        self.counts.rejected += 1;
        self.reasons.add(rejected);
        if let Some(given) = &mut self.given {
            given.add_rejected(rejected);
        }
        match self.dry_run {
            true => Ok(()),
            false => Ok(self.rejects.keep(rejected)?),
        }
    }

    /// A source of which nothing can be used is probably in another format.
    fn refuse_hopeless_source(&self) -> Result<(), HostError> {
        let nothing_usable = self.counts.rejected == self.counts.read && !self.is_hopeful;
        if !nothing_usable || self.counts.rejected < HOPELESS {
            return Ok(());
        }
        let reasons = self.reasons.sorted().into_iter().take(3);
        let reasons: Vec<String> = reasons
            .map(|one| format!("{} ({} records)", one.reason, one.count))
            .collect();
        Err(Error::invalid_input(format!(
            "all of the first {HOPELESS} records were rejected: {}; check the source, or name \
             another adapter with `--adapter`",
            reasons.join("; ")
        ))
        .into())
    }

    /// Writes what was read: entries first, then deletions, and the cursor
    /// when both are durable.
    pub(super) async fn store_batch(&mut self) -> Result<(), HostError> {
        self.rejects.flush()?;
        let batch = std::mem::take(&mut self.batch);
        let gone = std::mem::take(&mut self.gone);
        let seen = std::mem::take(&mut self.seen);
        let reached = self.reached.take();
        self.batch_bytes = 0;
        if self.dry_run {
            return Ok(());
        }
        let store = self.gannet.store();
        if !batch.is_empty() {
            let records = batch.len() as u64;
            let report = store.upsert(batch).await?;
            // Of records with one id in a batch the last one counts, and the
            // others as what it changed.
            let replaced = records - report.added - report.updated - report.unchanged;
            self.counts.added += report.added;
            self.counts.updated += report.updated + replaced;
            self.counts.unchanged += report.unchanged;
            self.written.add(report);
        }
        if !gone.is_empty() {
            self.counts.deleted += store.delete(&self.tenant, &gone).await?;
        }
        for id in seen {
            unseen::forget(store, &self.tenant, &id).await?;
        }
        self.last = reached.or(self.last.take());
        match self.cursor_at_end {
            true => Ok(()),
            false => self.keep_last_cursor().await,
        }
    }

    /// Once the source was read to its end and everything is stored.
    pub(super) async fn finish(&mut self) -> Result<(), HostError> {
        self.delete_missing().await?;
        self.keep_last_cursor().await
    }

    /// Keeps how far the source was read, as far as it is stored.
    async fn keep_last_cursor(&mut self) -> Result<(), HostError> {
        if let (Some(cursor), Some(last)) = (&self.cursor, self.last.take()) {
            cursor.keep(self.gannet.store(), &last).await?;
        }
        Ok(())
    }

    /// Deletes what the source does not give any more, where that is wanted,
    /// as far as the source was read completely.
    async fn delete_missing(&mut self) -> Result<(), HostError> {
        let Some(given) = self.given.take().filter(|_| !self.dry_run) else {
            return Ok(());
        };
        let store = self.gannet.store();
        self.counts.deleted += given.delete_missing(store, &self.tenant).await?;
        if self.has_cursor && !given.has_span() {
            let without_effect = without_effect(self.gannet.config(), self.adapter);
            if let Some(notice) = without_effect {
                tracing::warn!("missing entries: {notice}");
            }
        }
        Ok(())
    }

    pub(super) fn outcome(&self, read: &Result<RunEnd, HostError>) -> RunOutcome {
        RunOutcome {
            status: match read {
                Ok(RunEnd::Finished) => RunStatus::Success,
                Ok(RunEnd::Stopped) => RunStatus::Stopped,
                Err(_) => RunStatus::Failed,
            },
            added: self.counts.added,
            updated: self.counts.updated,
            unchanged: self.counts.unchanged,
            rejected: self.rejects.count(),
            deleted: self.counts.deleted,
            error: read.as_ref().err().map(ToString::to_string),
            latest_timestamp: self.latest,
        }
    }
}

/// Why no entry can have this id.
pub(crate) fn id_fault(id: &str) -> Option<String> {
    if id.is_empty() {
        return Some("its id is empty".to_owned());
    }
    if id.len() > limits::ID_BYTES {
        let most = limits::ID_BYTES;
        return Some(format!("its id has {} bytes; {most} are allowed", id.len()));
    }
    let has_control = id.contains(char::is_control);
    has_control.then(|| format!("its id has control characters: `{}`", id.escape_debug()))
}

/// As much of a rejected text as is kept.
fn beginning(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(KEPT_BYTES));
    text
}

fn too_large(entry: Entry, bytes: usize, limit: usize) -> RejectedRecord {
    RejectedRecord::new(
        format!("entry `{}`", entry.entry_id),
        format!(
            "it has {bytes} bytes, more than `ingestion.max_record_bytes` ({limit}); only the \
             beginning is kept here"
        ),
        beginning(entry.raw_text),
    )
    .with_entry_id(entry.entry_id)
}
