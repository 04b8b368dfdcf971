//! Queries of the engine, put together.

use tantivy::query::{AllQuery, BooleanQuery, ConstScoreQuery, Occur, Query};

pub(super) type AnyQuery = Box<dyn Query>;
pub(super) type Clauses = Vec<(Occur, AnyQuery)>;

/// What one word or phrase became.
pub(super) struct Wanted {
    /// Decides whether a document matches.
    pub(super) must: AnyQuery,
    /// Adds to the score only: the weighted fields.
    pub(super) extras: Vec<AnyQuery>,
    /// Stands for it where any word will do.
    pub(super) parts: Vec<AnyQuery>,
}

/// A part of a row of words.
pub(super) enum Soft {
    Word(Wanted),
    Tree(AnyQuery),
}

impl Soft {
    /// As something that must hold.
    pub(super) fn strict(self) -> Clauses {
        match self {
            Self::Tree(query) => vec![(Occur::Must, query)],
            Self::Word(wanted) => {
                let mut clauses = vec![(Occur::Must, wanted.must)];
                clauses.extend(should(wanted.extras));
                clauses
            }
        }
    }

    /// As one of several, the pieces of a joined word one by one.
    pub(super) fn loose(self) -> Vec<AnyQuery> {
        match self {
            Self::Tree(query) => vec![query],
            Self::Word(wanted) => wanted.parts,
        }
    }

    /// As one of several, a joined word as a whole.
    pub(super) fn alternatives(self) -> Vec<AnyQuery> {
        match self {
            Self::Tree(query) => vec![query],
            Self::Word(wanted) => {
                let mut queries = vec![wanted.must];
                queries.extend(wanted.extras);
                queries
            }
        }
    }
}

pub(super) fn should(queries: Vec<AnyQuery>) -> impl Iterator<Item = (Occur, AnyQuery)> {
    queries.into_iter().map(|query| (Occur::Should, query))
}

/// One clause alone is itself: unions of plain terms are what the engine
/// prunes best.
pub(super) fn boolean(mut clauses: Clauses) -> AnyQuery {
    if clauses.len() == 1 && clauses[0].0 != Occur::MustNot {
        return clauses.remove(0).1;
    }
    Box::new(BooleanQuery::new(clauses))
}

pub(super) fn everything() -> AnyQuery {
    Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0))
}
