//! Marks in texts what a search looked for, after the search.

use std::sync::Arc;

use gannet_api::Highlight;

use super::{Marks, highlights, text_analyser};

/// Makes the highlights of one text search.
///
/// A search gives its hits without highlights: most candidates are not shown.
/// Whoever shows an entry has its text and asks for the highlights then.
#[derive(Debug, Clone, Default)]
pub struct Highlighter(Arc<Marks>);

impl Highlighter {
    /// Of what a search looked for.
    pub fn new(marks: Marks) -> Self {
        Self(Arc::new(marks))
    }

    /// The best fragments of a text with the places that match the query, in
    /// the order of the text; none when nothing in it matches.
    pub fn highlight(&self, text: &str) -> Vec<Highlight> {
        highlights(text, &self.0, &mut text_analyser())
    }
}
