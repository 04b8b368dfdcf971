//! What an index takes over from the records.

use gannet_api::Entry;

/// An entry with what only the records know of it.
#[derive(Debug, Clone)]
pub struct EntryRow {
    /// Its row in the records, which no other entry ever has.
    pub doc: i64,
    /// Its first change.
    pub created_seq: i64,
    /// The entry.
    pub entry: Entry,
}

/// Changes of entries since a number, in order.
#[derive(Debug)]
pub struct TextChanges {
    /// Entries as they are now.
    pub changed: Vec<EntryRow>,
    /// Rows of entries that are gone.
    pub deleted: Vec<i64>,
    /// The number that is reached when these are applied.
    pub reached: i64,
    /// The mark of that change: a random number by which an index tells these
    /// records from others.
    pub mark: Option<i64>,
    /// Whether more is waiting.
    pub more: bool,
    /// About so many bytes are in the texts of the entries.
    pub bytes: usize,
}

/// Entries that were read together.
#[derive(Debug)]
pub struct RowBatch {
    /// The entries; those that are gone are left out.
    pub rows: Vec<EntryRow>,
    /// How many rows were asked for.
    pub asked: usize,
    /// About so many bytes are in their texts.
    pub bytes: usize,
}
