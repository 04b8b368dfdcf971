//! The text index: a projection of the records, in tantivy.

mod analyse;
mod clauses;
mod compile;
mod docs;
mod document;
mod expand;
mod filter;
mod highlight;
mod index;
mod schema;
mod search;
mod top;
mod words;
mod writer;

pub(crate) use highlight::highlights;
pub(crate) use index::{Position, TextIndex};
pub(crate) use search::TextHits;
pub(crate) use writer::TextWriter;

/// The analyser of running text, for marking what matched in it.
pub(crate) fn marking_analyser() -> tantivy::tokenizer::TextAnalyzer {
    analyse::text_analyser()
}
