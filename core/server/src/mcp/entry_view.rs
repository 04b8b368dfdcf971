//! How entries are shown to an agent.

use gannet_core::Gannet;
use gannet_core::api::{Attachment, Entry};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// An entry, as an agent sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct EntryView {
    /// Id of the entry; cite it as `[#id]`.
    pub(super) entry_id: String,
    /// When it was logged: RFC 3339 in the facility's time zone.
    pub(super) timestamp: String,
    /// Who wrote it; empty if unknown.
    pub(super) author: String,
    /// The system it comes from.
    pub(super) source_system: String,
    /// Its title, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// Its text; the beginning of it if `text_truncated`.
    pub(super) raw_text: String,
    /// Whether the text is longer; `entry_get` returns all of it.
    pub(super) text_truncated: bool,
    /// A short form of the text, if there is one.
    pub(super) summary: Option<String>,
    /// Where people read it. Link it verbatim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) entry_url: Option<String>,
}

/// An entry with all of its parts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct WholeEntry {
    #[serde(flatten)]
    pub(super) view: EntryView,
    /// What sort of text it is.
    kind: String,
    /// Search words that were computed from the text.
    keywords: Vec<String>,
    /// Everything else that the source says: logbook, tags, shift and more.
    metadata: Map<String, Value>,
    /// Files of the entry, by reference.
    attachments: Vec<AttachmentView>,
}

/// A file of an entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct AttachmentView {
    /// Where the file is.
    url: Option<String>,
    /// MIME type.
    #[serde(rename = "type")]
    mime_type: Option<String>,
    /// Name of the file.
    filename: Option<String>,
    /// What the source says about it.
    caption: Option<String>,
}

/// Shows entries: the facility's time zone, and the address of an entry.
#[derive(Clone)]
pub(super) struct EntryViews {
    timezone: TimeZone,
    gannet: Gannet,
}

impl EntryViews {
    pub(super) fn of(gannet: &Gannet) -> Self {
        Self {
            timezone: gannet.time_zone(),
            gannet: gannet.clone(),
        }
    }

    /// An entry with at most so many characters of its text.
    pub(super) fn view(&self, entry: &Entry, text_chars: usize) -> EntryView {
        let raw_text: String = entry.raw_text.chars().take(text_chars).collect();
        EntryView {
            entry_id: entry.entry_id.clone(),
            timestamp: self.time(entry.timestamp),
            author: entry.author.clone(),
            source_system: entry.source_system.clone(),
            title: entry.title().map(str::to_owned),
            text_truncated: raw_text.len() < entry.raw_text.len(),
            raw_text,
            summary: entry.summary.clone(),
            entry_url: self.gannet.entry_url(entry),
        }
    }

    /// An entry with all of its parts.
    pub(super) fn whole(&self, entry: &Entry) -> WholeEntry {
        WholeEntry {
            view: self.view(entry, usize::MAX),
            kind: entry.kind.clone(),
            keywords: entry.keywords.clone(),
            metadata: entry.metadata.clone(),
            attachments: entry.attachments.iter().map(attachment).collect(),
        }
    }

    /// A time in the facility's time zone, with its offset.
    pub(super) fn time(&self, time: Timestamp) -> String {
        let offset = self.timezone.to_offset(time);
        time.display_with_offset(offset).to_string()
    }
}

fn attachment(attachment: &Attachment) -> AttachmentView {
    AttachmentView {
        url: attachment.url.clone(),
        mime_type: attachment.mime_type.clone(),
        filename: attachment.filename.clone(),
        caption: attachment.caption.clone(),
    }
}
