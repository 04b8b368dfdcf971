//! The few styles that are used; `NO_COLOR` and pipes turn them off.

use anstyle::{AnsiColor, Style};

/// A heading.
pub const HEADING: Style = Style::new().bold();
/// Something that leads on: an id, a name.
pub const ACCENT: Style = AnsiColor::Cyan.on_default().bold();
/// Something that can be skipped.
pub const DIM: Style = Style::new().dimmed();
/// A word that matched.
pub const MARK: Style = AnsiColor::Yellow.on_default().bold();
/// Something that is as it should be.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Something to look at.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Something that failed.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
