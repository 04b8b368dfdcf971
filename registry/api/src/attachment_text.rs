//! The files of entries, and the texts in them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Context, Entry, Result};

/// The metadata key of the texts of an entry's attachments: a list of objects
/// with `name`, `text` and, of files with pages, `page`. Searches for words
/// look at the texts; a hit shows them as highlights with their
/// [`source`](crate::Highlight::source).
pub const ATTACHMENT_TEXT: &str = "attachment_text";

/// A text in an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttachmentText<'e> {
    /// The name of the file.
    pub name: &'e str,
    /// The page, from 1, where the file has pages.
    pub page: Option<u64>,
    /// The text.
    pub text: &'e str,
}

impl AttachmentText<'_> {
    /// Where the text is, for a person: `report.pdf, page 3`.
    pub fn place(&self) -> String {
        match self.page {
            Some(page) => format!("{}, page {page}", self.name),
            None => self.name.to_owned(),
        }
    }
}

impl Entry {
    /// The texts of the attachments that were read.
    pub fn attachment_texts(&self) -> impl Iterator<Item = AttachmentText<'_>> {
        let list = self.metadata.get(ATTACHMENT_TEXT).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|member| {
            Some(AttachmentText {
                name: member.get("name")?.as_str()?,
                page: member.get("page").and_then(Value::as_u64),
                text: member.get("text")?.as_str()?,
            })
        })
    }
}

/// Texts of attachments as the metadata holds them, under [`ATTACHMENT_TEXT`].
pub fn attachment_metadata<'t>(
    texts: impl IntoIterator<Item = (&'t str, Option<u64>, String)>,
) -> Map<String, Value> {
    let texts = texts.into_iter().map(|(name, page, text)| {
        let mut member = Map::new();
        member.insert("name".to_owned(), name.into());
        if let Some(page) = page {
            member.insert("page".to_owned(), page.into());
        }
        member.insert("text".to_owned(), text.into());
        Value::Object(member)
    });
    Map::from_iter([(ATTACHMENT_TEXT.to_owned(), texts.collect())])
}

/// A request for a file that was uploaded with an entry;
/// [`Context::attachment`] makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttachmentRequest {
    /// The attachment's address, as its entry has it.
    pub url: String,
}

impl AttachmentRequest {
    /// The host service that answers it with the file's bytes; see
    /// [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "attachment";
}

impl Context {
    /// The bytes of a file that was uploaded to this host, by the address that
    /// the attachment has, for the tenant of the call.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for an address of anything
    /// else, a file of another tenant, and from a host without this service;
    /// [`Error::InvalidInput`](crate::Error::InvalidInput) for a file of more
    /// than 16 MiB.
    pub async fn attachment(&self, url: impl Into<String>) -> Result<Vec<u8>> {
        let request = AttachmentRequest { url: url.into() };
        let payload = serde_json::to_vec(&request)
            .map_err(|error| crate::Error::internal(error.to_string()))?;
        let service = AttachmentRequest::SERVICE;
        self.host().call(&self.call, service, payload).await
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use jiff::Timestamp;

    use super::*;

    #[test]
    fn texts_come_back_as_they_were_put_in() {
        let mut entry = Entry::new("1", "test", Timestamp::UNIX_EPOCH, "text");
        assert_eq!(entry.attachment_texts().count(), 0);
        let texts = [
            ("a.pdf", Some(3), "Trip".to_owned()),
            ("b.txt", None, "Reset".to_owned()),
        ];
        entry.metadata = attachment_metadata(texts);
        let places: Vec<String> = entry.attachment_texts().map(|of| of.place()).collect();
        assert_eq!(places, ["a.pdf, page 3", "b.txt"]);
        assert_eq!(entry.attachment_texts().last().unwrap().text, "Reset");
    }
}
