//! Breaks lines between words, at the width of the terminal.

use terminal_size::{Width, terminal_size_of};
use textwrap::{Options, WordSplitter};

/// The width when there is no terminal to ask.
const WIDTH: u16 = 100;
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
    usize::from(columns()).clamp(40, WIDEST)
}

/// Columns of the terminal: those of `COLUMNS`, or else of the terminal of
/// standard output, or else 100.
pub fn columns() -> u16 {
    let variable = std::env::var("COLUMNS").ok();
    let chosen = variable.and_then(|columns| columns.parse().ok());
    let measured = || terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| columns);
    chosen
        .filter(|columns| *columns > 0)
        .or_else(measured)
        .unwrap_or(WIDTH)
}
