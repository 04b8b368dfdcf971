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
    let line = span.split_whitespace().collect::<Vec<_>>().join(" ");
    if !is_row(&line) {
        return line.replace("<br/>", " ").replace("<br>", " ");
    }
    let before = text.get(..range.start).unwrap_or_default();
    let Some(header) = header(before) else {
        return line;
    };
    let named = cells(header)
        .zip(cells(&line))
        .filter(|(_, value)| !value.is_empty());
    let named = named.map(|(name, value)| match name {
        "" => value.to_owned(),
        name => format!("{name}: {value}"),
    });
    named.collect::<Vec<_>>().join("; ")
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
    fn a_sentence_is_quoted_on_one_line() {
        assert_eq!(quoted("It  was\n reset. Then", &(0..15)), "It was reset.");
    }
}
