//! One file as an entry, or as several.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::sync::Arc;

use gannet_plugin::ingest::{Read, RejectedRecord, join_title, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{html_text, plain_text};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::confined::{Folder, has_extension};
use crate::front_matter::FrontMatter;
use crate::mail::is_mail;
use crate::mailbox::{Mailbox, is_mailbox};
use crate::pdf::is_pdf;

/// Bytes that tell the formats apart that may be large.
const BEGINNING: u64 = 512;

/// The records of a file.
pub(crate) type Records = Box<dyn Iterator<Item = Record> + Send>;

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

/// A file, or one that is attached to a mail.
pub(crate) struct Source<'a> {
    /// The id of its entry, or what those of its parts begin with.
    pub(crate) id: &'a str,
    /// The path of its file from the folder; of one that is attached, that of
    /// the mail's.
    pub(crate) file: &'a str,
    /// Its name, without folders.
    pub(crate) name: &'a str,
    /// Its time where it says none itself.
    pub(crate) time: Timestamp,
    /// Within how many mails it is.
    pub(crate) depth: usize,
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
    pub(crate) fn records(self: &Arc<Self>, folder: &Folder, path: &Path) -> Records {
        // One name on every system.
        let parts = path.iter().map(|part| part.to_string_lossy());
        let id = parts.collect::<Vec<_>>().join("/");
        let read = match path.to_str() {
            Some(_) => folder
                .file(path)
                .and_then(|file| self.read_file(&id, path, file)),
            None => Err("its name is not UTF-8, so that its id would not be its own".to_owned()),
        };
        read.unwrap_or_else(|reason| {
            let rejected = RejectedRecord::new(format!("file `{id}`"), reason, String::new());
            let record = Record::Rejected(rejected.with_entry_id(id));
            Box::new(std::iter::once(record))
        })
    }

    fn read_file(self: &Arc<Self>, id: &str, path: &Path, mut file: File) -> Read<Records> {
        let unreadable = |error| format!("cannot be read: {error}");
        let time = changed(&file)?;
        let mut beginning = Vec::new();
        let mut start = (&file).take(BEGINNING);
        start.read_to_end(&mut beginning).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
        if is_mailbox(&beginning) {
            let mailbox = Mailbox::new(Arc::clone(self), id.to_owned(), file, time);
            return Ok(Box::new(mailbox));
        }
        let bytes = self.read(path, &beginning, &file)?;
        let source = Source {
            id,
            file: id,
            name: id.rsplit('/').next().unwrap_or(id),
            time,
            depth: 0,
        };
        let records = self.parts(&source, &bytes)?;
        Ok(Box::new(records.into_iter()))
    }

    /// The records of a file, whatever its name says that it is.
    pub(crate) fn parts(&self, source: &Source<'_>, bytes: &[u8]) -> Read<Vec<Record>> {
        let entries = match () {
            () if is_pdf(bytes) => self.pages(source, bytes)?,
            () if gannet_office::is_office(bytes) => self.office_parts(source, bytes)?,
            () if is_mail(source.name, bytes) => return self.mail(source, bytes, "eml"),
            () => vec![self.entry(source, &text_of(bytes)?)?],
        };
        let records = entries.into_iter().map(Box::new).map(Record::Entry);
        Ok(records.collect())
    }

    fn entry(&self, source: &Source<'_>, text: &str) -> Read<Entry> {
        let format = Format::of(Path::new(source.name), text);
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
            None => source.time,
        };

        let mut entry = self.new_entry(source.id, time, text, front.author());
        self.describe(&mut entry, source, &title, format.name());
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

    /// Writes down what the entry's file is.
    pub(crate) fn describe(
        &self,
        entry: &mut Entry,
        source: &Source<'_>,
        title: &str,
        format: &str,
    ) {
        let folder = source
            .file
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        for (key, value) in [("title", title), ("format", format), ("folder", folder)] {
            if !value.is_empty() {
                entry.metadata.insert(key.to_owned(), value.into());
            }
        }
    }

    fn read(&self, path: &Path, beginning: &[u8], file: &File) -> Read<Vec<u8>> {
        let may_be_large = is_pdf(beginning)
            || gannet_office::is_office(beginning)
            || has_extension(path, &["eml"]);
        let (name, limit) = match may_be_large {
            true => ("max_pdf_bytes", self.max_pdf_bytes),
            false => ("max_bytes", self.max_bytes),
        };
        let mut bytes = Vec::new();
        // One byte more than allowed tells a file that is too large.
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| format!("cannot be read: {error}"))?;
        match bytes.len() as u64 > limit {
            true => Err(format!("larger than `{name}` ({limit})")),
            false => Ok(bytes),
        }
    }
}

fn text_of(bytes: &[u8]) -> Read<String> {
    plain_text(bytes)
        .ok_or_else(|| "not a text: a binary file of a kind that is not read".to_owned())
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
