//! Counts of the entries that a text query matches.

use gannet_api::query::ParsedQuery;
use gannet_api::{Filter, FilterField, Matched, fold};

/// Longer values, in bytes, are compared by their beginning.
const LONGEST_FOLDED: usize = 60_000;

/// A text query whose matches are counted.
#[derive(Debug, Clone)]
pub struct MatchRequest {
    /// The query as it was read.
    pub query: ParsedQuery,
    /// What an entry must be to be counted at all.
    pub filter: Filter,
    /// Whether a word that is in no entry is replaced by its nearest ones.
    pub fuzzy: bool,
    /// Fields whose values are counted over the matching entries.
    pub facets: Vec<FilterField>,
    /// How many values of each field at most, the most frequent first.
    pub values: usize,
}

/// How many entries match a text query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchCounts {
    /// The entries that match.
    pub count: u64,
    /// `All`: entries that match the whole query. `Some`: there are none, and
    /// the entries with some of its words were counted.
    pub matched: Matched,
    /// The values of each field in the order asked, each with the number of
    /// matching entries that have it, the most frequent first. Members of lists
    /// count one by one, and values that differ in their case only as one, spelt
    /// as one of the entries does: a filter takes them as the same.
    pub facets: Vec<Vec<(String, u64)>>,
}

/// What a text index finds for a [`MatchRequest`].
#[derive(Debug, Default)]
pub struct Matching {
    /// How many entries match.
    pub count: u64,
    /// Their rows in the records, where values are to be read there.
    pub rows: Vec<i64>,
    /// Whether they match the whole query.
    pub matched: Matched,
    /// The most frequent values of each field that was asked for; `None` where
    /// the records have them sooner.
    pub values: Vec<Option<Vec<FoldedValue>>>,
}

/// A value that entries have, as filters compare it.
#[derive(Debug)]
pub struct FoldedValue {
    /// The value, see [`folded_value`].
    pub folded: String,
    /// How many of the entries have it.
    pub count: u64,
    /// The row in the records of one of them, which spells it.
    pub row: i64,
}

/// A value without its case, and cut where it is very long: how indexes compare
/// values.
pub fn folded_value(value: &str) -> String {
    let mut text = fold(value);
    if text.len() > LONGEST_FOLDED {
        text.truncate(text.floor_char_boundary(LONGEST_FOLDED));
    }
    text
}

impl MatchRequest {
    /// The request's filter with that of the query.
    pub fn whole_filter(&self) -> Filter {
        let mut filter = self.filter.clone();
        let of_query = self.query.filter.clauses.iter();
        filter.clauses.extend(of_query.cloned());
        filter
    }

    /// Nothing matches.
    pub fn nothing(&self) -> MatchCounts {
        MatchCounts {
            count: 0,
            matched: Matched::All,
            facets: vec![Vec::new(); self.facets.len()],
        }
    }
}
