//! The records of an adapter, all at once.

use futures::StreamExt;

use gannet_api::{Entry, Record, RecordStream, RejectedRecord, Result};

/// What an adapter gave, read to the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fetched {
    /// How many records the stream said that there are.
    pub total: Option<u64>,
    /// The entries in order.
    pub entries: Vec<Entry>,
    /// The rejected records in order.
    pub rejected: Vec<RejectedRecord>,
    /// The ids of entries that the source no longer has, in order.
    pub deleted: Vec<String>,
    /// The last cursor.
    pub cursor: Option<String>,
}

impl Fetched {
    /// Reads a stream to its end.
    ///
    /// # Errors
    /// The error that ended the stream.
    pub async fn collect(mut stream: RecordStream) -> Result<Self> {
        let mut fetched = Self {
            total: stream.total,
            ..Self::default()
        };
        while let Some(record) = stream.records.next().await {
            match record? {
                Record::Entry(entry) => fetched.entries.push(*entry),
                Record::Rejected(rejected) => fetched.rejected.push(rejected),
                Record::Deleted(id) => fetched.deleted.push(id),
                Record::Cursor(cursor) => fetched.cursor = Some(cursor),
            }
        }
        Ok(fetched)
    }

    /// The ids of the entries, in order.
    pub fn ids(&self) -> Vec<&str> {
        let ids = self.entries.iter().map(|entry| entry.entry_id.as_str());
        ids.collect()
    }
}
