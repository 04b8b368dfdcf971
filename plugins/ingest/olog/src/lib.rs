//! Ingestion adapter for the electronic logbook service Olog of Phoebus.
//!
//! ```yaml
//! ingestion:
//!   adapter: olog
//!   adapters:
//!     olog:
//!       settings:
//!         source_url: https://olog.lab.example/Olog
//!         logbooks: [Operations]
//! ```
//!
//! The service is asked `GET source_url/logs/search?start=…&end=…&from=…&size=…`
//! for one span of time after another, oldest first, from `--since` or `start`
//! to `--until` or now. A span with more entries than the service gives is
//! asked for in halves. Times are written in the time zone of the server, see
//! `server_timezone`. Spans are selected by the time of creation, which an
//! entry that is edited keeps: an entry that is edited or deleted later than
//! `overlap_hours` after it is noticed when everything is read again, as
//! `ingestion.sources.NAME.full_read_interval_hours` says.
//!
//! A file with answers of the service (`{"logs": […]}`) is a source too.
//! [`record`] has what becomes of the fields. With `write.url` entries are
//! written too, with the user name and the password of whoever writes.
//!
//! ```
//! use gannet_olog::Olog;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(Olog::descriptor().name, "olog");
//! ```

mod examples;
pub mod record;
mod service;
mod write;

use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::ingest::{self, RecordStream, Source};
use gannet_plugin::prelude::{
    Adapter, Context, Descriptor, Error, FetchRequest, Result, Setup, settings,
};
use gannet_plugin::publish::{Credentials, PublishRequest, Published};
use gannet_sources::{
    EntrySource, HttpService, JsonListOptions, RequestLimits, WindowOptions, WriteSettings,
    from_json_list,
};
use jiff::tz::TimeZone;

use record::Conversion;
use service::Service;

gannet_plugin::export_plugin! {
    adapters: [Olog],
}

/// Brings in the entries of an Olog service.
pub struct Olog {
    settings: Settings,
    windows: WindowOptions,
    limits: RequestLimits,
    server_zone: TimeZone,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq)]
pub struct Settings {
    /// The address of the service, `https://HOST/Olog`, or a file, when a call
    /// names none. An address is only called if the configuration has it, here
    /// or as `ingestion.source_url`.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "Olog")]
    pub source_system: String,
    /// The logbooks whose entries are read; all when empty.
    #[setting(default = Vec::new())]
    pub logbooks: Vec<String>,
    /// The time zone that the server runs in; that of the facility when not
    /// set.
    pub server_timezone: Option<String>,
    /// The first instant that the service is asked for, RFC 3339.
    #[setting(default = "2010-01-01T00:00:00Z")]
    pub start: String,
    /// Days that are asked for at once.
    #[setting(default = 30, min = 1, max = 3_650)]
    pub chunk_days: u32,
    /// Hours before the end of the last run that are asked for again, for
    /// entries that were written or edited late.
    #[setting(default = 24, max = 87_600)]
    pub overlap_hours: u32,
    /// Entries that one request asks for.
    #[setting(default = 500, min = 1, max = 1_000)]
    pub page_size: usize,
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
    /// How large a file may be, in bytes.
    #[setting(default = 256 << 20)]
    pub max_bytes: u64,
    /// How entries are written into the service; `url` is its address, as in
    /// `source_url`.
    pub write: WriteSettings,
}

impl Adapter for Olog {
    const NAME: &'static str = "olog";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "Olog",
            "Reads the electronic logbook service Olog of Phoebus.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn describe(settings: &Settings) -> InstanceDescription {
        let writing = settings.write.writing(&settings.source_system);
        InstanceDescription::default().with_writing(writing)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        let server_zone = match &settings.server_timezone {
            None => setup.zone()?,
            Some(name) => TimeZone::get(name)
                .map_err(|error| Error::setting("server_timezone", error.to_string()))?,
        };
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
            server_zone,
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let settings = &self.settings;
        let source = EntrySource::new(&settings.source_system, &self.server_zone, context);
        match ingest::source(&request, settings.source_url.as_deref())? {
            Source::Url(url) => {
                let url = url.trim_end_matches('/').to_owned();
                let service = Service {
                    logbooks: settings.logbooks.join(","),
                    page_size: settings.page_size,
                    conversion: Conversion {
                        source,
                        service: Some(url.clone()),
                    },
                    http: HttpService::new(url, self.limits, context),
                };
                let fetch = move |window| service.clone().fetch(window);
                self.windows.records(request, fetch)
            }
            files => {
                let options = JsonListOptions {
                    keys: vec!["logs".to_owned()],
                    max_bytes: settings.max_bytes,
                    is_whole: true,
                };
                let conversion = Conversion {
                    source,
                    service: None,
                };
                let convert = move |number, raw: &str| {
                    Some(conversion.record(format!("entry {number}"), raw))
                };
                from_json_list(request, files, options, context, convert).await
            }
        }
    }

    async fn publish(&self, request: PublishRequest, context: &Context) -> Result<Published> {
        let settings = &self.settings;
        let logbook = (
            settings.source_system.as_str(),
            settings.request_timeout_seconds,
        );
        let encode = |user: &Credentials| write::put(&settings.write, &request, user);
        settings
            .write
            .publish(&request, logbook, context, encode, write::id_of)
            .await
    }
}
