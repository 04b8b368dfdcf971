//! Ingestion adapter for the electronic logbook of the Advanced Light Source
//! (ALS): an export with one JSON object a line, or its HTTP service.
//!
//! ```yaml
//! ingestion:
//!   adapter: als_logbook
//!   adapters:
//!     als_logbook:
//!       settings:
//!         source_url: https://elog.lab.example/rpc/elog.php
//! ```
//!
//! The service is asked `GET source_url?op=retrieve&start=…&end=…` for one span
//! of time after another, oldest first; times are seconds since 1970. It is
//! asked from `--since` on, or from `start` where a call says nothing, up to
//! `--until` or now. Its answer is a JSON array of entries. Any other answer (a
//! page of HTML, a JSON object, an empty body) and a status of the 400s end the
//! run, and the next one asks for that span again. Spans are selected by the
//! time of the entries: an entry that is edited or deleted later than
//! `overlap_hours` after its time is noticed when everything is read again, as
//! `ingestion.sources.NAME.full_read_interval_hours` says.
//!
//! With `write.url` entries are written too: an XML document is sent there, with
//! the user name and the password of whoever writes.
//!
//! [`record`] has what becomes of the fields. An entry without an id or with a
//! bad time is rejected.
//!
//! ```
//! use gannet_als_logbook::AlsLogbook;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(AlsLogbook::descriptor().name, "als_logbook");
//! ```

mod examples;
pub mod record;
mod service;
mod write;

use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::ingest::{self, RecordStream, Source};
use gannet_plugin::prelude::{Adapter, Context, Descriptor, FetchRequest, Result, Setup, settings};
use gannet_plugin::publish::{Credentials, PublishRequest, Published};
use gannet_sources::{
    EntrySource, HttpService, RequestLimits, WindowOptions, WriteSettings, from_json_lines,
};
use jiff::tz::TimeZone;

use record::Conversion;
use service::Service;

gannet_plugin::export_plugin! {
    adapters: [AlsLogbook],
}

/// Brings in the entries of the ALS logbook.
pub struct AlsLogbook {
    settings: Settings,
    windows: WindowOptions,
    limits: RequestLimits,
    zone: TimeZone,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq)]
pub struct Settings {
    /// The file, folder or address, when a call names none. An address is only
    /// called if the configuration has it, here or as `ingestion.source_url`.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "ALS eLog")]
    pub source_system: String,
    /// What attachments are under whose addresses have no host.
    #[setting(default = "https://elog.als.lbl.gov/")]
    pub attachment_url: String,
    /// The first instant that the service is asked for, RFC 3339.
    #[setting(default = "2003-01-01T00:00:00Z")]
    pub start: String,
    /// Hours before the end of the last run that are asked for again, for
    /// entries that were written or edited late.
    #[setting(default = 24, max = 87_600)]
    pub overlap_hours: u32,
    /// Days that one request asks for.
    #[setting(default = 30, min = 1, max = 3_650)]
    pub chunk_days: u32,
    /// How long a request may take, in seconds.
    #[setting(default = 60, min = 1)]
    pub request_timeout_seconds: u64,
    /// How often a request is repeated that fails without an answer, with 429
    /// or with a status of the 500s.
    #[setting(default = 3, max = 20)]
    pub max_retries: u32,
    /// The wait before the first repetition, in seconds; it doubles with each
    /// further one.
    #[setting(default = 5.0, min = 0.0, max = 600.0)]
    pub retry_delay_seconds: f64,
    /// How long a line of a file may be, in bytes.
    #[setting(default = 16 << 20)]
    pub max_line_bytes: usize,
    /// How entries are written into the logbook.
    pub write: WriteSettings,
}

impl Adapter for AlsLogbook {
    const NAME: &'static str = "als_logbook";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "ALS logbook",
            "Reads the electronic logbook of the ALS: a file, or its HTTP service.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn describe(settings: &Settings) -> InstanceDescription {
        let writing = settings.write.writing(&settings.source_system);
        InstanceDescription::default().with_writing(writing)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            windows: WindowOptions::new(
                &settings.start,
                settings.overlap_hours,
                settings.chunk_days,
            )?,
            limits: RequestLimits {
                timeout_seconds: settings.request_timeout_seconds,
                max_retries: settings.max_retries,
                retry_delay_seconds: settings.retry_delay_seconds,
            },
            zone: setup.zone()?,
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let settings = &self.settings;
        let conversion = Conversion {
            source: EntrySource::new(&settings.source_system, &self.zone, context),
            attachment_url: settings.attachment_url.clone(),
        };
        match ingest::source(&request, settings.source_url.as_deref())? {
            Source::Files(path) => {
                let convert = move |position, line: &[u8]| conversion.line(position, line);
                from_json_lines(request, path, settings.max_line_bytes, convert).await
            }
            Source::Url(url) => {
                let http = HttpService::new(url, self.limits, context);
                let service = Service { http, conversion };
                let fetch = move |window| service.clone().fetch(window);
                self.windows.records(request, fetch)
            }
        }
    }

    async fn publish(&self, request: PublishRequest, context: &Context) -> Result<Published> {
        let settings = &self.settings;
        let logbook = (
            settings.source_system.as_str(),
            settings.request_timeout_seconds,
        );
        let encode = |user: &Credentials| write::post(&settings.write, &request, user);
        settings
            .write
            .publish(&request, logbook, context, encode, write::id_of)
            .await
    }
}
