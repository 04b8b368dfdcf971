//! The text index: a projection of the records, in tantivy.

mod compile;
mod contents;
mod directory;
mod docs;
mod document;
mod expand;
mod facets;
#[cfg(test)]
pub(crate) mod faults;
mod filter;
mod idf;
mod index;
mod matching;
mod recovery;
mod schema;
mod search;
mod segment_files;
mod spelling;
mod statistics;
mod top;
#[cfg(test)]
mod traversal_tests;
mod values;
mod verified;
mod writer;

pub(crate) use contents::{BrokenSegment, Contents, Depth, contents};
pub(crate) use document::folded_value;
pub(crate) use facets::FoldedValue;
pub(crate) use index::{Position, TextIndex};
pub(crate) use recovery::{recover, verify_new_files};
pub(crate) use writer::TextWriter;
