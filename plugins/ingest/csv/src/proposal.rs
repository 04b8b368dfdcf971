//! A column map that is read off a header and its first records.

use std::collections::HashSet;

use serde_json::Value;

use crate::beginning::Beginning;
use crate::time_format::TimeFormat;

/// What columns are called, in lower case, the likeliest first.
const IDS: &[&str] = &[
    "id",
    "entry_id",
    "nr",
    "no",
    "number",
    "lognumber",
    "key",
    "uid",
    "#",
];
const TIMES: &[&str] = &[
    "timestamp",
    "datetime",
    "date time",
    "created",
    "when",
    "date",
    "datum",
];
const TIMES_OF_DAY: &[&str] = &["time", "zeit", "uhrzeit", "heure", "hour"];
const AUTHORS: &[&str] = &[
    "author", "user", "operator", "owner", "name", "by", "who", "autor",
];
const TITLES: &[&str] = &[
    "title", "subject", "headline", "summary", "betreff", "titel",
];
const TEXTS: &[&str] = &[
    "text",
    "message",
    "body",
    "description",
    "details",
    "content",
    "comment",
    "entry",
    "note",
];
const FILES: &[&str] = &["attachments", "attachment", "files", "file"];

/// Settings that fit the file, as YAML under the name of the adapter; what is
/// not certain stands there as a comment.
pub(crate) fn propose(beginning: &Beginning, instance: &str) -> String {
    let mut guess = Guess {
        beginning,
        used: HashSet::new(),
    };
    let id = guess.id();
    let (times, format) = guess.timestamp();
    let author = guess.named(AUTHORS);
    let title = guess.named(TITLES);
    let attachments = guess.named(FILES);
    let text = guess.named(TEXTS).or_else(|| guess.longest());

    let name = |column: usize| quoted(&beginning.header[column]);
    let names = |columns: &[usize]| {
        let names: Vec<String> = columns.iter().map(|column| name(*column)).collect();
        format!("[{}]", names.join(", "))
    };
    let mut lines = vec![format!(
        "ingestion:\n  adapters:\n    {instance}:\n      settings:"
    )];
    if id.is_none() {
        lines.push("id_from_content: true # no column has another value in each record".to_owned());
    }
    if times.is_empty() {
        lines.push("# no column has times; name one in `timestamp`".to_owned());
    }
    lines.extend(format.into_iter().flat_map(time_lines));
    lines.push("columns:".to_owned());
    let one = |key: &str, column: Option<usize>| Some(format!("  {key}: {}", name(column?)));
    lines.extend(one("id", id));
    lines.push(format!("  timestamp: {}", names(&times)));
    lines.extend(one("author", author));
    lines.extend(one("title", title));
    lines.push(format!("  text: {}", names(text.as_slice())));
    lines.extend(one("attachments", attachments));
    let rest: Vec<usize> = guess.left().collect();
    lines.push(format!("  metadata: {}", names(&rest)));
    lines.join("\n        ") + "\n"
}

/// A text as YAML, which a JSON string is too.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

struct Guess<'a> {
    beginning: &'a Beginning,
    used: HashSet<usize>,
}

impl Guess<'_> {
    /// Columns that nothing was found for yet.
    fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.beginning.header.len()).filter(|column| !self.used.contains(column))
    }

    /// The first of the left columns that fits, the likeliest name first.
    fn find(&mut self, names: &[&str], fits: impl Fn(&Beginning, usize) -> bool) -> Option<usize> {
        let header = &self.beginning.header;
        let is_called = |column: &usize, name: &str| header[*column].to_lowercase() == name;
        let mut by_name = names.iter().filter_map(|name| {
            let mut columns = self.left().filter(|column| is_called(column, name));
            columns.find(|column| fits(self.beginning, *column))
        });
        let found = by_name.next()?;
        self.used.insert(found);
        Some(found)
    }

    fn named(&mut self, names: &[&str]) -> Option<usize> {
        self.find(names, |_, _| true)
    }

    fn id(&mut self) -> Option<usize> {
        self.find(IDS, |beginning, column| {
            let ids: Vec<&str> = beginning.values(column).collect();
            let different: HashSet<&&str> = ids.iter().collect();
            different.len() == beginning.records.len()
        })
    }

    /// The column of times, or those of date and time of day, and how they are
    /// written.
    fn timestamp(&mut self) -> (Vec<usize>, Option<TimeFormat>) {
        let header = self.beginning.header.len();
        let called = |names: &[&str], column: usize| {
            names.contains(&self.beginning.header[column].to_lowercase().as_str())
        };
        let date = (0..header).find(|column| called(TIMES, *column));
        let time = (0..header).find(|column| called(TIMES_OF_DAY, *column));
        let both = date.zip(time).map(|(date, time)| vec![date, time]);
        let mut alone: Vec<usize> = self.left().collect();
        alone.sort_by_key(|column| (!called(TIMES, *column), !called(TIMES_OF_DAY, *column)));
        let candidates = both
            .into_iter()
            .chain(alone.into_iter().map(|column| vec![column]));
        for columns in candidates {
            let may_be_numbers = columns.iter().any(|column| called(TIMES, *column));
            if let Some(format) = format_of(self.beginning, &columns, may_be_numbers) {
                self.used.extend(&columns);
                return (columns, Some(format));
            }
        }
        (Vec::new(), None)
    }

    /// The column with the longest values.
    fn longest(&mut self) -> Option<usize> {
        let length = |column: &usize| self.beginning.values(*column).map(str::len).sum::<usize>();
        let found = self.left().max_by_key(length)?;
        self.used.insert(found);
        Some(found)
    }
}

