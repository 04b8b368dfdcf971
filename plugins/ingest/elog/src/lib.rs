//! Ingestion adapter for PSI ELOG: the log files that its server writes
//! (`logbooks/NAME/2024/240105a.log`), or an export in its raw format.
//!
//! ```text
//! $@MID@$: 17
//! Date: Fri, 05 Jan 2024 08:30:00 +0100
//! Author: M. Lee
//! Category: RF
//! Subject: RF trip
//! Attachment: 240105_083000_scope.png
//! Encoding: plain
//! ========================================
//! Reset at 08:45.
//! ```
//!
//! A folder is read with its subfolders, file by file. Numbers of ELOG are
//! unique in one logbook only: for each further one, make an instance with its
//! name in `logbook`, which then stands before the number (`RF/17`).
//!
//! ```yaml
//! ingestion:
//!   adapters:
//!     elog_rf:
//!       plugin: elog
//!       settings: { logbook: RF, source_url: /srv/elog/logbooks/RF }
//! ```
//!
//! [`record`] has what becomes of the fields. A record without a number, with a
//! bad date or without a text is rejected.
//!
//! ```
//! use gannet_elog::Elog;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(Elog::descriptor().name, "elog");
//! ```

mod examples;
pub mod record;
mod split;

use std::io::BufReader;
use std::path::Path;

use gannet_plugin::ingest::{self, Opened, RecordStream};
use gannet_plugin::prelude::{Adapter, Context, Descriptor, FetchRequest, Result, Setup, settings};
use gannet_sources::Lines;
use jiff::tz::TimeZone;

use record::Conversion;
use split::RawRecords;

gannet_plugin::export_plugin! {
    adapters: [Elog],
}

/// Brings in the entries of PSI ELOG.
pub struct Elog {
    settings: Settings,
    zone: TimeZone,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The file or folder, when a call names none.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "ELOG")]
    pub source_system: String,
    /// The name of the logbook, which stands before the numbers of its entries.
    pub logbook: Option<String>,
    /// The address of the logbook, which its attachments are under.
    pub logbook_url: Option<String>,
    /// The attribute that names the author.
    #[setting(default = "Author")]
    pub author_attribute: String,
    /// The attribute that is the title.
    #[setting(default = "Subject")]
    pub title_attribute: String,
    /// How long a record may be, in bytes.
    #[setting(default = 4 << 20, min = 1)]
    pub max_record_bytes: usize,
}

impl Adapter for Elog {
    const NAME: &'static str = "elog";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor =
            Descriptor::adapter(Self::NAME, "PSI ELOG", "Reads the log files of PSI ELOG.");
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
        let path = ingest::source_path(&request, self.settings.source_url.as_deref())?;
        let max_bytes = self.settings.max_record_bytes;
        let conversion = Conversion {
            settings: self.settings.clone(),
            tenant: context.call.tenant.to_string(),
            zone: self.zone.clone(),
        };
        gannet_sources::from_files(request, path, &["log", "elog"], move |path: &Path| {
            let lines = Lines::new(BufReader::new(ingest::open(path)?), max_bytes);
            let (conversion, path) = (conversion.clone(), path.to_owned());
            let records = RawRecords::new(lines, max_bytes).map(move |raw| match raw {
                Ok(raw) => Ok(conversion.record(&raw)),
                Err(error) => Err(ingest::unreadable(&path, &error)),
            });
            Ok(Opened {
                total: None,
                records,
            })
        })
        .await
    }
}
