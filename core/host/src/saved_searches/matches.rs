//! Matches as they are shown.

use gannet_api::{Entry, Highlight};
use jiff::Timestamp;
use serde::Serialize;

use super::index::SavedIndex;
use super::rows::{self, MatchedSearch};
use super::saving::is_seen;
use crate::{Gannet, HostError};

/// An entry that a saved search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchMatch {
    /// The number of the entry among all that came; it grows.
    pub number: i64,
    /// The id of the search.
    pub search: String,
    /// The name of the search.
    pub search_name: String,
    /// The entry.
    pub entry: Entry,
    /// Where the facility's logbook shows it, where that is configured.
    pub url: Option<String>,
    /// Whether it has the words of the query.
    pub keyword: bool,
    /// The cosine similarity of its best passage, where that made a match.
    pub similarity: Option<f32>,
    /// Fragments with the words of the query.
    pub highlights: Vec<Highlight>,
    /// When it was found.
    pub matched_at: Timestamp,
}

impl Gannet {
    /// Matches of the searches that a user sees, of entries that came after a
    /// number, in order: those of at most `limit` entries. Returns the number
    /// that they reach. Entries and searches that are gone are left out.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn search_matches(
        &self,
        (tenant, owner): (&str, Option<&str>),
        (after, limit): (i64, usize),
    ) -> Result<(Vec<SearchMatch>, i64), HostError> {
        let last = self.last_match(tenant).await?;
        if last <= after {
            return Ok((Vec::new(), after));
        }
        let places = self.match_places(tenant, last).await?;
        let rows = rows::matches(self.store(), tenant, &places, (after, limit)).await?;
        let reached = rows.last().map_or(after, |row| row.number);
        let indexes = self.saved_indexes().await?;
        let Some(index) = indexes.get(tenant) else {
            return Ok((Vec::new(), reached));
        };
        let mut matches = Vec::new();
        for row in rows {
            let Some(entry) = self.stored_entry(tenant, &row.entry_id).await? else {
                continue;
            };
            for matched in row.searches {
                let search = index.search(&matched.search);
                if search.is_some_and(|search| is_seen(search, owner)) {
                    let place = (row.number, row.at);
                    matches.extend(self.shown_match(index, &entry, place, matched));
                }
            }
        }
        Ok((matches, reached))
    }

    /// The number of the last entry of a tenant that any search found.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn last_match(&self, tenant: &str) -> Result<i64, HostError> {
        Ok(rows::last_match(self.store(), tenant).await?)
    }

    pub(super) fn shown_match(
        &self,
        index: &SavedIndex,
        entry: &Entry,
        (number, matched_at): (i64, Timestamp),
        matched: MatchedSearch,
    ) -> Option<SearchMatch> {
        let search = index.search(&matched.search)?;
        let highlighter = index.highlighter(&matched.search);
        Some(SearchMatch {
            number,
            search: search.id.clone(),
            search_name: search.name.clone(),
            highlights: highlighter.highlight(&entry.raw_text),
            url: self.entry_url(entry),
            entry: entry.clone(),
            keyword: matched.keyword,
            similarity: matched.similarity,
            matched_at,
        })
    }
}
