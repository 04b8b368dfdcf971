//! The styles of the output, and whether they are used.

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};

use crate::arguments::Color;

/// A heading, and the words of an answer that answer.
pub const HEADING: Style = Style::new().bold();
/// An id or a name that other commands take.
pub const ACCENT: Style = AnsiColor::Cyan.on_default().bold();
/// Secondary information.
pub const DIM: Style = Style::new().dimmed();
/// A word that matched.
pub const MARK: Style = AnsiColor::Yellow.on_default().bold();
/// Success.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A warning.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// A failure.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Sets whether all output is colored. Without a choice, `NO_COLOR` and the
/// kind of each stream decide.
pub fn choose_color(color: Color) {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
    .write_global();
}
