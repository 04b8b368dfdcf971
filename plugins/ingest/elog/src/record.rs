//! One record of the log file, as an entry.
//!
//! | in the record | in the entry |
//! |---|---|
//! | `$@MID@$` | `entry_id`, behind the name of the logbook where one is set |
//! | `Date` (RFC 2822) | `timestamp` |
//! | `Author` | `author` |
//! | `Subject`, text | `raw_text`: both, with a blank line between |
//! | `Subject` | `metadata.title` |
//! | `In reply to`, `Reply to` | `metadata.linked_to`, `metadata.replies`, as ids |
//! | `Attachment`, with commas between | `attachments` |
//! | `Encoding` | `metadata.body_format`; a text in HTML becomes plain text |
//! | every other attribute | `metadata`, under its own name |

use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{Read, RejectedRecord, join_title, read_id, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{TextEncoding, html_text};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::Settings;
use crate::split::RawRecord;

/// Characters of a record that is too long that are kept.
const SHOWN: usize = 1_000;
/// Fewer signs of `=` do not separate attributes and text.
const SHORTEST_SEPARATOR: usize = 20;

/// What every record is converted with.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    pub(crate) settings: Settings,
    pub(crate) tenant: String,
    pub(crate) zone: TimeZone,
}

impl Conversion {
    /// Converts one record.
    pub(crate) fn record(&self, raw: &RawRecord) -> Record {
        // Records of one file may be in two encodings: the server was changed.
        let (encoding, mark) = TextEncoding::find(&raw.bytes, raw.is_cut);
        let text = encoding.text(&raw.bytes[mark..]);
        let mut entry_id = None;
        let entry = match raw.is_cut {
            true => Err("longer than `max_record_bytes`; only the beginning is shown".to_owned()),
            false => self.entry(&text, &mut entry_id),
        };
        match entry {
            Ok(entry) => Record::Entry(Box::new(entry)),
            Err(reason) => Record::Rejected(
                RejectedRecord::new(
                    format!("line {}", raw.line),
                    reason,
                    match raw.is_cut {
                        true => text.chars().take(SHOWN).collect(),
                        false => text,
                    },
                )
                .with_entry_id(entry_id),
            ),
        }
    }

    fn entry(&self, text: &str, entry_id: &mut Option<String>) -> Read<Entry> {
        let (attributes, text) = split(text)?;
        let id = self.id(attributes.get("$@MID@$"))?;
        *entry_id = Some(id.clone());
        let time = self.time(attributes.get("Date"))?;
        let title = attributes.get(&self.settings.title_attribute);
        let encoding = attributes.get("Encoding");
        let text = match encoding.eq_ignore_ascii_case("html") {
            true => html_text(text).text,
            false => text.trim().to_owned(),
        };
        let mut entry = Entry::new(
            id,
            &self.settings.source_system,
            time,
            join_title(title, &text),
        );
        entry.tenant.clone_from(&self.tenant);
        entry.author = attributes.get(&self.settings.author_attribute).to_owned();
        entry.attachments = self.attachments(attributes.get("Attachment"));
        if entry.raw_text.is_empty() && entry.attachments.is_empty() {
            return Err("no subject, no text and no attachment".to_owned());
        }

        let ids = |key| {
            let numbers = attributes
                .get(key)
                .split(',')
                .filter_map(|id| self.id(id.trim()).ok());
            numbers.collect::<Vec<_>>()
        };
        let (linked, replies) = (ids("In reply to"), ids("Reply to"));
        let mut add = |key: &str, value: Value| {
            if !matches!(&value, Value::String(text) if text.is_empty()) {
                entry.metadata.insert(key.to_owned(), value);
            }
        };
        for (name, value) in attributes.others(&self.settings) {
            add(name, value.into());
        }
        add("title", title.into());
        add("body_format", encoding.into());
        add(
            "logbook",
            self.settings.logbook.clone().unwrap_or_default().into(),
        );
        add(
            "linked_to",
            linked.into_iter().next().unwrap_or_default().into(),
        );
        if !replies.is_empty() {
            add("replies", json!(replies));
        }
        Ok(entry)
    }

    fn id(&self, number: &str) -> Read<String> {
        let number = read_id("$@MID@$", Some(&number.into()))?;
        if number.bytes().any(|byte| !byte.is_ascii_digit()) {
            return Err(format!("`$@MID@$` {number:?} is not a number"));
        }
        Ok(match &self.settings.logbook {
            Some(logbook) => format!("{logbook}/{number}"),
            None => number,
        })
    }

    fn time(&self, date: &str) -> Read<Timestamp> {
        if date.is_empty() {
            return Err("no `Date`".to_owned());
        }
        let parser = DateTimeParser::new().relaxed_weekday(true);
        match parser.parse_timestamp(date) {
            Ok(time) => Ok(time),
            Err(_) => read_timestamp("Date", &date.into(), &self.zone),
        }
    }

    /// Files are stored under the time of their upload and their own name.
    fn attachments(&self, names: &str) -> Vec<Attachment> {
        let names = names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let attachments = names.map(|name| {
            Attachment::default()
                .with_url(self.settings.logbook_url.as_deref().map(|url| {
                    let url = url.trim_end_matches('/');
                    format!("{url}/{}", name.replace(' ', "%20"))
                }))
                .with_filename(without_time(name).to_owned())
        });
        attachments.collect()
    }
}

/// The attributes of a record, in their order.
struct Attributes<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Attributes<'a> {
    /// The value; empty where there is none.
    fn get(&self, name: &str) -> &'a str {
        let found = self
            .0
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    /// Those that the facility defined and that are no field of the entry.
    fn others(&self, settings: &Settings) -> impl Iterator<Item = (&'a str, &'a str)> {
        let known = [
            "$@MID@$",
            "Date",
            "Reply to",
            "In reply to",
            "Attachment",
            "Encoding",
            &settings.author_attribute,
            &settings.title_attribute,
        ];
        let is_other = move |name: &str| !known.iter().any(|own| own.eq_ignore_ascii_case(name));
        self.0
            .iter()
            .copied()
            .filter(move |(name, _)| is_other(name))
    }
}

/// The attributes, and the text behind the line of `=`.
fn split(record: &str) -> Read<(Attributes<'_>, &str)> {
    let mut attributes = Vec::new();
    let mut rest = record;
    while let Some((line, behind)) = rest.split_once('\n') {
        rest = behind;
        let line = line.trim_end();
        if line.len() >= SHORTEST_SEPARATOR && line.bytes().all(|byte| byte == b'=') {
            return Ok((Attributes(attributes), rest));
        }
        if let Some((name, value)) = line.split_once(':') {
            attributes.push((name.trim(), value.trim()));
        }
    }
    Err(match record.starts_with("$@MID@$:") {
        true => "no line of `=` between the attributes and the text".to_owned(),
        false => "no `$@MID@$:` where a record should begin".to_owned(),
    })
}

/// `scope.png` of `240105_083000_scope.png`.
fn without_time(name: &str) -> &str {
    let is_time = |bytes: &[u8]| {
        bytes.len() == 14
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                6 | 13 => *byte == b'_',
                _ => byte.is_ascii_digit(),
            })
    };
    match name.as_bytes().get(..14).is_some_and(is_time) {
        true if name.len() > 14 => &name[14..],
        _ => name,
    }
}
