//! Ingestion adapter for tables in CSV, as spreadsheets and databases export
//! them: one record an entry.
//!
//! ```text
//! Nr;Datum;Zeit;Name;Betreff;Text;Schicht
//! 17;05.01.2024;08:30;Lee;RF trip;"Reflected power; reset at 08:40.";Früh
//! ```
//!
//! The first line names the columns, and `columns` says which is what. A file
//! whose columns are called as in the `jsonl` format (`id`, `timestamp`,
//! `title`, `text`, `author`, `attachments`) needs no map. For any other file
//! without a map, the error proposes one that fits its header and its first
//! records, ready for the configuration:
//!
//! ```yaml
//! ingestion:
//!   adapters:
//!     csv:
//!       settings:
//!         time_format: "%d.%m.%Y %H:%M"
//!         columns:
//!           id: "Nr"
//!           timestamp: ["Datum", "Zeit"]
//!           author: "Name"
//!           title: "Betreff"
//!           text: ["Text"]
//!           metadata: ["Schicht"]
//! ```
//!
//! Delimiter (`,`, `;`, tab, `|`) and encoding (UTF-8, UTF-16, Windows-1252
//! with Latin-1) are found in the file. It is read record by record, so it may
//! be of any size; a folder is read file by file, and `-` is standard input.
//!
//! A record without an id, a valid time or any text is rejected with its line
//! and the reason, and so is one with a quotation mark that has no partner. `id_from_content` accepts tables without ids.
//!
//! ```
//! use gannet_csv::Csv;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(Csv::descriptor().name, "csv");
//! ```

mod beginning;
mod columns;
mod examples;
mod proposal;
mod quotes;
mod records;
mod settings;
mod time_format;

use std::io::Read;
use std::path::Path;

use csv::ReaderBuilder;
use gannet_plugin::ingest::{self, Opened, RecordStream};
use gannet_plugin::prelude::{Adapter, Context, Descriptor, Error, FetchRequest, Result, Setup};
use gannet_sources::{Decoded, Kept, TextEncoding};
use jiff::tz::TimeZone;

use beginning::Beginning;
use columns::Columns;
use records::{Records, Text};
pub use settings::{ColumnMap, Settings};

/// Bytes of a file that its encoding and delimiter are found by.
const BEGINNING: usize = 64 << 10;

gannet_plugin::export_plugin! {
    adapters: [Csv],
}

/// Brings in the records of a table.
#[derive(Clone)]
pub struct Csv {
    settings: Settings,
    delimiter: Option<u8>,
    encoding: Option<TextEncoding>,
    zone: TimeZone,
    instance: String,
}

impl Adapter for Csv {
    const NAME: &'static str = "csv";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "CSV",
            "Reads tables in CSV: one record per entry, columns by a map.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            delimiter: settings.delimiter_byte()?,
            encoding: settings.known_encoding()?,
            zone: setup.zone()?,
            instance: setup.instance.clone(),
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let path = ingest::source_path(&request, self.settings.source_url.as_deref())?;
        let (adapter, tenant) = (self.clone(), context.call.tenant.to_string());
        gannet_sources::from_files(request, path, &["csv", "tsv", "tab"], move |path| {
            let records = adapter.open(path, &tenant)?;
            Ok(Opened {
                total: None,
                records,
            })
        })
        .await
    }
}

impl Csv {
    /// Reads the header of a file, and what it is written in.
    fn open(&self, path: &Path, tenant: &str) -> Result<Records> {
        let unreadable = |error| ingest::unreadable(path, &error);
        let mut file = ingest::open(path)?;
        let mut bytes = Vec::new();
        let mut start = file.by_ref().take(BEGINNING as u64);
        start.read_to_end(&mut bytes).map_err(unreadable)?;
        let (found, mark) = TextEncoding::find(&bytes, bytes.len() == BEGINNING);
        let encoding = self.encoding.unwrap_or(found);
        let bytes = bytes.split_off(mark);

        let text = encoding.text(&bytes);
        if text.trim().is_empty() && bytes.len() < BEGINNING {
            return Err(Error::invalid_input(format!(
                "`{}` is empty: a table begins with the names of its columns",
                path.display()
            )));
        }
        let beginning = Beginning::of(text.as_bytes(), self.delimiter);
        let columns = Columns {
            names: beginning.header.clone(),
            settings: self.settings.clone(),
            tenant: tenant.to_owned(),
            zone: self.zone.clone(),
        };
        columns.check()?;
        if !columns.has_entries() {
            return Err(self.unmapped(path, &beginning));
        }

        let whole: Box<dyn Read> = Box::new(std::io::Cursor::new(bytes).chain(file));
        let text: Text = Kept::new(
            Decoded::new(whole, encoding),
            self.settings.max_record_bytes,
        );
        let mut reader = ReaderBuilder::new()
            .delimiter(beginning.delimiter)
            .flexible(true)
            .from_reader(text);
        let path = path.to_owned();
        reader
            .byte_headers()
            .map_err(|error| ingest::unreadable(&path, &error.into()))?;
        let end_of_header = reader.position().byte();
        reader.get_mut().take_up_to(end_of_header);
        Ok(Records {
            reader,
            columns,
            delimiter: beginning.delimiter,
            path,
        })
    }

    /// The error of a file whose columns are not known, with a map that fits.
    fn unmapped(&self, path: &Path, beginning: &Beginning) -> Error {
        let path = path.display();
        if beginning.header.len() < 2 {
            return Error::invalid_input(format!(
                "`{path}` is not a table: no delimiter was found in its first line; set \
                 `delimiter`, or use another adapter"
            ));
        }
        let why = match self.settings.columns.is_set() {
            true => "the configured columns are not enough for",
            false => "no columns are configured for",
        };
        let proposal = proposal::propose(beginning, &self.instance);
        Error::invalid_input(format!(
            "{why} `{path}`: an entry needs an id, a timestamp, and a text or a title. This fits \
             its header and its first records; check it and write it into the configuration:\n\n\
             {proposal}"
        ))
    }
}
