//! The notes that reading a query leaves.

use crate::Diagnostic;

const SOURCE: &str = "query";

/// No more notes than this; what comes after is counted only.
const MOST_NOTES: usize = 20;

/// Longest piece of the query that a note quotes, in characters.
const LONGEST_QUOTE: usize = 60;

/// Collects diagnostics, each once and not too many.
#[derive(Debug, Default)]
pub(super) struct Notes {
    kept: Vec<Diagnostic>,
    left_out: usize,
}

impl Notes {
    /// Notes that something was read in another way than it was written.
    pub(super) fn info(&mut self, category: &str, message: impl Into<String>) {
        self.add(Diagnostic::info(SOURCE, message).category(category));
    }

    /// Notes that something was very likely not meant as it was read.
    pub(super) fn warning(&mut self, category: &str, message: impl Into<String>) {
        self.add(Diagnostic::warning(SOURCE, message).category(category));
    }

    /// Adds notes that were made elsewhere.
    pub(super) fn extend(&mut self, notes: impl IntoIterator<Item = Diagnostic>) {
        notes.into_iter().for_each(|note| self.add(note));
    }

    /// All notes, in order.
    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!(
                "{} more diagnostics of this kind are not shown",
                self.left_out
            );
            self.kept.push(Diagnostic::info(SOURCE, message));
        }
        self.kept
    }

    fn add(&mut self, note: Diagnostic) {
        if self.kept.contains(&note) {
            return;
        }
        if self.kept.len() == MOST_NOTES {
            self.left_out += 1;
            return;
        }
        self.kept.push(note);
    }
}

/// A piece of the query as a note shows it: shortened when it is long.
pub(super) fn quoted(piece: &str) -> String {
    match piece.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("`{}…`", &piece[..end]),
        None => format!("`{piece}`"),
    }
}
