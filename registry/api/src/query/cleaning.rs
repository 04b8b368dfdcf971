//! What is done to the whole text before it is read.

use super::notes::Notes;

/// The text with control characters as blanks (no store can hold a NUL in
/// text) and curly double quotes as straight ones (they come with pasted text).
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            quote if is_double_quote(quote) => '"',
            control if control.is_control() => ' ',
            other => other,
        })
        .collect()
}

/// Whether a character is read as `"`.
pub(super) fn is_double_quote(character: char) -> bool {
    matches!(character, '"' | '“' | '”' | '„' | '‟')
}

/// The text with an even number of `"`: the last one of an odd number goes.
pub(super) fn balance_quotes(mut text: String, notes: &mut Notes) -> String {
    if text.matches('"').count().is_multiple_of(2) {
        return text;
    }
    if let Some(last) = text.rfind('"') {
        text.remove(last);
        notes.info(
            "quotes",
            "the last `\"` is unbalanced and ignored: a phrase needs two",
        );
    }
    text
}

/// The first `max_chars` characters of a text.
pub(super) fn cut<'a>(text: &'a str, max_chars: usize, notes: &mut Notes) -> &'a str {
    let Some((end, _)) = text.char_indices().nth(max_chars) else {
        return text;
    };
    notes.info(
        "length",
        format!(
            "the query has {} characters; it was truncated to {max_chars}",
            text.chars().count()
        ),
    );
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balanced(text: &str) -> String {
        balance_quotes(text.to_owned(), &mut Notes::default())
    }

    #[test]
    fn the_last_quote_of_an_odd_number_goes() {
        assert_eq!(balanced("\"beam loss"), "beam loss");
        assert_eq!(balanced("\"one\" two\""), "\"one\" two");
        assert_eq!(balanced("\"one\""), "\"one\"");
    }

    #[test]
    fn a_long_text_is_cut_between_characters_with_a_note() {
        let mut notes = Notes::default();
        assert_eq!(cut("ééé", 2, &mut notes), "éé");
        assert_eq!(notes.into_diagnostics().len(), 1);
        let mut notes = Notes::default();
        assert_eq!(cut("éé", 2, &mut notes), "éé");
        assert!(notes.into_diagnostics().is_empty());
    }

    #[test]
    fn control_characters_become_blanks_and_curly_quotes_straight() {
        assert_eq!(clean("“beam\0loss”"), "\"beam loss\"");
    }
}
