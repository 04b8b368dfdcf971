//! The counts of an answer about a set of entries.

use gannet_core::SearchResult;
use serde::Deserialize;
use textwrap::core::display_width;

use super::safe::{safe, safe_line};

/// A set that was counted, as the details of a result have it.
#[derive(Deserialize)]
pub struct Counts {
    /// `count`, `list`, `first`, `last` or `rate`.
    pub operation: String,
    /// How many entries it has.
    pub count: u64,
    /// Whether conditions decide its members; they are probable ones otherwise.
    pub is_exact: bool,
    /// What they are counted by, with the counts.
    pub rows: Vec<CountRow>,
}

/// A month, a year or a value.
#[derive(Deserialize)]
pub struct CountRow {
    /// It.
    pub value: String,
    /// Its entries.
    pub count: u64,
}

impl Counts {
    /// The set that a question asked of, if it did.
    pub fn of(result: &SearchResult) -> Option<Self> {
        let set = result.pipeline_details.as_ref()?.get("set")?;
        Self::deserialize(set).ok()
    }
}

/// The lines of an answer that name the rows, as a table: `- 2010: 3` is
/// `2010  3`. `None` for other lines.
pub struct CountLines<'a> {
    rows: &'a [CountRow],
    /// Columns of the longest value that the answer names.
    values: usize,
    /// Columns of the longest count.
    counts: usize,
}

impl<'a> CountLines<'a> {
    /// Those of an answer.
    pub fn of(answer: &str, rows: &'a [CountRow]) -> Self {
        let mut lines = Self {
            rows,
            values: 0,
            counts: 0,
        };
        for line in answer.lines() {
            if let Some((value, count)) = lines.read(line) {
                lines.values = lines.values.max(display_width(&safe_line(value)));
                lines.counts = lines.counts.max(display_width(&safe(count)));
            }
        }
        lines
    }

    /// A line of the answer in columns.
    pub fn aligned(&self, line: &str) -> Option<String> {
        let (value, count) = self.read(line)?;
        let (value, count) = (safe_line(value), safe(count));
        let gap = " ".repeat(self.values - display_width(&value));
        let lead = " ".repeat(self.counts - display_width(&count));
        Some(format!("    {value}{gap}  {lead}{count}"))
    }

    fn read<'t>(&self, line: &'t str) -> Option<(&'t str, &'t str)> {
        let line = line.strip_prefix("- ")?;
        let mut rows = self.rows.iter();
        let count = |row: &CountRow| line.strip_prefix(row.value.as_str())?.strip_prefix(": ");
        let count = rows.find_map(count)?;
        Some((&line[..line.len() - count.len() - 2], count))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn row(value: &str, count: u64) -> CountRow {
        CountRow {
            value: value.to_owned(),
            count,
        }
    }

    #[test]
    fn the_rows_of_an_answer_are_in_columns_and_entries_are_not() {
        let rows = [row("Ölaf", 12), row("Anna: night", 3), row("On", 1)];
        let answer = "15 entries, by author:\n- Ölaf: 12\n- Anna: night: 3\nEntries:\n- On \
                      2024-01-01 (Ölaf): Pump. [#1]";
        let lines = CountLines::of(answer, &rows);
        let table: Vec<Option<String>> = answer.lines().map(|line| lines.aligned(line)).collect();
        let cell = |text: &str| Some(text.to_owned());
        assert_eq!(
            table,
            [
                None,
                cell("    Ölaf         12"),
                cell("    Anna: night   3"),
                None,
                None
            ]
        );
    }
}