/// How the times of these columns are written; `None` where they are none.
fn format_of(beginning: &Beginning, columns: &[usize], may_be_numbers: bool) -> Option<TimeFormat> {
    let values = beginning.records.iter().map(|record| {
        let parts = columns.iter().filter_map(|column| record.get(*column));
        parts.map(str::trim).collect::<Vec<_>>().join(" ")
    });
    let values: Vec<String> = values.filter(|value| !value.trim().is_empty()).collect();
    TimeFormat::of(&values, may_be_numbers)
}

/// The setting, and what is not certain about it.
fn time_lines(format: TimeFormat) -> Vec<String> {
    let mut lines = Vec::new();
    let setting = |directives: String| format!("time_format: {}", quoted(&directives));
    lines.extend(format.directives.map(setting));
    if let Some(other) = format.other_order {
        lines.push("# day and month may stand the other way round, both fit; if so:".to_owned());
        lines.push(format!("# {}", setting(other)));
    }
    if format.misfits > 0 {
        lines.push(format!(
            "# times of another kind, whose records are rejected: {} of the first ones",
            format.misfits
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn proposed(text: &str) -> String {
        propose(&Beginning::of(text.as_bytes(), None), "csv")
    }

    /// The lines under `settings`.
    fn settings(text: &str) -> Vec<String> {
        let yaml = proposed(text);
        yaml.lines()
            .skip(4)
            .map(|line| line.trim().to_owned())
            .collect()
    }

    #[test]
    fn the_proposal_is_yaml_for_the_configuration() {
        let yaml = proposed(
            "Nr;Datum;Zeit;Autor;Betreff;Text;Schicht\n7;05.01.2024;08:30;Lee;RF;Reset;Früh\n",
        );
        let expected = "\
ingestion:
  adapters:
    csv:
      settings:
        time_format: \"%d.%m.%Y %H:%M\"
        columns:
          id: \"Nr\"
          timestamp: [\"Datum\", \"Zeit\"]
          author: \"Autor\"
          title: \"Betreff\"
          text: [\"Text\"]
          metadata: [\"Schicht\"]
";
        assert_eq!(yaml, expected);
    }

    #[test]
    fn columns_are_found_by_their_values_where_names_tell_nothing() {
        let text = "When it was,What it was,Who\n2024-01-05T08:30Z,Reset of the klystron,Lee\n\
                    2024-01-06T08:30Z,Quiet,Lee\n";
        assert_eq!(
            settings(text),
            [
                "id_from_content: true # no column has another value in each record",
                "columns:",
                "timestamp: [\"When it was\"]",
                "author: \"Who\"",
                "text: [\"What it was\"]",
                "metadata: []",
            ]
        );
    }

    #[test]
    fn formats_of_times_are_found_and_numbers_are_times_by_name_only() {
        for (time, line) in [
            ("05.01.2024 08:30:15", "time_format: \"%d.%m.%Y %H:%M:%S\""),
            ("25/01/2024 08:30", "time_format: \"%d/%m/%Y %H:%M\""),
            ("01/25/2024 08:30 PM", "time_format: \"%m/%d/%Y %I:%M %p\""),
            ("25-Jan-2024", "time_format: \"%d-%b-%Y\""),
            ("1704412800", "columns:"),
            ("2024-01-05 08:30", "columns:"),
        ] {
            let lines = settings(&format!("id,timestamp,x,text\n1,{time},5,abc\n"));
            assert_eq!(lines[0], line, "{time}");
        }
        let none = settings("id,x,text\n1,5,abc\n");
        assert_eq!(none[0], "# no column has times; name one in `timestamp`");
    }

    #[test]
    fn an_ambiguous_order_of_day_and_month_and_bad_times_are_said() {
        let lines = settings("id,date,text\n1,03/04/2026,a\n2,04/05/2026,b\n3,soon,c\n");
        assert_eq!(
            lines[..5],
            [
                "time_format: \"%d/%m/%Y\"",
                "# day and month may stand the other way round, both fit; if so:",
                "# time_format: \"%m/%d/%Y\"",
                "# times of another kind, whose records are rejected: 1 of the first ones",
                "columns:",
            ]
        );
        let certain = settings("id,date,text\n1,25/04/2026,a\n2,04/05/2026,b\n");
        assert_eq!(certain[..2], ["time_format: \"%d/%m/%Y\"", "columns:"]);
    }
}
