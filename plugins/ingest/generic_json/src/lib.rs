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
//! Records of another shape are read by a map of their fields:
//!
//! ```yaml
//! ingestion:
//!   adapters:
//!     generic_json:
//!       settings:
//!         entries: [data.items]
//!         fields: { id: uid, timestamp: meta.created, author: owner.name, text: [body] }
//! ```
//!
//! A folder is read with its subfolders, file by file, `-` is standard input,
//! and an address that the settings name is asked once for the whole list.
//!
//! With `write.path` entries are written too: each is added to the list in that
//! file under a new id, `local-…`, and is read with the file the next time.
//!
//! The file is held in memory, up to `max_bytes`. For more than that use one
//! record a line and the `jsonl` adapter.
//!
//! ```
//! use gannet_generic_json::GenericJson;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(GenericJson::descriptor().name, "generic_json");
//! ```

mod examples;
pub mod field_map;
pub mod record;
pub mod when;

use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::ingest::RecordStream;
use gannet_plugin::prelude::{
    Adapter, Context, Descriptor, Error, FetchRequest, Result, Setup, settings,
};
use gannet_plugin::publish::{PublishRequest, Published};
use gannet_sources::{
    EntrySource, FileWriteSettings, JsonListOptions, append_to_json_list, from_json_document,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use field_map::FieldMap;
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
    /// The file, folder or address, when a call names none. An address is only
    /// called if the configuration has it, here or as `ingestion.source_url`.
    pub source_url: Option<String>,
    /// What the entries say where they came from.
    #[setting(default = "Generic JSON")]
    pub source_system: String,
    /// Where the list may stand in the file; the first that is there counts.
    #[setting(default = ["entries"])]
    pub entries: Vec<String>,
    /// Where the parts of an entry stand in records of another shape.
    pub fields: FieldMap,
    /// How large a file may be, in bytes.
    #[setting(default = 256 << 20)]
    pub max_bytes: u64,
    /// How large one entry of the file may be, in bytes of JSON. A parsed one
    /// takes up to sixteen times as much memory.
    #[setting(default = 16 << 20)]
    pub max_entry_bytes: usize,
    /// How entries are written.
    pub write: FileWriteSettings,
}

impl Adapter for GenericJson {
    const NAME: &'static str = "generic_json";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "Generic JSON",
            "Reads a JSON file with an array of entries, or an object with `entries`.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn describe(settings: &Settings) -> InstanceDescription {
        let writing = settings.write.writing(&settings.source_system);
        InstanceDescription::default().with_writing(writing)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        settings.write.check_path()?;
        if settings.write.path.is_some() && settings.fields.is_set() {
            let message = "entries are written as they are read without `fields`; leave one out";
            return Err(Error::setting("write.path", message));
        }
        let zone = setup.zone()?;
        Ok(Self { settings, zone })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let conversion = Conversion {
            default_timestamp: request.default_timestamp,
            undated_kind: request.default_kind.clone(),
            ..self.conversion(context)
        };
        let convert = move |number, raw: &str| Some(conversion.record(number, raw));
        let source_url = self.settings.source_url.as_deref();
        from_json_document(request, source_url, self.list(), context, convert).await
    }

    async fn publish(&self, request: PublishRequest, context: &Context) -> Result<Published> {
        let Settings {
            write,
            max_entry_bytes,
            ..
        } = &self.settings;
        let (conversion, list) = (self.conversion(context), self.list());
        let read = |record: &str| conversion.record(1, record);
        let append = |path, record| append_to_json_list(path, list, record);
        write
            .publish(&request, *max_entry_bytes, read, append)
            .await
    }
}

impl GenericJson {
    fn conversion(&self, context: &Context) -> Conversion {
        Conversion {
            source: EntrySource::new(&self.settings.source_system, &self.zone, context),
            now: Timestamp::now().to_zoned(self.zone.clone()),
            max_bytes: self.settings.max_entry_bytes,
            fields: self.settings.fields.clone(),
            default_timestamp: None,
            undated_kind: None,
        }
    }

    /// The list in the file.
    fn list(&self) -> JsonListOptions {
        JsonListOptions {
            keys: self.settings.entries.clone(),
            max_bytes: self.settings.max_bytes,
            is_whole: true,
        }
    }
}
