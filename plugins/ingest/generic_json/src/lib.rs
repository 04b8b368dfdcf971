//! Ingestion adapter for one JSON file of entries.
//!
//! The file holds a list of entries, or an object with the list under
//! `entries`:
//!
//! ```json
//! {"entries": [{
//!   "id": "2024-031",
//!   "timestamp": "2024-01-05T08:30:00Z",
//!   "author": "J. Smith",
//!   "title": "RF cavity tripped",
//!   "text": "Reset at 08:45.",
//!   "tags": ["rf"],
//!   "metadata": {"shift": "Day"}
//! }]}
//! ```
//!
//! `timestamp` is RFC 3339, a time in the facility's time zone, or seconds
//! since 1970; instead of it, `when: {days_ago, time}` places an entry
//! relative to today, for demonstrations. The [`record`] module has the whole
//! table. An entry without an id or with a bad time is rejected with its
//! reason and goes nowhere else.
//!
//! The file is held in memory, up to `max_bytes`. For more than that use one
//! record a line and the `jsonl` adapter.
//!
//! ```
//! use gannet_generic_json::GenericJson;
//! use gannet_plugin::Adapter;
//!
//! assert_eq!(GenericJson::descriptor().name, "generic_json");
//! ```

mod examples;
pub mod record;
pub mod when;

use gannet_plugin::ingest::JsonListOptions;
use gannet_plugin::{
    Adapter, Context, Descriptor, FetchRequest, PluginKind, RecordStream, Result, Setup, ingest,
    settings,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use record::Conversion;

gannet_plugin::export_plugin! {
    adapters: [GenericJson],
}

/// Brings in the entries of one JSON file.
pub struct GenericJson {
    settings: Settings,
    zone: TimeZone,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The file or folder, when a call names none.
    pub source_url: Option<String>,
    /// What the entries say where they came from.
    #[setting(default = "Generic JSON")]
    pub source_system: String,
    /// How large a file may be, in bytes.
    #[setting(default = 256 << 20)]
    pub max_bytes: u64,
    /// How large one entry of the file may be, in bytes of JSON. A parsed one
    /// takes up to sixteen times as much memory.
    #[setting(default = 16 << 20)]
    pub max_entry_bytes: usize,
}

impl Adapter for GenericJson {
    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::new(
            PluginKind::Adapter,
            "generic_json",
            "Generic JSON",
            "Reads a JSON file with an array of entries, or an object with `entries`.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        let zone = ingest::facility_zone(&setup.timezone)?;
        Ok(Self { settings, zone })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let source = ingest::source(&request, self.settings.source_url.as_deref())?;
        let conversion = Conversion {
            source_system: self.settings.source_system.clone(),
            tenant: context.call.tenant.to_string(),
            max_bytes: self.settings.max_entry_bytes,
            now: Timestamp::now().to_zoned(self.zone.clone()),
        };
        let options = JsonListOptions {
            keys: vec!["entries".to_owned()],
            max_bytes: self.settings.max_bytes,
            is_whole: true,
        };
        let convert = move |number, raw: &str| Some(conversion.record(number, raw));
        ingest::from_json_list(request, source, options, context, convert).await
    }
}
