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
//! records; `gannet ingest FILE --accept` writes it into the configuration:
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
//! and the reason, and so is one with a quotation mark that has no partner.
//! `id_from_content` accepts tables without ids, `default_timestamp` those
//! without times.
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
mod guess;
mod proposal;
mod quotes;
mod records;
mod settings;
mod table;
mod time_format;

use std::path::Path;

use gannet_plugin::ingest::{self, Opened, RecordStream};
use gannet_plugin::prelude::{
    Adapter, Context, Descriptor, Error, FetchRequest, Record, Result, Setup,
};
use gannet_sources::TextEncoding;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use columns::Columns;
pub use proposal::Proposal;
use records::Records;
pub use settings::{ColumnMap, Settings};
pub use table::Table;

gannet_plugin::export_plugin! {
    adapters: [Csv],
}

/// Brings in the records of a table.
#[derive(Clone)]
pub struct Csv {
    settings: Settings,
    delimiter: Option<u8>,
    encoding: Option<TextEncoding>,
    default_timestamp: Option<Timestamp>,
    undated_kind: Option<String>,
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
            default_timestamp: settings.default_time()?,
            undated_kind: None,
            zone: setup.zone()?,
            instance: setup.instance.clone(),
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let path = ingest::source_path(&request, self.settings.source_url.as_deref())?;
        let (mut adapter, tenant) = (self.clone(), context.call.tenant.to_string());
        adapter.default_timestamp = request.default_timestamp.or(self.default_timestamp);
        adapter.undated_kind.clone_from(&request.default_kind);
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
        let table = Table::open(path, self.delimiter, self.encoding)?;
        let columns = self.columns(&table, tenant);
        columns.check()?;
        if !columns.has_entries() {
            return Err(self.unmapped(path, &table));
        }
        table.records(columns, self.settings.max_record_bytes)
    }

    fn columns(&self, table: &Table, tenant: &str) -> Columns {
        Columns {
            names: table.header().to_owned(),
            settings: self.settings.clone(),
            tenant: tenant.to_owned(),
            zone: self.zone.clone(),
            default_timestamp: self.default_timestamp,
            undated_kind: self.undated_kind.clone(),
        }
    }

    /// The first records of a table as they would become with these settings.
    ///
    /// # Errors
    /// Those of the settings and of the file.
    pub fn preview(
        path: &Path,
        settings: Settings,
        setup: &Setup,
        most: usize,
    ) -> Result<Vec<Record>> {
        let adapter = Self::new(settings, setup)?;
        adapter.open(path, "")?.take(most).collect()
    }

    /// Whether the header of a table has the columns of these settings.
    ///
    /// # Errors
    /// Those of the settings.
    pub fn fits(table: &Table, settings: Settings, setup: &Setup) -> Result<bool> {
        let columns = Self::new(settings, setup)?.columns(table, "");
        Ok(columns.check().is_ok() && columns.has_entries())
    }

    /// The error of a file whose columns are not known, with a map that fits.
    fn unmapped(&self, path: &Path, table: &Table) -> Error {
        let path = path.display();
        if table.header().len() < 2 {
            return Error::invalid_input(format!(
                "`{path}` is not a table: no delimiter was found in its first line; set \
                 `delimiter`, or use another adapter"
            ));
        }
        let why = match self.settings.columns.is_set() {
            true => "the configured columns are not enough for",
            false => "no columns are configured for",
        };
        let proposal = table.proposal().yaml(&self.instance);
        Error::invalid_input(format!(
            "{why} `{path}`: an entry needs an id, a timestamp, and a text or a title; `gannet \
             ingest FILE --accept` writes what fits into the configuration. This fits its header \
             and its first records; check it:\n\n{proposal}"
        ))
    }
}
