//! The records of an open file, in order.

use std::io::Read;
use std::path::PathBuf;

use csv::{ByteRecord, Reader};
use gannet_plugin::ingest::{self, RejectedRecord};
use gannet_plugin::prelude::{Error, Record, Result};
use gannet_sources::{Decoded, Kept};

use crate::columns::Columns;
use crate::quotes;

/// Bytes of a record that is too large that are shown.
const SHOWN: u64 = 1_000;

/// The text of a file, which is kept record by record.
pub(crate) type Text = Kept<Decoded<Box<dyn Read>>>;

/// The records of an open file, in order. One that is too large is rejected,
/// and the last: where it ends is not known.
pub(crate) struct Records {
    pub(crate) reader: Reader<Text>,
    pub(crate) columns: Columns,
    pub(crate) delimiter: u8,
    pub(crate) path: PathBuf,
    /// Whether a record was too large.
    pub(crate) is_broken: bool,
}

impl Iterator for Records {
    type Item = Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_broken {
            return None;
        }
        let mut record = ByteRecord::new();
        loop {
            match self.reader.read_byte_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) if self.reader.get_ref().is_full() => {
                    self.is_broken = true;
                    return Some(Ok(Record::Rejected(self.too_large(&record, &error))));
                }
                Err(error) => return Some(Err(self.unreadable(error))),
            }
            let end = self.reader.position().byte();
            let raw = self.reader.get_mut().take_up_to(end);
            // A row of empty cells is what a spreadsheet exports below its end.
            if record.iter().any(|field| !field.trim_ascii().is_empty()) {
                return Some(Ok(self.convert(&record, &raw)));
            }
        }
    }
}

impl Records {
    fn convert(&self, record: &ByteRecord, raw: &[u8]) -> Record {
        // Other records may be in it: without an id it stands for any of them.
        if let Some(fault) = quotes::fault(raw, self.delimiter) {
            return Record::Rejected(rejected(record, raw, fault.to_owned()));
        }
        match self.columns.entry(record) {
            Ok(entry) => Record::Entry(Box::new(entry)),
            Err(reason) => {
                let id = self.columns.id(record);
                Record::Rejected(rejected(record, raw, reason).with_entry_id(id))
            }
        }
    }

    fn too_large(&mut self, record: &ByteRecord, error: &csv::Error) -> RejectedRecord {
        let start = record.position().map_or(0, csv::Position::byte);
        let raw = self.reader.get_mut().take_up_to(start + SHOWN);
        let reason = format!("{error}; what follows it in the file is not read");
        rejected(record, &raw, reason)
    }

    fn unreadable(&self, error: csv::Error) -> Error {
        let line = self.reader.position().line();
        let error = ingest::unreadable(&self.path, &error.into());
        Error::invalid_input(format!("{error} (after line {line})"))
    }
}

fn rejected(record: &ByteRecord, raw: &[u8], reason: String) -> RejectedRecord {
    let text = String::from_utf8_lossy(raw.trim_ascii()).into_owned();
    RejectedRecord::new(position(record, raw), reason, text)
}

/// The line that the record starts on. The reader counts it from the end of
/// the record before, so blank lines between them are added.
fn position(record: &ByteRecord, raw: &[u8]) -> String {
    let before = record.position().map_or(0, csv::Position::line);
    let blank = raw.iter().take_while(|byte| byte.is_ascii_whitespace());
    let line = before + blank.filter(|&&byte| byte == b'\n').count() as u64;
    format!("line {line}")
}
