//! Entries as ARIEL shows them.

use gannet_core::api::{Entry, Highlight};
use gannet_core::{Gannet, SearchHit};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// An entry, with what a search says of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct EntryReply {
    /// Its id.
    pub entry_id: String,
    /// The system that it came from.
    pub source_system: String,
    /// When it was logged, in the time zone of the facility.
    pub timestamp: String,
    /// Who wrote it; may be empty.
    pub author: String,
    /// The whole text, the title first.
    pub raw_text: String,
    /// Its files.
    pub attachments: Vec<AttachmentReply>,
    /// What else its source knows.
    pub metadata: Map<String, Value>,
    /// When the store got it.
    pub created_at: Option<String>,
    /// When the store wrote it last.
    pub updated_at: Option<String>,
    /// A short form of the text.
    pub summary: Option<String>,
    /// Search words of the entry.
    pub keywords: Vec<String>,
    /// The score that made the order, in a search.
    pub score: Option<f64>,
    /// Parts of the text, escaped as HTML, with the matches in `<b>`.
    pub highlights: Vec<String>,
    /// What sort of text it is.
    pub kind: String,
    /// What sort of number the score is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_kind: Option<&'static str>,
    /// The probability that the entry is about what was searched, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// The same parts as `highlights`, as plain text with byte ranges.
    #[schemars(with = "Option<Vec<Value>>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<Highlight>,
    /// Which modules found it, with rank and score.
    #[schemars(with = "Option<Vec<Value>>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provenance: Vec<Value>,
    /// Its address in the facility's logbook, by `server.entry_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_url: Option<String>,
}

/// A file of an entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AttachmentReply {
    /// Where it is; empty where the source only names it.
    url: String,
    /// The MIME type.
    #[serde(rename = "type")]
    mime_type: Option<String>,
    /// Its name.
    filename: Option<String>,
    /// A small picture of it.
    thumbnail_url: Option<String>,
    /// What the source says of it.
    caption: Option<String>,
}

/// Shows entries in the time zone and with the addresses of a facility.
pub(crate) struct Presenter<'g> {
    gannet: &'g Gannet,
    timezone: TimeZone,
}

impl<'g> Presenter<'g> {
    pub fn new(gannet: &'g Gannet) -> Self {
        Self {
            timezone: gannet.time_zone(),
            gannet,
        }
    }

    /// An entry by itself.
    pub fn entry(&self, entry: Entry) -> EntryReply {
        let entry_url = self.gannet.entry_url(&entry);
        let attachments = entry.attachments.into_iter();
        let attachments = attachments.map(|attachment| AttachmentReply {
            url: attachment.url.unwrap_or_default(),
            mime_type: attachment.mime_type,
            filename: attachment.filename,
            thumbnail_url: attachment.thumbnail_url,
            caption: attachment.caption,
        });
        EntryReply {
            entry_url,
            entry_id: entry.entry_id,
            source_system: entry.source_system,
            timestamp: self.time(entry.timestamp),
            author: entry.author,
            raw_text: entry.raw_text,
            attachments: attachments.collect(),
            metadata: entry.metadata,
            created_at: entry.created_at.map(|time| self.time(time)),
            updated_at: entry.updated_at.map(|time| self.time(time)),
            summary: entry.summary,
            keywords: entry.keywords,
            score: None,
            highlights: Vec::new(),
            kind: entry.kind,
            score_kind: None,
            relevance: None,
            fragments: Vec::new(),
            provenance: Vec::new(),
        }
    }

    /// An entry that a search found.
    pub fn hit(&self, hit: SearchHit) -> EntryReply {
        let provenance = hit.provenance.iter().map(serde_json::to_value);
        EntryReply {
            score: Some(hit.score),
            score_kind: Some(hit.score_kind.name()),
            relevance: hit.relevance,
            highlights: hit.highlights.iter().map(as_html).collect(),
            provenance: provenance.filter_map(Result::ok).collect(),
            fragments: hit.highlights,
            ..self.entry(hit.entry)
        }
    }

    /// A time as Python's `isoformat` writes it, with the offset of the zone.
    pub fn time(&self, time: Timestamp) -> String {
        let time = time.to_zoned(self.timezone.clone());
        time.strftime("%Y-%m-%dT%H:%M:%S%.f%:z").to_string()
    }
}

/// The text of a highlight, escaped, with its matches in `<b>`; before that of
/// an attachment the attachment's name.
fn as_html(highlight: &Highlight) -> String {
    let mut html = String::new();
    if let Some(source) = &highlight.source {
        escape(source, &mut html);
        html.push_str(": ");
    }
    let mut done = 0;
    for (start, end) in &highlight.ranges {
        let before = highlight.text.get(done..*start);
        let matched = highlight.text.get(*start..*end);
        let (Some(before), Some(matched)) = (before, matched) else {
            continue;
        };
        escape(before, &mut html);
        html.push_str("<b>");
        escape(matched, &mut html);
        html.push_str("</b>");
        done = *end;
    }
    escape(highlight.text.get(done..).unwrap_or_default(), &mut html);
    html
}

fn escape(text: &str, html: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlights_are_escaped_around_and_within_their_marks() {
        let highlight = Highlight::new("<img onerror> p < 5 \"mbar\"", vec![(0, 4), (14, 15)]);
        assert_eq!(
            as_html(&highlight),
            "<b>&lt;img</b> onerror&gt; <b>p</b> &lt; 5 &quot;mbar&quot;"
        );
        let attached = Highlight::new("RF trip", vec![(3, 7)]).with_source("<a>.txt".to_owned());
        assert_eq!(as_html(&attached), "&lt;a&gt;.txt: RF <b>trip</b>");
    }
}
