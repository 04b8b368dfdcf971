//! Searches for words.
//!
//! Terms are made by the analysis of the embedded store and kept in a
//! `tsvector`. Its index finds the entries that a query wants; `ts_rank`
//! chooses candidates among them; these are judged by BM25, with the counts
//! of `gannet_terms`. So both stores find the same entries, in nearly the
//! same order.

mod candidates;
mod columns;
mod condition;
mod counting;
mod families;
mod idf;
mod matching;
mod score;
mod search;
mod spelling;
mod statistics;

pub(in crate::postgres) use columns::Analyst;
pub(in crate::postgres) use counting::Counting;
pub(in crate::postgres) use idf::idfs;
