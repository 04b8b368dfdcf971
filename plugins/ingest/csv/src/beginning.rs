//! The beginning of a file: its delimiter, its header and first records.

use std::io::Read;

use csv::{ReaderBuilder, StringRecord};

use crate::guess::is_column_of_times;

/// What may stand between two fields, the most usual first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Records that are looked at.
const RECORDS: usize = 50;

/// The first records of a table.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub(crate) delimiter: u8,
    /// The names of the columns: those of the first line, or numbers where it
    /// is a record.
    pub(crate) header: Vec<String>,
    /// Whether the first line has the names of the columns.
    pub(crate) has_header: bool,
    pub(crate) records: Vec<StringRecord>,
}

impl Beginning {
    /// Reads a beginning. Without a `delimiter` it is the one with which the
    /// most records have as many fields as the header, and the header several.
    pub(crate) fn of(text: impl Read + Clone, delimiter: Option<u8>) -> Self {
        let candidates = delimiter.map_or(DELIMITERS.to_vec(), |one| vec![one]);
        let read = |delimiter| Self::with(text.clone(), delimiter);
        let best = candidates
            .into_iter()
            .rev()
            .map(read)
            .max_by_key(Self::score);
        // There is at least one candidate.
        let best = best.unwrap_or_else(|| read(DELIMITERS[0]));
        best.with_first_record()
    }

    fn with(text: impl Read, delimiter: u8) -> Self {
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(text);
        let mut records = reader.byte_records().map_while(Result::ok).map(|record| {
            let fields = record.iter().map(String::from_utf8_lossy);
            fields.collect::<StringRecord>()
        });
        let header = records.next().map(|header| column_names(&header));
        Self {
            delimiter,
            header: header.unwrap_or_default(),
            has_header: true,
            records: records.take(RECORDS).collect(),
        }
    }

    /// Takes the first line for a record where it has what all records have:
    /// times in a column of times, or a whole number in the first column. Of a
    /// line alone a time tells it, and a number does not.
    fn with_first_record(mut self) -> Self {
        if self.header.len() < 2 {
            return self;
        }
        let is_alone = self.records.is_empty();
        self.records
            .insert(0, StringRecord::from(self.header.clone()));
        let is_number = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
        let has_times = (0..self.header.len()).any(|column| is_column_of_times(&self, column));
        if has_times || (!is_alone && self.values(0).all(is_number)) {
            let numbers = 1..=self.header.len();
            self.header = numbers.map(|number| format!("column_{number}")).collect();
            self.has_header = false;
        } else {
            self.records.remove(0);
        }
        self
    }

    fn score(&self) -> (bool, usize, usize) {
        let columns = self.header.len();
        let regular = self.records.iter().filter(|record| record.len() == columns);
        (columns > 1, regular.count(), columns)
    }

    /// The values of a column that are not empty.
    pub(crate) fn values(&self, column: usize) -> impl Iterator<Item = &str> + Clone {
        let values = self
            .records
            .iter()
            .filter_map(move |record| record.get(column));
        values.map(str::trim).filter(|value| !value.is_empty())
    }
}

/// The names in a header; one without a name is called by its number.
pub(crate) fn column_names(header: &StringRecord) -> Vec<String> {
    let named = (1..).zip(header).map(|(number, name)| match name.trim() {
        "" => format!("column_{number}"),
        name => name.to_owned(),
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn the_delimiter_is_the_one_that_makes_a_table() {
        for (text, delimiter, columns) in [
            ("id,text\n1,\"a; b; c\"\n2,d; e\n", b',', 2),
            ("id;text\n1;a, b, c\n2;d\n", b';', 2),
            ("id\ttext\tby\n1\ta, b\tx\n", b'\t', 3),
            ("id|text\n", b'|', 2),
            ("text\nalone\n", b',', 1),
            ("", b',', 0),
        ] {
            let beginning = Beginning::of(text.as_bytes(), None);
            assert_eq!(beginning.delimiter, delimiter, "{text:?}");
            assert_eq!(beginning.header.len(), columns, "{text:?}");
        }
        assert_eq!(
            Beginning::of(&b"a;b,c"[..], Some(b',')).header,
            ["a;b", "c"]
        );
    }

    #[test]
    fn a_first_line_with_values_of_the_same_kinds_as_the_others_is_a_record() {
        for (text, has_header) in [
            ("2024-01-05 08:30,RF trip\n2024-01-06,Reset\n", false),
            ("Lee;05.01.2024 08:30;RF\nKim;06.01.2024 09:00;x\n", false),
            ("1,RF trip\n2,Reset\n", false),
            ("2024-01-05 08:30,RF trip\n", false),
            ("Lee;05.01.2024 08:30;RF\n", false),
            ("1,RF trip\n", true),
            ("Nr;Datum;Text\n", true),
            ("id,text\n1,RF trip\n", true),
            ("date,text\n2024-01-05,RF trip\n", true),
            ("Device,2023,2024\nTP-3,5,6\n", true),
            ("Device,2024-01-05,2024-01-06\nTP-3,5,6\n", true),
            ("2024-01-05\n2024-01-06\n", true),
        ] {
            let beginning = Beginning::of(text.as_bytes(), None);
            assert_eq!(beginning.has_header, has_header, "{text:?}");
            let records = text.lines().count() - usize::from(has_header);
            assert_eq!(beginning.records.len(), records, "{text:?}");
            let numbered = beginning.header[0] == "column_1";
            assert_eq!(numbered, !has_header, "{text:?}");
        }
    }
}
