//! Text of entries as a terminal may show it.

use std::borrow::Cow;

/// The text with control characters and marks of direction shown as `�`: an
/// entry must not move the cursor, change the title of the window, hide what
/// it says or show it in another order. Line ends, those of Windows and `\r` alone
/// included, and tabs stay.
pub fn safe(text: &str) -> Cow<'_, str> {
    let is_allowed = |letter: char| letter == '\n' || letter == '\t';
    replaced(text, |letter| is_unsafe(letter) && !is_allowed(letter))
}

/// [`safe`] on one line: a name must not look like more than one.
pub fn safe_line(text: &str) -> Cow<'_, str> {
    replaced(text, is_unsafe)
}

fn replaced(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    let text = with_line_feeds(text);
    match text.contains(&is_bad) {
        false => text,
        true => Cow::Owned(text.replace(&is_bad, "\u{FFFD}")),
    }
}

/// The text with `\n` for each line end. Entries are stored with the
/// line ends of their source: exports and hashes stay as they are, and an entry
/// that is ingested again is unchanged.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}

fn is_unsafe(letter: char) -> bool {
    let is_invisible = matches!(
        letter,
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
    );
    letter.is_control() || is_invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_sent() {
        assert_eq!(safe("a\u{1b}[2Jb\u{7}"), "a\u{FFFD}[2Jb\u{FFFD}");
        assert_eq!(safe("a\u{202e}b\u{200b}"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(safe_line("two\nlines"), "two\u{FFFD}lines");
        assert_eq!(safe("two\nlines\tand a tab"), "two\nlines\tand a tab");
    }

    #[test]
    fn a_line_end_of_windows_is_a_line_end_and_so_is_a_return_alone() {
        assert_eq!(safe("one\r\ntwo\r\n"), "one\ntwo\n");
        assert_eq!(safe("one\rtwo"), "one\ntwo");
        assert_eq!(safe_line("two\r\nlines"), "two\u{FFFD}lines");
    }
}
