//! A span of a text as it is quoted.

use std::ops::Range;

use super::sentences::is_row;

/// A span on one line. A row of a table is quoted with the names of its
/// columns, where the table has them: alone it tells nobody what its numbers
/// are.
///
/// ```
/// let text = "| pump | current |\n|---|---|\n| P2 | 9.8 A |";
/// let row = text.rfind('|').unwrap() + 1 - "| P2 | 9.8 A |".len()..text.len();
/// assert_eq!(gannet_stages::quoted(text, &row), "pump: P2; current: 9.8 A");
/// ```
pub fn quoted(text: &str, range: &Range<usize>) -> String {
    let span = text.get(range.clone()).unwrap_or_default();
    let line = on_one_line(span);
    if !is_row(&line) || span.contains('\n') {
        return line;
    }
    let before = text.get(..range.start).unwrap_or_default();
    let Some(header) = header(before) else {
        return line;
    };
    let names = cells(header).chain(std::iter::repeat(""));
    let named = names
        .zip(cells(&line))
        .filter(|(_, value)| !value.is_empty());
    let named = named.map(|(name, value)| match name {
        "" => value.to_owned(),
        name => format!("{name}: {value}"),
    });
    named.collect::<Vec<_>>().join("; ")
}

/// A text with one blank for blanks and line breaks, also those of HTML.
pub(super) fn on_one_line(text: &str) -> String {
    let (mut rest, mut words) = (text, Vec::new());
    while let Some(at) = html_break(rest) {
        words.extend(rest[..at.start].split_whitespace());
        rest = &rest[at.end..];
    }
    words.extend(rest.split_whitespace());
    words.join(" ")
}

/// The first line break of HTML in a text: `<br>`, `<br/>`, `<BR />`.
pub(super) fn html_break(text: &str) -> Option<Range<usize>> {
    let mut tags = text.match_indices('<');
    tags.find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let name = rest.get(..2)?;
        let blanks = [' ', '\t'];
        let end = rest.get(2..)?.trim_start_matches(blanks);
        let end = end.strip_prefix('/').unwrap_or(end);
        let end = end.trim_start_matches(blanks).strip_prefix('>')?;
        let is_break = name.eq_ignore_ascii_case("br");
        is_break.then(|| at..text.len() - end.len())
    })
}

/// The first row of the table whose rows end a text, where it is followed by a
/// rule or holds no digit: else it is a row like the others.
fn header(before: &str) -> Option<&str> {
    let rows = before
        .lines()
        .rev()
        .map(str::trim)
        .take_while(|line| is_row(line));
    let rows: Vec<&str> = rows.collect();
    let first = *rows.last()?;
    let is_rule = |row: &str| row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    let has_rule = rows.len() > 1 && is_rule(rows[rows.len() - 2]);
    let is_header = has_rule || !first.contains(|c: char| c.is_ascii_digit());
    (is_header && !is_rule(first)).then_some(first)
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    let inner = row.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_line(text: &str) -> String {
        let start = text.rfind('\n').map_or(0, |at| at + 1);
        quoted(text, &(start..text.len()))
    }

    #[test]
    fn a_row_is_quoted_with_the_names_of_its_columns() {
        let table = "Pumps\n| pump | current | |\n|:--|--|--|\n| P1 | 9 A | ok |\n| P2 | | high |";
        assert_eq!(last_line(table), "pump: P2; high");
        assert_eq!(
            last_line("| pump | state |\n| P2 | off |"),
            "pump: P2; state: off"
        );
    }

    #[test]
    fn a_row_without_names_is_quoted_as_it_is() {
        assert_eq!(last_line("| P1 | 9 A |\n| P2 | 8 A |"), "| P2 | 8 A |");
    }

    #[test]
    fn a_cell_beyond_the_named_columns_is_quoted_too() {
        assert_eq!(last_line("| pump |\n|---|\n| | 9 A |"), "9 A");
    }

    #[test]
    fn a_line_break_within_a_cell_is_a_blank() {
        let table = "| pump | state |\n|---|---|\n| P2 | off,<br />cold |";
        assert_eq!(last_line(table), "pump: P2; state: off, cold");
    }

    #[test]
    fn a_sentence_is_quoted_on_one_line() {
        assert_eq!(quoted("It  was\n reset. Then", &(0..15)), "It was reset.");
        let text = "It <br/> was<BR>reset, a <broken one";
        let line = "It was reset, a <broken one";
        assert_eq!(quoted(text, &(0..text.len())), line);
    }
}
