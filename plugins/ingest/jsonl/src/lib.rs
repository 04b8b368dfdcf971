//! Ingestion adapter for files with one JSON record a line.
//!
//! A line is either a document:
//!
//! ```json
//! {"id": "2024-031", "title": "RF cavity tripped", "text": "Reset at 08:45.", "author": "J. Smith", "timestamp": "2024-01-05T08:30:00Z", "metadata": {"shift": "Day"}}
//! ```
//!
//! or a whole entry, as Gannet writes them; [`record`] has the rules. The file
//! is read line by line and never held in memory, so its size does not matter.
//! A folder is read file by file (`.jsonl`, `.ndjson`), and `-` is standard
//! input.
//!
//! With `write.path` entries are written too: each is added to that file as a
//! document under a new id, `local-…`, and is read with the file the next time.
//!
//! A line that is no JSON, no UTF-8, longer than `max_line_bytes`, without an
//! id or without a good time is rejected with its number and the reason, and
//! the rest goes on. A collection that knows no times needs
//! `default_timestamp`:
//!
//! ```yaml
//! ingestion:
//!   adapters:
//!     jsonl:
//!       settings: { default_timestamp: "1970-01-01T00:00:00Z", kind: document }
//! ```
//!
//! ```
//! use gannet_jsonl::Jsonl;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(Jsonl::descriptor().name, "jsonl");
//! ```

mod examples;
pub mod record;

use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::entry::DEFAULT_KIND;
use gannet_plugin::ingest::{self, RecordStream};
use gannet_plugin::prelude::{Adapter, Context, Descriptor, FetchRequest, Result, Setup, settings};
use gannet_plugin::publish::{PublishRequest, Published};
use gannet_sources::{
    EntrySource, FileWriteSettings, append_line, from_json_lines, instant_setting,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use record::Conversion;

gannet_plugin::export_plugin! {
    adapters: [Jsonl],
}

/// Brings in the records of a file, one a line.
pub struct Jsonl {
    settings: Settings,
    default_timestamp: Option<Timestamp>,
    zone: TimeZone,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The file or folder, when a call names none.
    pub source_url: Option<String>,
    /// Where entries say they came from, when the record does not.
    #[setting(default = "jsonl")]
    pub source_system: String,
    /// What sort of text it is, when the record does not say.
    #[setting(default = DEFAULT_KIND.to_owned())]
    pub kind: String,
    /// The time of records that have none, RFC 3339; they are rejected when
    /// this is not set. A bad time is rejected in any case.
    pub default_timestamp: Option<String>,
    /// How long a line may be, in bytes.
    #[setting(default = 16 << 20)]
    pub max_line_bytes: usize,
    /// How entries are written.
    pub write: FileWriteSettings,
}

impl Adapter for Jsonl {
    const NAME: &'static str = "jsonl";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "JSON Lines",
            "Reads a file with one JSON record per line: documents or entries.",
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
        let default_timestamp = settings.default_timestamp.as_deref();
        Ok(Self {
            default_timestamp: default_timestamp
                .map(|text| instant_setting("default_timestamp", text))
                .transpose()?,
            zone: setup.zone()?,
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let path = ingest::source_path(&request, self.settings.source_url.as_deref())?;
        let conversion = self.conversion(context).of(&request);
        let convert = move |position, line: &[u8]| conversion.record(position, line);
        from_json_lines(request, path, self.settings.max_line_bytes, convert).await
    }

    async fn publish(&self, request: PublishRequest, context: &Context) -> Result<Published> {
        let Settings {
            write,
            max_line_bytes,
            ..
        } = &self.settings;
        let conversion = self.conversion(context);
        let read = |record: &str| conversion.record("line 1".to_owned(), record.as_bytes());
        write
            .publish(&request, *max_line_bytes, read, append_line)
            .await
    }
}

impl Jsonl {
    fn conversion(&self, context: &Context) -> Conversion {
        Conversion {
            source: EntrySource::new(&self.settings.source_system, &self.zone, context),
            kind: self.settings.kind.clone(),
            default_timestamp: self.default_timestamp,
            undated_kind: None,
        }
    }
}
