//! Which column of a table is what, by its name and its values.

use std::collections::HashSet;

use gannet_plugin::ingest::time_name_rank;

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
const TIMES_OF_DAY: &[&str] = &["time", "zeit", "uhrzeit", "heure", "hour"];
/// Parts of the names of columns with dates and with times of day.
const DATE_PARTS: &[&str] = &["date", "datum", "fecha", "dag"];
const TIME_PARTS: &[&str] = &["time", "zeit", "uhr", "heure", "hora", "tijd"];
pub(crate) const AUTHORS: &[&str] = &[
    "author", "user", "operator", "owner", "name", "by", "who", "autor",
];
pub(crate) const TITLES: &[&str] = &[
    "title", "subject", "headline", "summary", "betreff", "titel",
];
pub(crate) const TEXTS: &[&str] = &[
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
pub(crate) const FILES: &[&str] = &["attachments", "attachment", "files", "file"];

/// What was found for the columns of a table.
pub(crate) struct Guess<'a> {
    beginning: &'a Beginning,
    used: HashSet<usize>,
}

impl<'a> Guess<'a> {
    /// Nothing yet.
    pub(crate) fn of(beginning: &'a Beginning) -> Self {
        Self {
            beginning,
            used: HashSet::new(),
        }
    }

    /// Columns that nothing was found for yet.
    pub(crate) fn left(&self) -> impl Iterator<Item = usize> {
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

    pub(crate) fn named(&mut self, names: &[&str]) -> Option<usize> {
        self.find(names, |_, _| true)
    }

    pub(crate) fn id(&mut self) -> Option<usize> {
        self.find(IDS, |beginning, column| {
            let ids: Vec<&str> = beginning.values(column).collect();
            let different: HashSet<&&str> = ids.iter().collect();
            different.len() == beginning.records.len()
        })
    }

    /// The column of times, or those of date and time of day, and how they are
    /// written.
    pub(crate) fn timestamp(&mut self) -> (Vec<usize>, Option<TimeFormat>) {
        let mut alone: Vec<usize> = self.left().collect();
        alone.sort_by_key(|column| {
            (
                self.time_rank(*column).unwrap_or(usize::MAX),
                !self.has_part(DATE_PARTS, *column),
                !self.is_time_of_day(*column),
            )
        });
        let times = alone.iter().filter(|column| self.is_time_of_day(**column));
        let times: Vec<usize> = times.copied().collect();
        let dates = alone.iter().filter(|column| {
            self.time_rank(**column).is_some() || self.has_part(DATE_PARTS, **column)
        });
        let pairs = dates.flat_map(|date| times.iter().map(|time| vec![*date, *time]));
        let pairs: Vec<Vec<usize>> = pairs.filter(|pair| pair[0] != pair[1]).collect();
        let candidates = pairs
            .into_iter()
            .chain(alone.into_iter().map(|column| vec![column]));
        for columns in candidates {
            // A time of day may be a number too, and so may a span of time.
            let may_be_numbers = columns.iter().any(|column| {
                self.time_rank(*column).is_some() && !self.is_called(TIMES_OF_DAY, *column)
            });
            if let Some(format) = format_of(self.beginning, &columns, may_be_numbers) {
                self.used.extend(&columns);
                return (columns, Some(format));
            }
        }
        (Vec::new(), None)
    }

    fn is_called(&self, names: &[&str], column: usize) -> bool {
        names.contains(&self.beginning.header[column].to_lowercase().as_str())
    }

    fn time_rank(&self, column: usize) -> Option<usize> {
        time_name_rank(&self.beginning.header[column])
    }

    fn has_part(&self, parts: &[&str], column: usize) -> bool {
        let name = self.beginning.header[column].to_lowercase();
        parts.iter().any(|part| name.contains(part))
    }

    /// Whether a column has times of day, by its name and its values.
    fn is_time_of_day(&self, column: usize) -> bool {
        let mut values = self.beginning.values(column);
        let is_short =
            |value: &str| value.len() <= 12 && value.starts_with(|c: char| c.is_ascii_digit());
        let has_name = self.is_called(TIMES_OF_DAY, column) || self.has_part(TIME_PARTS, column);
        has_name && values.clone().next().is_some() && values.all(is_short)
    }

    /// The column with the longest values.
    pub(crate) fn longest(&mut self) -> Option<usize> {
        let length = |column: &usize| self.beginning.values(*column).map(str::len).sum::<usize>();
        let found = self.left().max_by_key(length)?;
        self.used.insert(found);
        Some(found)
    }
}

/// Whether every value of a column is a time, and none a mere number. The
/// first one is looked at before the others.
pub(crate) fn is_column_of_times(beginning: &Beginning, column: usize) -> bool {
    let values = |most: usize| {
        let values = beginning.values(column).take(most);
        values.map(str::to_owned).collect::<Vec<_>>()
    };
    let are_times = |values: &[String]| {
        let format = TimeFormat::of(values, false);
        format.is_some_and(|format| format.misfits == 0)
    };
    are_times(&values(1)) && are_times(&values(usize::MAX))
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
