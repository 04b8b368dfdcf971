//! Breaks lines between words, at the width of the terminal.

use terminal_size::{Width, terminal_size};
use textwrap::{Options, WordSplitter};

/// The width when there is no terminal to ask.
const WIDTH: usize = 100;
/// Longer lines are hard to read.
const WIDEST: usize = 120;

/// A paragraph with each line indented; colours count as nothing.
pub fn wrapped(text: &str, first_indent: &str, indent: &str) -> String {
    let options = Options::new(width())
        .initial_indent(first_indent)
        .subsequent_indent(indent)
        .break_words(false)
        // An id with a hyphen stays in one piece.
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}

/// Columns of a line of text.
pub fn width() -> usize {
    let width = terminal_size().map_or(WIDTH, |(Width(columns), _)| usize::from(columns));
    width.clamp(40, WIDEST)
}
