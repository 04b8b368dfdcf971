//! The text index: a projection of the records, in tantivy.

mod compile;
mod docs;
mod document;
mod expand;
mod filter;
mod index;
mod schema;
mod search;
mod spelling;
mod top;
mod writer;

pub(crate) use index::{Position, TextIndex};
pub(crate) use search::TextHits;
pub(crate) use writer::TextWriter;
