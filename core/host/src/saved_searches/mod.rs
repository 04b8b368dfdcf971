//! Saved searches: queries that new entries are matched against as they come.
//!
//! Those of the configuration and those of users are one set for each tenant,
//! indexed by their words ([`Percolator`](gannet_analysis::Percolator)) and by
//! their vectors. Entries are matched in the order in which they came into the
//! store, by one process, which keeps how far it is: each is matched once, also
//! after a crash. Its matches are one row in the store, under the number of its
//! coming; made again, it is the same row.

mod index;
mod matches;
mod matching;
mod rows;
mod saving;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub(crate) use index::SavedIndexes;
pub use matches::SearchMatch;
pub(crate) use saving::{ONLY_STOP_WORDS, OTHER_WORDS, has_only_stop_words};

use crate::config::MatchBy;

/// A search that new entries are matched against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedSearch {
    /// Its id: a name of the configuration, or one that was made for it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Who saved it; none for one of the configuration.
    pub owner: Option<String>,
    /// The query.
    pub query: String,
    /// Only entries with these values.
    pub filter: BTreeMap<String, String>,
    /// What an entry has in common with the query.
    pub by: MatchBy,
    /// The least cosine similarity of a match by meaning.
    pub min_similarity: f32,
    /// Where matches are delivered.
    pub deliver_to: Vec<String>,
    /// When it was saved.
    pub created_at: Option<Timestamp>,
}

/// A search that is to be saved.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSearch {
    /// Its name for people; the query or else the filter where it is blank.
    pub name: String,
    /// Who saves it.
    pub owner: String,
    /// The query.
    pub query: String,
    /// Only entries with these values.
    pub filter: BTreeMap<String, String>,
    /// What an entry has in common with the query.
    pub by: MatchBy,
    /// The least cosine similarity of a match by meaning.
    pub min_similarity: f32,
    /// Where matches are delivered.
    pub deliver_to: Vec<String>,
}
