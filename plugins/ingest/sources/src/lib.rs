//! What adapters of files and of HTTP services share: files and folders, text
//! of any encoding, lines, JSON lists and what becomes of their fields, HTML,
//! services with their spans of time and repeated requests, writing into
//! logbooks.
//!
//! `gannet_plugin::ingest` has what every adapter needs: opening the source,
//! ids and times, selecting. This crate has what some need. An adapter for one
//! JSON document, in files or behind an address, is a conversion and one call:
//!
//! ```
//! use gannet_plugin::testing::{self, Fetched};
//! use gannet_plugin::ingest::{self, RecordStream};
//! use gannet_plugin::prelude::*;
//! use gannet_sources::{JsonListOptions, from_json_document, json_record, read_string};
//! use jiff::tz::TimeZone;
//!
//! async fn fetch(request: FetchRequest, context: &Context) -> Result<RecordStream> {
//!     let options = JsonListOptions {
//!         keys: vec!["entries".to_owned()],
//!         max_bytes: 1 << 20,
//!         is_whole: true,
//!     };
//!     let convert = |number, raw: &str| {
//!         let record = json_record(format!("entry {number}"), raw, &["id"], |id, fields| {
//!             let time = fields.get("time").unwrap_or_default();
//!             let time = ingest::read_timestamp("time", time, &TimeZone::UTC)?;
//!             Ok(Entry::new(id, "log", time, read_string(fields, "text")?))
//!         });
//!         Some(record)
//!     };
//!     from_json_document(request, None, options, context, convert).await
//! }
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("log.json");
//! let list = r#"{"entries": [{"id": 7, "time": 1704443400, "text": "RF trip"}, {"id": 8}]}"#;
//! std::fs::write(&path, list).unwrap();
//! let request = FetchRequest::default().with_source(path.display().to_string());
//!
//! let fetched = pollster::block_on(async {
//!     Fetched::collect(fetch(request, &testing::context()).await?).await
//! })
//! .unwrap();
//!
//! assert_eq!(fetched.ids(), ["7"]);
//! assert_eq!(fetched.rejected[0].position, "entry 2");
//! ```

mod encoding;
mod entry_source;
mod file_write;
mod files;
mod html;
mod html_entities;
mod json_append;
mod json_fields;
mod json_lines;
mod json_list;
mod json_record;
mod json_source;
mod kept;
mod line_append;
mod lines;
mod locked_file;
mod long_numbers;
mod paged_list;
mod path_segment;
mod plain_text;
mod retry;
mod server_clock;
mod service;
mod setting;
mod window_options;
mod windows;
mod write;
mod xml;

pub use encoding::{Decoded, TextEncoding};
pub use entry_source::EntrySource;
pub use file_write::FileWriteSettings;
pub use files::from_files;
pub use html::{HtmlText, html_text};
pub use json_append::append_to_json_list;
pub use json_fields::{
    add_filled, add_own_metadata, members, present, read_attachments, read_string, read_time,
};
pub use json_lines::from_json_lines;
pub use json_list::JsonList;
pub use json_record::{entry_or_rejected, json_object, json_record};
pub use json_source::{JsonListOptions, from_json_document, from_json_list};
pub use kept::Kept;
pub use line_append::append_line;
pub use lines::{Line, Lines, count_lines};
pub use paged_list::PagedList;
pub use path_segment::path_segment;
pub use plain_text::{plain_text, with_line_feeds};
pub use retry::Retry;
pub use server_clock::{records_in_zone, server_end};
pub use service::{HttpService, RequestLimits};
pub use setting::instant_setting;
pub use window_options::{WindowOptions, first_instant};
pub use windows::{TimeWindow, from_windows, time_windows};
pub use write::{WriteSettings, entry_logbook, entry_tags, send_entry};
pub use xml::{xml_element, xml_escaped};
