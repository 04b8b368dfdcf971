//! Reads a shift log from a CSV file, as spreadsheets and old shift books
//! export it.
//!
//! ```text
//! id;time;author;title;text;shift
//! 17;05.01.2024 08:30;Lee;RF trip;"Reflected power; reset at 08:40.";Day
//! ```
//!
//! The first line names the columns. Five of them make the entry, by the names
//! in `columns`; every other one goes into the metadata under its own name
//! (`shift: Day`), where filters find it. Times without an offset are the
//! facility's; `time_format` reads those that are written in another order.
//!
//! Nothing is lost: a record that cannot become an entry is rejected with its
//! line, the reason and the text as it came. The file is read record by
//! record, so it may be of any size.
//!
//! ```yaml
//! ingestion:
//!   adapters:
//!     shift_csv:
//!       enabled: true
//!       settings:
//!         delimiter: ";"
//!         time_format: "%d.%m.%Y %H:%M"
//!         columns: { id: Nr, time: Zeit, author: Name, title: Betreff, text: Text }
//! ```
//!
//! ```
//! use gannet_plugin::testing::{FakeHost, Fetched};
//! use gannet_plugin::prelude::{Adapter, FetchRequest, Setup};
//! use gannet_shift_csv::{Settings, ShiftCsv};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("shift.csv");
//! let file = "id,time,author,text,shift\n\
//!             17,2024-01-05T08:30,Lee,\"RF tripped, reset\",Day\n\
//!             18,soon,Lee,Quiet,Day\n";
//! std::fs::write(&path, file).unwrap();
//! let settings = Settings { source_url: Some(path.display().to_string()), ..Settings::default() };
//! let adapter = ShiftCsv::new(settings, &Setup::default()).unwrap();
//!
//! let context = FakeHost::default().context();
//! let fetched = pollster::block_on(async {
//!     Fetched::collect(adapter.fetch(FetchRequest::default(), &context).await?).await
//! })
//! .unwrap();
//!
//! assert_eq!(fetched.ids(), ["17"]);
//! assert_eq!(fetched.entries[0].metadata["shift"], "Day");
//! assert_eq!(fetched.rejected[0].position, "line 3");
//! assert_eq!(fetched.rejected[0].raw, "18,soon,Lee,Quiet,Day");
//! ```

mod columns;
mod examples;
mod settings;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::{Path, PathBuf};

use csv::{ByteRecord, Reader, ReaderBuilder};
use gannet_plugin::ingest::{self, Opened, RecordStream, RejectedRecord};
use gannet_plugin::prelude::*;
use gannet_sources::Kept;
use jiff::tz::TimeZone;

use columns::Columns;
pub use settings::{ColumnNames, Settings};

gannet_plugin::export_plugin! {
    adapters: [ShiftCsv],
}

/// Reads shift logs in CSV.
#[derive(Clone)]
pub struct ShiftCsv {
    settings: Settings,
    delimiter: u8,
    zone: TimeZone,
    instance: String,
}

impl Adapter for ShiftCsv {
    const NAME: &'static str = "shift_csv";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "Shift log in CSV",
            "Reads a shift log from a CSV file: one record an entry, columns by their names.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            delimiter: settings.delimiter_byte()?,
            zone: setup.zone()?,
            instance: setup.instance.clone(),
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let path = ingest::source_path(&request, self.settings.source_url.as_deref())?;
        let (adapter, context) = (self.clone(), context.clone());
        // A file blocks: it is read on a thread of its own.
        ingest::from_blocking(request, move || {
            let records = adapter.open(path, &context)?;
            Ok(Opened {
                total: None,
                records,
            })
        })
        .await
    }
}

impl ShiftCsv {
    /// Reads the header of a file.
    fn open(&self, path: PathBuf, context: &Context) -> Result<Records> {
        let file = ingest::open(&path)?;
        let mut reader = ReaderBuilder::new()
            .delimiter(self.delimiter)
            .flexible(true)
            .from_reader(Kept::new(file, self.settings.max_record_bytes));
        let header = reader
            .byte_headers()
            .map_err(|error| unreadable(&path, error))?
            .clone();
        let end_of_header = reader.position().byte();
        reader.get_mut().take_up_to(end_of_header);
        let columns = Columns::new(
            &header,
            self.settings.clone(),
            &context.call.tenant,
            self.zone.clone(),
        )?;
        for column in columns.missing() {
            let message = format!("the file has no column `{column}`; it is empty in all entries");
            context.diagnose(Diagnostic::info(&self.instance, message));
        }
        Ok(Records {
            reader,
            columns,
            path,
        })
    }
}

/// The records of an open file, in order.
struct Records {
    reader: Reader<Kept<File>>,
    columns: Columns,
    path: PathBuf,
}

impl Iterator for Records {
    type Item = Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = ByteRecord::new();
        loop {
            let line = self.reader.position().line();
            match self.reader.read_byte_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(at_line(line, unreadable(&self.path, error)))),
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
        match self.columns.entry(record) {
            Ok(entry) => Record::Entry(Box::new(entry)),
            Err(reason) => Record::Rejected(
                RejectedRecord::new(
                    position(record, raw),
                    reason,
                    String::from_utf8_lossy(raw.trim_ascii()).into_owned(),
                )
                .with_entry_id(self.columns.id(record)),
            ),
        }
    }
}

/// The line that the record starts on. The reader counts it from the end of
/// the record before, so blank lines between them are added.
fn position(record: &ByteRecord, raw: &[u8]) -> String {
    let before = record.position().map_or(0, csv::Position::line);
    let blank = raw.iter().take_while(|byte| byte.is_ascii_whitespace());
    let line = before + blank.filter(|&&byte| byte == b'\n').count() as u64;
    format!("line {line}")
}

fn unreadable(path: &Path, error: csv::Error) -> Error {
    ingest::unreadable(path, &std::io::Error::from(error))
}

fn at_line(line: u64, error: Error) -> Error {
    Error::invalid_input(format!("{error} (after line {line})"))
}
