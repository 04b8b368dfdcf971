//! A mail as an entry, and the files that are attached to it as others.

use std::borrow::Cow;

use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{Read, RejectedRecord, join_title};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{html_text, with_line_feeds};
use jiff::Timestamp;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{
    Addr, Address, Encoding, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders,
    PartType,
};
use serde_json::Value;

use crate::document::{Conversion, Source};

/// Mails within each other that are read.
const MAX_DEPTH: usize = 3;
/// Attached files of a mail that are read.
const MAX_ATTACHMENTS: usize = 100;
/// Parts of a mail, at most: the parser needs stack for each mail within another.
const MAX_PARTS: usize = 500;
/// The field that each mail within another has, or the digest that it is in.
const OF_A_PART: &[u8] = b"content-type";
/// Fields of which a mail begins with one.
const FIRST_FIELDS: [&[u8]; 13] = [
    b"return-path:",
    b"received:",
    b"from:",
    b"to:",
    b"cc:",
    b"subject:",
    b"date:",
    b"message-id:",
    b"mime-version:",
    b"delivered-to:",
    b"content-type:",
    b"x-",
    b"dkim-signature:",
];

/// Whether a file is a mail: by its name, or by fields that every mail has.
pub(crate) fn is_mail(name: &str, bytes: &[u8]) -> bool {
    if name.to_ascii_lowercase().ends_with(".eml") {
        return true;
    }
    let start = bytes.get(..bytes.len().min(40)).unwrap_or_default();
    let start = start.to_ascii_lowercase();
    if !FIRST_FIELDS.iter().any(|field| start.starts_with(field)) {
        return false;
    }
    let message = MessageParser::default().parse_headers(bytes);
    message.is_some_and(|message| {
        message.from().is_some() && message.date().is_some() && message.subject().is_some()
    })
}

impl Conversion {
    /// The entry of a mail, and the records of the files that are attached to
    /// it.
    pub(crate) fn mail(
        &self,
        source: &Source<'_>,
        bytes: &[u8],
        format: &str,
    ) -> Read<Vec<Record>> {
        if has_many_parts(bytes) {
            return Err(format!("a mail of more than {MAX_PARTS} parts"));
        }
        let message = MessageParser::default().parse(bytes);
        let message = message.ok_or_else(|| "not a mail: it has no header".to_owned())?;
        if message.from().is_none() && message.date().is_none() && message.subject().is_none() {
            return Err("not a mail: it has neither `From`, `Date` nor `Subject`".to_owned());
        }
        let entry = self.mail_entry(source, &message, format)?;
        let time = entry.timestamp;
        let mut records = vec![Record::Entry(Box::new(entry))];
        for (number, part) in (1..).zip(message.attachments().take(MAX_ATTACHMENTS)) {
            let content = content(message.raw_message(), part);
            records.extend(self.attached(source, (part, &content), number, time));
        }
        Ok(records)
    }

    fn mail_entry(&self, source: &Source<'_>, message: &Message<'_>, format: &str) -> Read<Entry> {
        let subject = message.subject().unwrap_or_default().trim();
        let text = body(message);
        let attachments: Vec<Attachment> = message.attachments().map(attachment).collect();
        if subject.is_empty() && text.is_empty() && attachments.is_empty() {
            return Err("no text".to_owned());
        }
        let seconds = message.date().filter(|date| date.is_valid());
        let seconds = seconds.map(mail_parser::DateTime::to_timestamp);
        let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        let author = message.from().and_then(Address::first).map(written);
        let time = time.unwrap_or(source.time);
        let text = join_title(subject, &text);
        let mut entry = self.new_entry(source.id, time, text, author.as_deref());
        self.describe(&mut entry, source, subject, format);
        entry.attachments = attachments;

        let mut add = |key: &str, value: Value| {
            if !matches!(&value, Value::Null) && value != Value::Array(Vec::new()) {
                entry.metadata.insert(key.to_owned(), value);
            }
        };
        add("to", addresses(message.to()).into());
        add("cc", addresses(message.cc()).into());
        let references = ids(message.references());
        let replied_to = ids(message.in_reply_to());
        let own = message.message_id().map(str::to_owned);
        // The mail that began the conversation.
        let first = references.first().or(replied_to.first()).cloned();
        add("thread", first.or(own.clone()).into());
        add("message_id", own.into());
        add("in_reply_to", replied_to.into());
        Ok(entry)
    }

