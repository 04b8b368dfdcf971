//! What a text index is asked.

use gannet_api::Filter;
use gannet_api::query::ParsedQuery;

/// A search of the text index.
#[derive(Debug, Clone)]
pub struct TextRequest {
    /// The query as it was read.
    pub query: ParsedQuery,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// How many hits at most.
    pub limit: usize,
    /// Whether a word that is in no entry is replaced by its nearest ones.
    pub fuzzy: bool,
}
