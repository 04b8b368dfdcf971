//! Where the value of a `KEY=VALUE` stands: in an address, in a list of
//! headers, or in the words of a connection to a database.

use std::ops::Range;

/// The value behind a `=`: what is in its quotation marks, also with blanks,
/// or one word, with the word behind the name of a scheme. A quotation mark
/// that nothing closes goes to the end of the line.
pub(super) fn parameter_behind(line: &str, from: usize) -> Range<usize> {
    let from = line.len() - line[from..].trim_start_matches(' ').len();
    if let Some(mark) = opening_mark(&line[from..]) {
        let start = from + mark.len();
        return start..start + length_until(&line[start..], closing(mark));
    }
    let end = end_of_word(line, from);
    let is_scheme = ["bearer", "basic"]
        .iter()
        .any(|scheme| line[from..end].eq_ignore_ascii_case(scheme));
    let has_more = is_scheme && line[end..].starts_with(' ');
    from..if has_more {
        end_of_word(line, end + 1)
    } else {
        end
    }
}

/// The quotation mark with which a value begins, as it is written within
/// quotation marks of YAML too.
fn opening_mark(value: &str) -> Option<&'static str> {
    let marks = ["\\\"", "''", "\"", "'", "{"];
    marks.into_iter().find(|mark| {
        let text = value.strip_prefix(mark);
        // Two marks may be a value without a text.
        text.is_some_and(|text| *mark != "''" || !text.starts_with([' ', '&', '\'', '"']))
            && value != *mark
    })
}

fn closing(mark: &str) -> &str {
    match mark {
        "{" => "}",
        same => same,
    }
}

/// Up to this mark, unless a `\` is before it.
fn length_until(text: &str, mark: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            _ if text[at..].starts_with(mark) => return at,
            '\\' => is_escaped = true,
            _ => {}
        }
    }
    text.len()
}

/// The end of a word. A blank behind a `\` belongs to it.
fn end_of_word(line: &str, from: usize) -> usize {
    let ends = line[from..].match_indices(['&', ' ']);
    let mut ends = ends.map(|(at, _)| from + at);
    ends.find(|at| !line[from..*at].ends_with('\\'))
        .unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn value(line: &str) -> &str {
        let from = line.find('=').unwrap() + 1;
        &line[parameter_behind(line, from)]
    }

    #[test]
    fn a_value_in_quotation_marks_goes_to_the_mark_that_closes_it() {
        for (line, expected) in [
            ("password='a b' dbname=x", "a b"),
            ("password = 'a b' dbname=x", "a b"),
            (r"password='a\'b c' dbname=x", r"a\'b c"),
            ("password=''a b'' dbname=x'", "a b"),
            (r#"password=\"a b\" dbname=x"#, "a b"),
            (r#"password="a b";database=x"#, "a b"),
            ("Pwd={a b};Database=x", "a b"),
            ("password='a b", "a b"),
            ("password='' dbname=x", ""),
            ("password=''", ""),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
    }

    #[test]
    fn a_value_without_quotation_marks_is_one_word() {
        for (line, expected) in [
            ("password=ab dbname=x", "ab"),
            (r"password=a\ b dbname=x", r"a\ b"),
            ("token=ab&limit=5", "ab"),
            ("authorization=Bearer ab more", "Bearer ab"),
            ("token=", ""),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
    }
}
