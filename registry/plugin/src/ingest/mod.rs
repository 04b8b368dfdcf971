//! What adapters share: how a source is opened, how ids and times are read,
//! and which records a request wants.
//!
//! An adapter that uses these gives the same reasons for the same mistakes as
//! the ones that are built in. This one reads `TIME TEXT`, one entry a line:
//!
//! ```
//! use std::io::{BufRead, BufReader};
//!
//! use gannet_plugin::testing::{self, Fetched};
//! use gannet_plugin::ingest::{self, RecordStream, RejectedRecord};
//! use gannet_plugin::prelude::*;
//! use jiff::tz::TimeZone;
//!
//! #[derive(Clone)]
//! struct Notes {
//!     zone: TimeZone,
//! }
//!
//! impl Notes {
//!     fn record(&self, position: String, line: &str) -> Record {
//!         let (time, text) = line.split_once(' ').unwrap_or((line, ""));
//!         match ingest::read_timestamp("time", &time.into(), &self.zone) {
//!             Ok(time) => Record::Entry(Box::new(Entry::new(&position, "notes", time, text))),
//!             Err(reason) => Record::Rejected(RejectedRecord::new(position, reason, line)),
//!         }
//!     }
//! }
//!
//! impl Adapter for Notes {
//!     const NAME: &'static str = "notes";
//!
//!     type Settings = NoSettings;
//!
//!     fn descriptor() -> Descriptor {
//!         Descriptor::adapter(Self::NAME, "Notes", "Reads notes, one a line.")
//!     }
//!
//!     fn new(_settings: NoSettings, setup: &Setup) -> Result<Self> {
//!         let zone = setup.zone()?;
//!         Ok(Self { zone })
//!     }
//!
//!     async fn fetch(&self, request: FetchRequest, _context: &Context) -> Result<RecordStream> {
//!         let path = ingest::source_path(&request, None)?;
//!         let notes = self.clone();
//!         // Files block: they are read on a thread of their own.
//!         ingest::from_blocking(request, move || {
//!             let lines = BufReader::new(ingest::open(&path)?).lines();
//!             let records = (1..).zip(lines).map(move |(number, line)| {
//!                 let line = line.map_err(|error| ingest::unreadable(&path, &error))?;
//!                 Ok(notes.record(format!("line {number}"), &line))
//!             });
//!             Ok(ingest::Opened { total: None, records })
//!         })
//!         .await
//!     }
//! }
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("notes.txt");
//! std::fs::write(&path, "2024-01-05T08:30 RF tripped\nsoon Reset").unwrap();
//! let setup = Setup::default().with_timezone("America/New_York");
//! let request = FetchRequest::default().with_source(path.display().to_string());
//!
//! let notes = Notes::new(NoSettings {}, &setup).unwrap();
//! let fetched = pollster::block_on(async {
//!     Fetched::collect(notes.fetch(request, &testing::context()).await?).await
//! })
//! .unwrap();
//!
//! assert_eq!(fetched.entries[0].timestamp.to_string(), "2024-01-05T13:30:00Z");
//! assert!(fetched.rejected[0].reason.starts_with("`time` \"soon\" is not a valid time"));
//! ```

mod blocking;
mod fields;
mod known_time;
mod pages;
mod selection;
mod source;
mod timestamp;

pub use gannet_api::{DynAdapter, MAX_CURSOR_BYTES, RecordStream, RejectedRecord, time_name_rank};

pub use blocking::{Opened, from_blocking};
pub use fields::{Read, join_title, read_id};
pub use known_time::known_time;
pub use pages::{Page, from_pages};
pub use selection::{select, select_stream};
pub use source::{
    STANDARD_INPUT, Source, is_standard_input, open, source, source_path, unreadable,
};
pub use timestamp::read_timestamp;
