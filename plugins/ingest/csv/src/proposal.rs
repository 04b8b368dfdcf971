//! A column map that is read off a header and its first records.

use serde_json::Value;

use crate::beginning::Beginning;
use crate::guess::{AUTHORS, FILES, Guess, TEXTS, TITLES};
use crate::settings::{ColumnMap, Settings, USUAL_ID};
use crate::time_format::TimeFormat;

/// The time of records in a table that has none.
const UNDATED: &str = "1970-01-01T00:00:00Z";

/// Settings that fit a table, with comments on what is not certain.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The settings.
    pub settings: Settings,
    /// The same as lines of YAML, with comments.
    lines: Vec<String>,
}

impl Proposal {
    pub(crate) fn of(beginning: &Beginning) -> Self {
        let mut guess = Guess::of(beginning);
        let id = guess.id();
        let (times, format) = guess.timestamp();
        let author = guess.named(AUTHORS);
        let title = guess.named(TITLES);
        let attachments = guess.named(FILES);
        let text = guess.named(TEXTS).or_else(|| guess.longest());
        let rest: Vec<usize> = guess.left().collect();

        let name = |column: usize| beginning.header[column].clone();
        // A column of the usual name would be read as ids, and records with the
        // same one would replace each other.
        let is_misleading = beginning.header.iter().any(|name| name == USUAL_ID);
        let no_column = || is_misleading.then(String::new);
        let names = |columns: &[usize]| columns.iter().map(|column| name(*column)).collect();
        let directives = format.as_ref().and_then(|format| format.directives.clone());
        let mut settings = Settings {
            id_from_content: id.is_none(),
            time_format: directives,
            columns: ColumnMap {
                id: id.map(name).or_else(no_column),
                timestamp: names(&times),
                author: author.map(name),
                title: title.map(name),
                text: names(text.as_slice()),
                attachments: attachments.map(name),
                metadata: Some(names(&rest)),
            },
            ..Settings::default()
        };
        if times.is_empty() {
            settings.default_timestamp = Some(UNDATED.to_owned());
            settings.kind = "document".to_owned();
        }
        let mut lines = lines(&settings, format);
        if !beginning.has_header {
            let note = "# its first line is a record: columns are named by their numbers";
            lines.insert(0, note.to_owned());
        }
        Self { lines, settings }
    }

    /// The settings as YAML of the configuration, under the name of an adapter.
    pub fn yaml(&self, instance: &str) -> String {
        let lines = self.lines_under(instance, None);
        let indent = "    ";
        let lines = lines.iter().map(|line| format!("{indent}{line}\n"));
        format!("ingestion:\n  adapters:\n{}", lines.collect::<String>())
    }

    /// The lines below `ingestion.adapters`; `plugin` is that of an adapter of
    /// another name, which gets a source system of its own.
    pub fn lines_under(&self, instance: &str, plugin: Option<&str>) -> Vec<String> {
        let mut lines = vec![format!("{instance}:")];
        lines.extend(plugin.map(|plugin| format!("  plugin: {plugin}")));
        lines.push("  settings:".to_owned());
        lines.extend(plugin.map(|_| format!("    source_system: {}", quoted(instance))));
        lines.extend(self.lines.iter().map(|line| format!("    {line}")));
        lines
    }
}

/// Settings as YAML; what is not certain stands there as a comment.
fn lines(settings: &Settings, format: Option<TimeFormat>) -> Vec<String> {
    let columns = &settings.columns;
    let list = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        format!("[{}]", names.join(", "))
    };
    let mut lines = Vec::new();
    if settings.id_from_content {
        lines.push("id_from_content: true # no column has another value in each record".to_owned());
    }
    if let Some(time) = &settings.default_timestamp {
        lines.push(
            "# no column has times; name one in `timestamp`, or take undated documents:".to_owned(),
        );
        lines.push(format!("default_timestamp: {}", quoted(time)));
        lines.push(format!("kind: {}", settings.kind));
    }
    lines.extend(format.into_iter().flat_map(time_lines));
    lines.push("columns:".to_owned());
    let one = |key: &str, column: &Option<String>| {
        let column = column.as_deref()?;
        Some(format!("  {key}: {}", quoted(column)))
    };
    lines.extend(one("id", &columns.id));
    if !columns.timestamp.is_empty() {
        lines.push(format!("  timestamp: {}", list(&columns.timestamp)));
    }
    lines.extend(one("author", &columns.author));
    lines.extend(one("title", &columns.title));
    lines.push(format!("  text: {}", list(&columns.text)));
    lines.extend(one("attachments", &columns.attachments));
    let metadata = columns.metadata.as_deref().unwrap_or_default();
    lines.push(format!("  metadata: {}", list(metadata)));
    lines
}

/// A text as YAML, which a JSON string is too.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
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
        Proposal::of(&Beginning::of(text.as_bytes(), None)).yaml("csv")
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
    fn a_column_called_id_whose_values_repeat_is_no_column_of_ids() {
        let text = "id,date,remark\n1,2024-01-05,pump\n2,2024-01-06,valve\n2,2024-01-07,leak\n";
        let lines = settings(text);
        assert!(lines[0].starts_with("id_from_content: true"));
        assert!(lines.contains(&"id: \"\"".to_owned()), "{lines:?}");
        assert!(
            lines.contains(&"metadata: [\"id\"]".to_owned()),
            "{lines:?}"
        );
    }

    #[test]
    fn a_column_of_dates_and_one_of_times_are_joined() {
        for (header, row) in [
            ("Nr;Datum;Uhrzeit;Text", "1;05.01.2024;6:15;x"),
            ("Nr;Datum;Uhrzeit;Text", "1;05.01.24;06:15 Uhr;x"),
            ("Nr;Uhrzeit;Datum;Text", "1;0615;2024-01-05;x"),
            (
                "Nr;Datum der Schicht;Uhrzeit Beginn;Text",
                "1;05.01.2024;6.15;x",
            ),
            ("No;Log date;Log time;Text", "1;2024-01-05;06:15:00;x"),
        ] {
            let beginning = Beginning::of(format!("{header}\n{row}\n").as_bytes(), None);
            let settings = Proposal::of(&beginning).settings;
            let columns = settings.columns.timestamp;
            assert_eq!(columns.len(), 2, "{header}: {row}: {columns:?}");
            assert!(columns[0].to_lowercase().contains("dat"), "{columns:?}");
        }
        let alone = settings("id,date,time spent,text\n1,2024-01-05,long,abc\n");
        assert!(
            alone.contains(&"timestamp: [\"date\"]".to_owned()),
            "{alone:?}"
        );
    }

    #[test]
    fn a_column_of_times_is_found_by_any_of_the_usual_names() {
        for name in [
            "ts",
            "When",
            "logged_at",
            "date time",
            "createdAt",
            "Zeitpunkt",
        ] {
            let lines = settings(&format!("id,{name},text\n1,1704412800,abc\n"));
            let named = format!("timestamp: [\"{name}\"]");
            assert!(lines.contains(&named), "{name}: {lines:?}");
        }
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
        assert_eq!(none[1], "default_timestamp: \"1970-01-01T00:00:00Z\"");
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
