//! Text of entries as a terminal may show it.

use std::borrow::Cow;

/// The text with control characters and marks of direction shown as `�`: an
/// entry must not move the cursor, change the title of the window, hide what
/// it says or show it in another order. Line ends and tabs stay.
pub fn safe(text: &str) -> Cow<'_, str> {
    let is_allowed = |letter: char| letter == '\n' || letter == '\t';
    replaced(text, |letter| is_unsafe(letter) && !is_allowed(letter))
}

/// [`safe`] on one line: a name must not look like more than one.
pub fn safe_line(text: &str) -> Cow<'_, str> {
    replaced(text, is_unsafe)
}

fn replaced(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    match text.contains(&is_bad) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.replace(&is_bad, "\u{FFFD}")),
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
}
