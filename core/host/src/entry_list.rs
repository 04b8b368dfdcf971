//! Lists of entries by page number, over a store that lists by cursor.

use gannet_api::query::parse;
use gannet_api::{ATTACHMENT_TEXT, Entry, Filter, QuerySyntax};
use gannet_store::{Cursor, ListRequest, MatchRequest, Page};

use crate::{Gannet, HostError};

/// Entries that are read at once on the way to a page.
const STEP: usize = 500;

/// A page of entries that is wanted, by its number or after a cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryListInput {
    /// What an entry must be to be listed.
    pub filter: Filter,
    /// Entries before the page; without effect where there is a cursor.
    pub offset: usize,
    /// Maximum number of entries.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    /// Newest first, or oldest first.
    pub newest_first: bool,
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryList {
    /// The entries in order.
    pub entries: Vec<Entry>,
    /// How many entries pass the filter; with a filter as far as the text
    /// index has followed the records.
    pub total: u64,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Cursor>,
}

impl Gannet {
    /// A page of entries in the order of time. A page with a large offset
    /// costs as much as the entries before it; a cursor costs nothing.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read, or for a text
    /// that is not a cursor.
    pub async fn list(&self, tenant: &str, input: EntryListInput) -> Result<EntryList, HostError> {
        let total = self.count_entries(tenant, &input.filter).await?;
        let request = |limit, after| ListRequest {
            filter: input.filter.clone(),
            limit,
            after,
            newest_first: input.newest_first,
        };
        let (mut left, mut after) = match input.after {
            Some(cursor) => (0, Some(cursor)),
            None => (input.offset, None),
        };
        while left > 0 {
            let step = left.min(STEP);
            let passed = self.store().list(tenant, request(step, after)).await?;
            left -= step;
            after = passed.next;
            if after.is_none() {
                return Ok(EntryList {
                    entries: Vec::new(),
                    total,
                    next: None,
                });
            }
        }
        let Page { mut entries, next } = self
            .store()
            .list(tenant, request(input.limit, after))
            .await?;
        // They are long, and who wants them reads the entry.
        for entry in &mut entries {
            entry.metadata.shift_remove(ATTACHMENT_TEXT);
        }
        Ok(EntryList {
            entries,
            total,
            next,
        })
    }

    async fn count_entries(&self, tenant: &str, filter: &Filter) -> Result<u64, HostError> {
        if filter.is_empty() {
            return Ok(self.store().count(tenant).await?);
        }
        let options = self.services().query_options();
        let request = MatchRequest {
            query: parse("", QuerySyntax::Operators, &options),
            filter: filter.clone(),
            fuzzy: false,
            facets: Vec::new(),
            values: 0,
        };
        Ok(self.store().text_matches(tenant, request).await?.count)
    }
}
