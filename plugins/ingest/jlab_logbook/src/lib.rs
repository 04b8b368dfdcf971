//! Ingestion adapter for the electronic logbook of the Thomas Jefferson
//! National Accelerator Facility (JLab): one JSON document with a list of
//! entries, in a file or behind an address.
//!
//! ```json
//! {"data": {"entries": [{
//!   "lognumber": "4211",
//!   "created": {"timestamp": "1704443400"},
//!   "author": "lee",
//!   "title": "RF trip",
//!   "body": {"content": "Reset at 08:45.", "format": "text"},
//!   "books": ["ELOG"],
//!   "tags": ["Readme"]
//! }]}}
//! ```
//!
//! The list may also stand under `entries`, or be the whole document. An
//! address is asked once for all of it. [`record`] has what becomes of the
//! fields. An entry without an id or with a bad time is rejected.
//!
//! ```
//! use gannet_jlab_logbook::JlabLogbook;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(JlabLogbook::descriptor().name, "jlab_logbook");
//! ```

mod examples;
pub mod record;

use gannet_plugin::ingest::RecordStream;
use gannet_plugin::prelude::{Adapter, Context, Descriptor, FetchRequest, Result, Setup, settings};
use gannet_sources::{EntrySource, JsonListOptions, from_json_document};
use jiff::tz::TimeZone;

use record::Conversion;

gannet_plugin::export_plugin! {
    adapters: [JlabLogbook],
}

/// Brings in the entries of the JLab logbook.
pub struct JlabLogbook {
    settings: Settings,
    zone: TimeZone,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The file, folder or address, when a call names none. An address is only
    /// called if the configuration has it, here or as `ingestion.source_url`.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "JLab Logbook")]
    pub source_system: String,
    /// The books whose entries are read; all when empty.
    #[setting(default = Vec::new())]
    pub books: Vec<String>,
    /// How large a file may be, in bytes.
    #[setting(default = 256 << 20)]
    pub max_bytes: u64,
}

impl Adapter for JlabLogbook {
    const NAME: &'static str = "jlab_logbook";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "JLab logbook",
            "Reads the electronic logbook of JLab: one JSON document with a list of entries.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            zone: setup.zone()?,
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let options = JsonListOptions {
            keys: vec!["data.entries".to_owned(), "entries".to_owned()],
            max_bytes: self.settings.max_bytes,
            is_whole: self.settings.books.is_empty(),
        };
        let conversion = Conversion {
            source: EntrySource::new(&self.settings.source_system, &self.zone, context),
            books: self.settings.books.clone(),
        };
        let convert = move |number, raw: &str| conversion.record(number, raw);
        let source_url = self.settings.source_url.as_deref();
        from_json_document(request, source_url, options, context, convert).await
    }
}