    /// The records of an attached file; one that cannot be read is rejected.
    /// Of a picture and the like there are none, since the mail names it.
    fn attached(
        &self,
        mail: &Source<'_>,
        (part, content): (&MessagePart<'_>, &[u8]),
        number: usize,
        time: Timestamp,
    ) -> Vec<Record> {
        let is_message = matches!(part.body, PartType::Message(_));
        let name = part.attachment_name().map_or_else(
            || match is_message {
                true => "message.eml".to_owned(),
                false => format!("attachment-{number}"),
            },
            |name| name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned(),
        );
        if mail.depth >= MAX_DEPTH {
            return Vec::new();
        }
        let id = format!("{}#attachment={number}", mail.id);
        let source = Source {
            id: &id,
            file: mail.file,
            name: &name,
            time,
            depth: mail.depth + 1,
        };
        let read = match &part.body {
            PartType::Message(message) => self.mail(&source, message.raw_message(), "eml"),
            PartType::Multipart(_) => return Vec::new(),
            _ if is_without_text(part) => return Vec::new(),
            _ => self.parts(&source, content),
        };
        let mut records = read.unwrap_or_else(|reason| {
            let position = format!("file `{}`, attachment {number} `{name}`", mail.id);
            let rejected = RejectedRecord::new(position, reason, String::new());
            vec![Record::Rejected(rejected.with_entry_id(id.clone()))]
        });
        for record in &mut records {
            let Record::Entry(entry) = record else {
                continue;
            };
            entry.metadata.insert("file".to_owned(), mail.id.into());
            entry
                .metadata
                .insert("attachment".to_owned(), name.clone().into());
        }
        records
    }
}

fn has_many_parts(bytes: &[u8]) -> bool {
    let windows = bytes.windows(OF_A_PART.len());
    let parts = windows.filter(|window| window.eq_ignore_ascii_case(OF_A_PART));
    parts.take(MAX_PARTS + 1).count() > MAX_PARTS
}

/// Whether a part has no text by its kind: a picture, a recording, a signature.
fn is_without_text(part: &MessagePart<'_>) -> bool {
    part.content_type().is_some_and(|kind| {
        let subtype = kind.subtype().unwrap_or_default();
        matches!(kind.ctype(), "image" | "audio" | "video") || subtype.ends_with("signature")
    })
}

/// The bytes of a part. A text without a charset is given as it was sent, so that
/// its encoding is found as that of a file is.
fn content<'m>(raw: &[u8], part: &'m MessagePart<'_>) -> Cow<'m, [u8]> {
    let known = part.contents();
    let charset = part
        .content_type()
        .and_then(|kind| kind.attribute("charset"));
    if !matches!(part.body, PartType::Text(_)) || charset.is_some() {
        return Cow::Borrowed(known);
    }
    let sent = raw.get(part.offset_body as usize..part.offset_end as usize);
    let decoded = sent.and_then(|sent| match part.encoding {
        Encoding::Base64 => base64_decode(sent),
        Encoding::QuotedPrintable => quoted_printable_decode(sent),
        Encoding::None => Some(sent.to_vec()),
    });
    decoded.map_or(Cow::Borrowed(known), Cow::Owned)
}

/// The text of a mail: what it says as plain text, or else as a page.
fn body(message: &Message<'_>) -> String {
    let parts = message.text_bodies().filter_map(|part| match &part.body {
        PartType::Text(text) => Some(with_line_feeds(text.trim())),
        PartType::Html(html) => Some(html_text(html).text),
        _ => None,
    });
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn attachment(part: &MessagePart<'_>) -> Attachment {
    let kind = part.content_type().map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    Attachment::default()
        .with_filename(part.attachment_name().map(str::to_owned))
        .with_mime_type(kind)
}

fn written(address: &Addr<'_>) -> String {
    let name = address.name().or(address.address());
    name.unwrap_or_default().to_owned()
}

fn addresses(list: Option<&Address<'_>>) -> Vec<String> {
    let members = list.into_iter().flat_map(Address::iter);
    members.map(written).filter(|one| !one.is_empty()).collect()
}

/// The ids of mails in a field.
fn ids(field: &HeaderValue<'_>) -> Vec<String> {
    match field {
        HeaderValue::Text(id) => vec![id.to_string()],
        HeaderValue::TextList(ids) => ids.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
