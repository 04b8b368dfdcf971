//! One file as an entry, or as several.

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
use crate::pdf::is_pdf;

/// Bytes that tell a PDF file from a text.
const BEGINNING: u64 = 8;

/// What every file is converted with.
pub(crate) struct Conversion {
    pub(crate) source_system: String,
    pub(crate) kind: String,
    pub(crate) tenant: String,
    pub(crate) zone: TimeZone,
    pub(crate) max_bytes: u64,
    pub(crate) max_pdf_bytes: u64,
    pub(crate) max_pages: usize,
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
    pub(crate) fn records(&self, folder: &Folder, path: &Path) -> Vec<Record> {
        // One name on every system.
        let parts = path.iter().map(|part| part.to_string_lossy());
        let id = parts.collect::<Vec<_>>().join("/");
        let entries = match path.to_str() {
            Some(_) => folder
                .file(path)
                .and_then(|file| self.entries(&id, path, &file)),
            None => Err("its name is not UTF-8, so that its id would not be its own".to_owned()),
        };
        match entries {
            Ok(entries) => {
                let entries = entries.into_iter();
                entries
                    .map(|entry| Record::Entry(Box::new(entry)))
                    .collect()
            }
            Err(reason) => vec![Record::Rejected(
                RejectedRecord::new(format!("file `{id}`"), reason, String::new())
                    .with_entry_id(id),
            )],
        }
    }

    fn entries(&self, id: &str, path: &Path, file: &File) -> Read<Vec<Entry>> {
        let bytes = self.read(file)?;
        if is_pdf(&bytes) {
            return self.pages(id, &bytes, changed(file)?);
        }
        let entry = self.entry(id, path, file, &text_of(&bytes)?)?;
        Ok(vec![entry])
    }

    fn entry(&self, id: &str, path: &Path, file: &File, text: &str) -> Read<Entry> {
        let format = Format::of(path, text);
        let (front, body) = match format {
            Format::Html => (FrontMatter::default(), text),
            Format::Text | Format::Markdown => FrontMatter::split(text),
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

        let mut entry = self.new_entry(id, time, text, front.author());
        self.describe(&mut entry, id, &title, format.name());
        entry.metadata.extend(front.rest());
        Ok(entry)
    }

    pub(crate) fn new_entry(
        &self,
        id: &str,
        time: Timestamp,
        text: String,
        author: Option<&str>,
    ) -> Entry {
        Entry::new(id, &self.source_system, time, text)
            .with_kind(&self.kind)
            .with_tenant(&self.tenant)
            .with_author(author.unwrap_or_default())
    }

    /// Writes down what the entry's file is; `id` is that of the file.
    pub(crate) fn describe(&self, entry: &mut Entry, id: &str, title: &str, format: &str) {
        let folder = id.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (key, value) in [("title", title), ("format", format), ("folder", folder)] {
            if !value.is_empty() {
                entry.metadata.insert(key.to_owned(), value.into());
            }
        }
    }

    fn read(&self, file: &File) -> Read<Vec<u8>> {
        let unreadable = |error| format!("cannot be read: {error}");
        let mut bytes = Vec::new();
        let mut beginning = file.take(BEGINNING);
        beginning.read_to_end(&mut bytes).map_err(unreadable)?;
        let (name, limit) = match is_pdf(&bytes) {
            true => ("max_pdf_bytes", self.max_pdf_bytes),
            false => ("max_bytes", self.max_bytes),
        };
        // One byte more than allowed tells a file that is too large.
        let left = limit.saturating_add(1).saturating_sub(bytes.len() as u64);
        file.take(left)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        match bytes.len() as u64 > limit {
            true => Err(format!("larger than `{name}` ({limit})")),
            false => Ok(bytes),
        }
    }
}

fn text_of(bytes: &[u8]) -> Read<String> {
    let (encoding, mark) = TextEncoding::find(bytes, false);
    let text = encoding.text(&bytes[mark..]);
    match text.contains('\0') {
        true => Err("not a text: it contains a zero byte".to_owned()),
        false => Ok(text.replace("\r\n", "\n")),
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
