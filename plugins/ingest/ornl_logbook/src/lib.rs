//! Ingestion adapter for the electronic logbook of the Spallation Neutron
//! Source at Oak Ridge National Laboratory (ORNL): one JSON document with a
//! list of entries, in a file or behind an address.
//!
//! ```json
//! {"entries": [{
//!   "ID": "SNS-2024-17",
//!   "logbook": "Operations",
//!   "entry_time": "2024-01-05T08:45:00Z",
//!   "event_time": "2024-01-05T08:30:00Z",
//!   "author": "lee",
//!   "title": "RF trip",
//!   "content": "Reset."
//! }]}
//! ```
//!
//! The list may also be the whole document. An address is asked once for all
//! of it. [`record`] has what becomes of the fields. An entry without an id or
//! with a bad time is rejected.
//!
//! ```
//! use gannet_ornl_logbook::OrnlLogbook;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(OrnlLogbook::descriptor().name, "ornl_logbook");
//! ```

mod examples;
pub mod record;

use gannet_plugin::ingest::RecordStream;
use gannet_plugin::prelude::{Adapter, Context, Descriptor, FetchRequest, Result, Setup, settings};
use gannet_sources::{EntrySource, JsonListOptions, from_json_document};
use jiff::tz::TimeZone;

use record::Conversion;

gannet_plugin::export_plugin! {
    adapters: [OrnlLogbook],
}

/// Brings in the entries of the ORNL logbook.
pub struct OrnlLogbook {
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
    #[setting(default = "ORNL Logbook")]
    pub source_system: String,
    /// How large a file may be, in bytes.
    #[setting(default = 256 << 20)]
    pub max_bytes: u64,
}

impl Adapter for OrnlLogbook {
    const NAME: &'static str = "ornl_logbook";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "ORNL logbook",
            "Reads the electronic logbook of the SNS: one JSON document with a list of entries.",
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
            keys: vec!["entries".to_owned()],
            max_bytes: self.settings.max_bytes,
            is_whole: true,
        };
        let conversion = Conversion {
            source: EntrySource::new(&self.settings.source_system, &self.zone, context),
        };
        let convert = move |number, raw: &str| Some(conversion.record(number, raw));
        let source_url = self.settings.source_url.as_deref();
        from_json_document(request, source_url, options, context, convert).await
    }
}
