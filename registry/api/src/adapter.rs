//! Adapters: the way of entries into the store.

use std::future::Future;

use futures::future::FutureExt;
use futures::stream::{BoxStream, Stream, StreamExt};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::setters::setters;
use crate::{Context, Entry, Error, PublishRequest, Published, Result, ResultFuture};

/// An ingestion adapter, as its author writes it.
pub trait Adapter: Send + Sync + Sized + 'static {
    of_every_kind!();

    /// Opens the source and gives its records one after another. An `Err` in
    /// the stream ends it; a record that cannot be used is
    /// [`Record::Rejected`] and the stream goes on.
    fn fetch(
        &self,
        request: FetchRequest,
        context: &Context,
    ) -> impl Future<Output = Result<RecordStream>> + Send;

    /// Writes an entry into the logbook, once. The host calls it only for an
    /// instance whose [`describe`](Self::describe) says
    /// [`writing`](crate::InstanceDescription::writing), and does not repeat a
    /// call.
    ///
    /// # Errors
    /// [`Error::Credentials`] where credentials are missing or refused, and
    /// [`Error::InvalidInput`] where the logbook refuses the entry. After these,
    /// after [`Error::Unavailable`], and after an [`Error::Provider`] that is
    /// retryable, the host takes it that nothing was written. After any other
    /// error, as when the answer is cut off, it takes it that the entry may
    /// have been written.
    fn publish(
        &self,
        request: PublishRequest,
        context: &Context,
    ) -> impl Future<Output = Result<Published>> + Send {
        let _ = (request, context);
        async { Err(read_only()) }
    }
}

/// What an adapter answers that does not write.
fn read_only() -> Error {
    Error::Unavailable {
        message: "the adapter does not write entries".to_owned(),
    }
}

/// [`Adapter`] behind a pointer; implemented for every adapter.
pub trait DynAdapter: Send + Sync {
    dyn_lifecycle!();

    /// See [`Adapter::fetch`].
    fn fetch<'a>(
        &'a self,
        request: FetchRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, RecordStream>;

    /// See [`Adapter::publish`].
    fn publish<'a>(
        &'a self,
        request: PublishRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, Published> {
        let _ = (request, context);
        async { Err(read_only()) }.boxed()
    }
}

behind_pointer!(Adapter as DynAdapter {
    fetch(request: FetchRequest) -> RecordStream;
    publish(request: PublishRequest) -> Published;
});

/// What is to be fetched.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct FetchRequest {
    /// File or URL; the adapter's configured source when missing.
    pub source: Option<String>,
    /// Only records after this instant, itself excluded.
    pub since: Option<Timestamp>,
    /// Only records before this instant, itself excluded.
    pub until: Option<Timestamp>,
    /// Maximum number of entries.
    pub limit: Option<usize>,
    /// The last [`Record::Cursor`] of an earlier call, once everything that
    /// came before it was stored: the adapter goes on from there. Missing the
    /// first time, and when `since` or `until` is given.
    pub cursor: Option<String>,
    /// Of a source that is a folder, the files that are read, as paths from it
    /// with `/`; all that the adapter reads when empty. One that cannot be read
    /// is then a rejected record, and the others are read.
    pub files: Vec<String>,
    /// The time of records that have none, before any setting of the adapter.
    pub default_timestamp: Option<Timestamp>,
    /// The kind of records that have neither a time nor a kind.
    pub default_kind: Option<String>,
}

impl FetchRequest {
    /// Whether an instant lies between `since` and `until`, both excluded.
    pub fn wants(&self, instant: Timestamp) -> bool {
        self.since.is_none_or(|since| instant > since)
            && self.until.is_none_or(|until| instant < until)
    }
}

setters!(FetchRequest {
    with_source(source: impl Into<Option<String>>),
    with_since(since: impl Into<Option<Timestamp>>),
    with_until(until: impl Into<Option<Timestamp>>),
    with_limit(limit: impl Into<Option<usize>>),
    with_cursor(cursor: impl Into<Option<String>>),
    with_files(files: Vec<String>),
    with_default_timestamp(default_timestamp: impl Into<Option<Timestamp>>),
    with_default_kind(default_kind: impl Into<Option<String>>),
});

/// The records of a source.
#[non_exhaustive]
pub struct RecordStream {
    /// How many records there are, rejected ones included, where the source
    /// can tell; for the time that is left.
    pub total: Option<u64>,
    /// When the records are read to their end, every entry that the source has
    /// with a timestamp later than this instant, up to the call of
    /// [`fetch`](Adapter::fetch), was among them. The host takes stored entries
    /// of that span that did not come for deleted, where the configuration says
    /// `missing: delete`; of its first 26 hours those that are not older than
    /// the earliest entry that came, and of the last 26 hours before the run
    /// those that are not newer than the latest one. Missing where the source cannot tell: then
    /// one that is read from its beginning counts as complete.
    /// [`Timestamp::MAX`] says that it is not, so that nothing is deleted.
    pub complete_since: Option<Timestamp>,
    /// The records in the order of the source.
    pub records: BoxStream<'static, Result<Record>>,
}

impl RecordStream {
    /// The records of a source that cannot tell how many there are, nor since
    /// when they are complete.
    pub fn new(records: impl Stream<Item = Result<Record>> + Send + 'static) -> Self {
        Self {
            total: None,
            complete_since: None,
            records: records.boxed(),
        }
    }
}

setters!(RecordStream {
    with_total(total: impl Into<Option<u64>>),
    with_complete_since(complete_since: impl Into<Option<Timestamp>>),
});

/// One record of a source.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// An entry.
    Entry(Box<Entry>),
    /// Something that cannot become an entry.
    Rejected(RejectedRecord),
    /// The source no longer has the entry of this id; so does the store then.
    Deleted(String),
    /// How far the source was read: a text of the adapter's own, of at most
    /// [`MAX_CURSOR_BYTES`]. The host keeps the last one once it has stored
    /// everything that came before it, and gives it back as
    /// [`FetchRequest::cursor`]. What came after it comes again when a run is
    /// cut off, which changes nothing.
    Cursor(String),
}

/// Bytes of a [`Record::Cursor`] at most.
pub const MAX_CURSOR_BYTES: usize = 8 << 10;

/// A record that cannot become an entry. It is counted and kept with its
/// reason, so that nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RejectedRecord {
    /// Where in the source: `line 12`, `entry 3`.
    pub position: String,
    /// Its id, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_id: Option<String>,
    /// Why it cannot be used, and what would make it usable.
    pub reason: String,
    /// The record as it came.
    pub raw: String,
}

impl RejectedRecord {
    /// A record without an id.
    pub fn new(
        position: impl Into<String>,
        reason: impl Into<String>,
        raw: impl Into<String>,
    ) -> Self {
        Self {
            position: position.into(),
            entry_id: None,
            reason: reason.into(),
            raw: raw.into(),
        }
    }
}

setters!(RejectedRecord {
    with_entry_id(entry_id: impl Into<Option<String>>),
});
