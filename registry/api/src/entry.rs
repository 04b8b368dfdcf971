//! What is searched: entries of a logbook or a document collection.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::setters::setters;

/// The kind that an entry has when its source names none.
pub const DEFAULT_KIND: &str = "logbook";

/// The tenant that an entry belongs to when tenancy is off.
pub const DEFAULT_TENANT: &str = "default";

/// One entry of a logbook, or one document.
///
/// The fields are those of ARIEL's `EnhancedLogbookEntry`, with `tenant` and
/// `kind` beside them. An id is an opaque string: two ids that differ in any
/// character name two entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Unique within the tenant, never empty.
    pub entry_id: String,
    /// Whose entry it is; a hard filter of every search.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// What sort of text it is (`logbook`, `document`, …).
    #[serde(default = "default_kind")]
    pub kind: String,
    /// The system that the entry came from.
    pub source_system: String,
    /// When the event was logged.
    pub timestamp: Timestamp,
    /// Who wrote it; empty when the source does not say.
    #[serde(default)]
    pub author: String,
    /// The whole text, with the title as its first line where there is one.
    pub raw_text: String,
    /// Files that belong to the entry, by reference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Everything else that the source knows: `title`, `logbook`, `tags`, …
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// A short form of the text, made by an enhancer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Search words, made by an enhancer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// How far each enhancement module got with this entry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub enhancement_status: BTreeMap<String, EnhancementStatus>,
    /// When the store got it first; `None` before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When the store wrote it last; `None` before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// The source of entries that were written with Gannet itself.
pub const OWN_SOURCE: &str = "Gannet";

/// The metadata of an entry that Gannet wrote to deliver a message, such as a
/// digest: the name of what was delivered.
pub const DELIVERED_MESSAGE: &str = "delivered_message";

impl Entry {
    /// Whether Gannet wrote it to deliver a message. An entry of another logbook
    /// may have a field of the same name.
    pub fn is_delivered(&self) -> bool {
        self.source_system == OWN_SOURCE && self.metadata.contains_key(DELIVERED_MESSAGE)
    }

    /// An entry with the four parts that none can lack; the rest is empty.
    pub fn new(
        entry_id: impl Into<String>,
        source_system: impl Into<String>,
        timestamp: Timestamp,
        raw_text: impl Into<String>,
    ) -> Self {
        Self {
            entry_id: entry_id.into(),
            tenant: default_tenant(),
            kind: default_kind(),
            source_system: source_system.into(),
            timestamp,
            author: String::new(),
            raw_text: raw_text.into(),
            attachments: Vec::new(),
            metadata: Map::new(),
            summary: None,
            keywords: Vec::new(),
            enhancement_status: BTreeMap::new(),
            created_at: None,
            updated_at: None,
        }
    }

    /// The title, where the source gave one.
    pub fn title(&self) -> Option<&str> {
        self.metadata
            .get("title")
            .and_then(Value::as_str)
            .filter(|title| !title.is_empty())
    }
}

setters!(Entry {
    with_tenant(tenant: impl Into<String>),
    with_kind(kind: impl Into<String>),
    with_author(author: impl Into<String>),
    with_attachments(attachments: Vec<Attachment>),
    with_metadata(metadata: Map<String, Value>),
    with_keywords(keywords: Vec<String>),
    with_summary(summary: impl Into<Option<String>>),
    with_enhancement_status(enhancement_status: BTreeMap<String, EnhancementStatus>),
    with_created_at(created_at: impl Into<Option<Timestamp>>),
    with_updated_at(updated_at: impl Into<Option<Timestamp>>),
});

/// A file that belongs to an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attachment {
    /// Where the file is; `None` when the source only names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// MIME type.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// A small picture of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnail_url: Option<String>,
    /// What the source says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

setters!(Attachment {
    with_url(url: impl Into<Option<String>>),
    with_mime_type(mime_type: impl Into<Option<String>>),
    with_filename(filename: impl Into<Option<String>>),
    with_thumbnail_url(thumbnail_url: impl Into<Option<String>>),
    with_caption(caption: impl Into<Option<String>>),
});

/// How far one enhancement module got with one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum EnhancementStatus {
    /// Not tried yet, or the text changed since.
    Pending,
    /// Done.
    Complete {
        /// When it was done.
        completed_at: Timestamp,
    },
    /// Tried and failed; it is tried again.
    Failed {
        /// When it failed last.
        failed_at: Timestamp,
        /// Why, in words for an operator.
        error: String,
        /// How often it has failed.
        attempts: u32,
    },
}

fn default_tenant() -> String {
    DEFAULT_TENANT.to_owned()
}

fn default_kind() -> String {
    DEFAULT_KIND.to_owned()
}
