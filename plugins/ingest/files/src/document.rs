//! One file as an entry.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use gannet_plugin::ingest::{Read, RejectedRecord, join_title, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{TextEncoding, html_text};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::confined::Folder;
use crate::front_matter::FrontMatter;

/// What every file is converted with.
pub(crate) struct Conversion {
    pub(crate) source_system: String,
    pub(crate) kind: String,
    pub(crate) tenant: String,
    pub(crate) zone: TimeZone,
    pub(crate) max_bytes: u64,
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Markdown,
    Html,
}

impl Conversion {
    /// Converts one file, named by its path from the folder.
    pub(crate) fn record(&self, folder: &Folder, path: &Path) -> Record {
        // One name on every system.
        let parts = path.iter().map(|part| part.to_string_lossy());
        let id = parts.collect::<Vec<_>>().join("/");
        let entry = match path.to_str() {
            Some(_) => folder
                .file(path)
                .and_then(|file| self.entry(&id, path, &file)),
            None => Err("its name is not UTF-8, so that its id would not be its own".to_owned()),
        };
        match entry {
            Ok(entry) => Record::Entry(Box::new(entry)),
            Err(reason) => Record::Rejected(
                RejectedRecord::new(format!("file `{id}`"), reason, String::new())
                    .with_entry_id(id),
            ),
        }
    }

    fn entry(&self, id: &str, path: &Path, file: &File) -> Read<Entry> {
        let text = self.read(file)?;
        let format = Format::of(path, &text);
        let (front, body) = match format {
            Format::Html => (FrontMatter::default(), text.as_str()),
            Format::Text | Format::Markdown => FrontMatter::split(&text),
        };
        let (title, body) = match format {
            Format::Html => {
                let page = html_text(body);
                (page.title, page.text)
            }
            Format::Markdown => (heading(body).to_owned(), body.trim().to_owned()),
            Format::Text => (String::new(), body.trim().to_owned()),
        };
        let title = front.title().map_or(title, str::to_owned);
        let begins_with_title = body.trim_start_matches(['#', ' ']).starts_with(&title);
        let text = match begins_with_title {
            true => body,
            false => join_title(&title, &body),
        };
        if text.is_empty() {
            return Err("no text".to_owned());
        }
        let time = match front.date() {
            Some(date) => read_timestamp("date", &Value::from(date), &self.zone)?,
            None => changed(file)?,
        };

        let mut entry = Entry::new(id, &self.source_system, time, text);
        entry.kind.clone_from(&self.kind);
        entry.tenant.clone_from(&self.tenant);
        entry.author = front.author().unwrap_or_default().to_owned();
        let mut add = |key: &str, value: &str| {
            if !value.is_empty() {
                entry.metadata.insert(key.to_owned(), value.into());
            }
        };
        add("title", &title);
        add("format", format.name());
        add(
            "folder",
            id.rsplit_once('/').map_or("", |(folder, _)| folder),
        );
        entry.metadata.extend(front.rest());
        Ok(entry)
    }

    fn read(&self, file: &File) -> Read<String> {
        let mut bytes = Vec::new();
        // One byte more than allowed tells a file that is too large.
        let mut limited = file.take(self.max_bytes.saturating_add(1));
        let read = limited.read_to_end(&mut bytes);
        read.map_err(|error| format!("cannot be read: {error}"))?;
        if bytes.len() as u64 > self.max_bytes {
            return Err(format!("larger than `max_bytes` ({})", self.max_bytes));
        }
        let (encoding, mark) = TextEncoding::find(&bytes, false);
        let text = encoding.text(&bytes[mark..]);
        match text.contains('\0') {
            true => Err("not a text: it contains a zero byte".to_owned()),
            false => Ok(text.replace("\r\n", "\n")),
        }
    }
}

impl Format {
    /// By the name, or else by the text: a file that is named by itself may
    /// have any extension.
    fn of(path: &Path, text: &str) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
            "html" | "htm" => return Self::Html,
            "md" | "markdown" => return Self::Markdown,
            "txt" | "text" | "rst" => return Self::Text,
            _ => {}
        }
        let start = text
            .trim_start()
            .get(..9)
            .unwrap_or_default()
            .to_ascii_lowercase();
        match start.starts_with("<!doctype") || start.starts_with("<html") {
            true => Self::Html,
            false => Self::Text,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}

/// The heading that a Markdown text begins with.
fn heading(text: &str) -> &str {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let heading = first.strip_prefix("# ").unwrap_or_default();
    heading.trim().trim_end_matches('#').trim_end()
}

fn changed(file: &File) -> Read<Timestamp> {
    let time = file.metadata().and_then(|metadata| metadata.modified());
    let time = time.map_err(|error| format!("no time of the last change: {error}"))?;
    Timestamp::try_from(time).map_err(|error| format!("the time of the last change: {error}"))
}
