//! The words of a question with their places.

use std::ops::Range;

use gannet_api::fold;

/// Characters that join the letters and digits on both sides to one word:
/// `2025-11-26`, `11/26/25`, `SR01C:BPM1`, `yesterday's`.
const JOINERS: &[char] = &[
    '-', '–', '_', '.', ':', '/', '\'', '’', '{', '}', '^', '+', '\\', '#', '@', '%', '*',
];

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'t> {
    /// Where it stands in the text, in bytes.
    pub(super) span: Range<usize>,
    /// The word as typed.
    pub(super) text: &'t str,
    /// The word in lower case, without an English genitive.
    pub(super) folded: String,
    /// Whether a sentence, a clause or a line ends after it.
    pub(super) ends_clause: bool,
}

/// The words of a text in order. `splits` says which beginnings before a
/// hyphen are words of their own: `mid-March`.
pub(super) fn words_of<'t>(text: &'t str, splits: impl Fn(&str) -> bool) -> Vec<Word<'t>> {
    let mut words = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(char::is_alphanumeric).map(|at| rest + at) {
        let end = end_of_word(text, start);
        rest = end;
        let ends_clause = ends_clause(&text[end..]);
        let whole = &text[start..end];
        let hyphen = whole.find('-').filter(|at| splits(&fold(&whole[..*at])));
        match hyphen {
            Some(at) => {
                words.push(word(text, start..start + at, false));
                words.push(word(text, start + at + 1..end, ends_clause));
            }
            None => words.push(word(text, start..end, ends_clause)),
        }
    }
    words
}

fn word(text: &str, span: Range<usize>, ends_clause: bool) -> Word<'_> {
    let written = &text[span.clone()];
    let mut folded = fold(written);
    for genitive in ["'s", "’s"] {
        if let Some(length) = folded.strip_suffix(genitive).map(str::len) {
            folded.truncate(length);
        }
    }
    Word {
        span,
        text: written,
        folded,
        ends_clause,
    }
}

fn end_of_word(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut characters = text[start..].char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek();
        let joins =
            JOINERS.contains(&character) && next.is_some_and(|(_, next)| next.is_alphanumeric());
        if !character.is_alphanumeric() && !joins {
            break;
        }
        end = start + at + character.len_utf8();
    }
    end
}

/// Whether what follows a word separates it from the next one. The full stop
/// of an abbreviation ("Oct. 2018") cannot be told from that of a sentence, so
/// that it does not count.
fn ends_clause(rest: &str) -> bool {
    let between = rest.split(char::is_alphanumeric).next().unwrap_or(rest);
    between.contains(['?', '!', ';', ':', '\n', '(', ')', ',']) || between.contains(" - ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let words = words_of(text, |start| start == "mid");
        words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn dates_and_names_are_one_word() {
        assert_eq!(
            texts("on 26.11.2025, SR01C:BPM1 (RF-2) at 11/26/25."),
            ["on", "26.11.2025", "SR01C:BPM1", "RF-2", "at", "11/26/25"]
        );
        assert_eq!(texts("mid-March, week-long"), ["mid", "March", "week-long"]);
        assert_eq!(texts(" ?! "), Vec::<&str>::new());
    }

    #[test]
    fn a_word_is_compared_in_lower_case_without_its_genitive() {
        let words = words_of("Yesterday's ÉTÉ", |_| false);
        let folded: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
        assert_eq!(folded, ["yesterday", "été"]);
    }
}
