//! The token vectors of entries, as the records have them.

use std::sync::Arc;

/// The token vectors of one passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageTokens {
    /// Where the passage begins in the text of its entry, in bytes.
    pub start: usize,
    /// Signs and places.
    pub record: Vec<u8>,
}

/// The token vectors of the passages of one entry; none where it has no token
/// vectors.
pub type EntryTokens = Arc<[PassageTokens]>;

/// The token vectors of entries by one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenRecords {
    /// How many dimensions the model has; 0 for one that the store does not
    /// know.
    pub dimension: usize,
    /// Those of each entry, in the order asked.
    pub entries: Vec<EntryTokens>,
}

/// The place of an entry among those asked, where a passage of it begins, and
/// the record of the passage.
pub(crate) type TokenRow = (i64, i64, Vec<u8>);

impl TokenRecords {
    /// Of so many entries without token vectors, by a model that is not known.
    pub(crate) fn unknown(entries: usize) -> Self {
        Self::read(0, entries, Vec::new())
    }

    /// What rows of the records say of so many entries.
    pub(crate) fn read(
        dimension: impl TryInto<usize>,
        entries: usize,
        rows: Vec<TokenRow>,
    ) -> Self {
        let mut of_entries = vec![Vec::new(); entries];
        for (entry, start, record) in rows {
            let place = usize::try_from(entry).ok();
            let passages = place.and_then(|place| of_entries.get_mut(place));
            if let (Some(passages), Ok(start)) = (passages, usize::try_from(start)) {
                passages.push(PassageTokens { start, record });
            }
        }
        Self {
            dimension: dimension.try_into().unwrap_or(usize::MAX),
            entries: of_entries.into_iter().map(Arc::from).collect(),
        }
    }
}
