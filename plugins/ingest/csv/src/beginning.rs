//! The beginning of a file: its delimiter, its header and first records.

use std::io::Read;

use csv::{ReaderBuilder, StringRecord};

/// What may stand between two fields, the most usual first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Records that are looked at.
const RECORDS: usize = 50;

/// The first records of a table.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub(crate) delimiter: u8,
    pub(crate) header: Vec<String>,
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
        best.unwrap_or_else(|| read(DELIMITERS[0]))
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
            records: records.take(RECORDS).collect(),
        }
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
}
