//! Text of entries as a terminal may show it.

use std::borrow::Cow;

/// The text with control characters shown as `�`: an entry must not move the
/// cursor, change the title of the window or hide what it says. Line ends and
/// tabs stay.
pub fn safe(text: &str) -> Cow<'_, str> {
    let is_unsafe = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    match text.contains(is_unsafe) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.replace(is_unsafe, "\u{FFFD}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_sent() {
        assert_eq!(safe("a\u{1b}[2Jb\u{7}"), "a\u{FFFD}[2Jb\u{FFFD}");
        assert_eq!(safe("two\nlines\tand a tab"), "two\nlines\tand a tab");
    }
}
