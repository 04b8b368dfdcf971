//! What a query text means: the tree of words and the hard filter.

use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};

use crate::{Diagnostic, Filter, FilterClause};

/// What a query text was read as.
///
/// Its [`Display`](std::fmt::Display) form is a query text again that reads as
/// the same thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ParsedQuery {
    /// What the text of an entry must hold. `None` when there are no words:
    /// the entries that pass the filter are listed.
    pub root: Option<Node>,
    /// The field filters of the top level: all must hold, none is ever relaxed.
    pub filter: Filter,
    /// What was read in another way than it was written. Their source is
    /// `query`.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the text was read in plain mode: any word counts. A text that
    /// is not query-like is, whatever was asked for.
    pub plain: bool,
}

impl ParsedQuery {
    /// Whether nothing is asked for: no word and no filter.
    pub fn is_empty(&self) -> bool {
        self.root.is_none() && self.filter.is_empty()
    }
}

/// One part of a query.
///
/// Lists in it are never empty. Depth is bounded: parentheses nest at most
/// [`MAX_NESTING`](super::MAX_NESTING) deep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    /// A word as typed, without the punctuation of a sentence at its end. The
    /// store's analyser folds, stems and splits it.
    Word(String),
    /// Words that stand side by side in this order.
    Phrase(String),
    /// The beginning of a word or name, without the `*`.
    Prefix(String),
    /// A name with `*` (any characters that are no white space, or none) and
    /// `?` (one such character).
    Glob(String),
    /// A regular expression in the syntax of the `regex` crate, without the
    /// slashes. It compiles.
    Regex(String),
    /// A field filter inside OR, NOT or a group of an OR.
    Field(FilterClause),
    /// Parts side by side: all are wanted, and entries with some of them may
    /// follow when there are too few with all. A [`Node::Not`] or
    /// [`Node::Field`] in it is hard all the same.
    All(Vec<Node>),
    /// Parts joined by an explicit AND: all must hold.
    And(Vec<Node>),
    /// Parts of which one must hold.
    Or(Vec<Node>),
    /// What must not hold.
    Not(Box<Node>),
}

/// What a query is read with.
#[derive(Debug, Clone)]
pub struct QueryOptions {
    /// The facility's time zone: dates are days of it.
    pub timezone: TimeZone,
    /// The present, for `today`, `yesterday`, `7d` and `24h`.
    pub now: Timestamp,
    /// How many characters are read at most; the rest is cut.
    pub max_chars: usize,
}

impl Default for QueryOptions {
    /// UTC, the clock's time, and 1000 characters.
    fn default() -> Self {
        Self {
            timezone: TimeZone::UTC,
            now: Timestamp::now(),
            max_chars: 1000,
        }
    }
}
