//! Title, author and time of the last change, as documents keep them.

use crate::archive::Archive;
use crate::xml::{Node, visit};
use crate::{Document, Result};

/// A document with the properties in a part of XML; without them where the
/// part is missing.
pub(crate) fn document(
    archive: &mut Archive<'_>,
    format: &'static str,
    part: &str,
) -> Result<Document> {
    let mut document = Document {
        format,
        ..Document::default()
    };
    if let Some(xml) = archive.text(part)? {
        read(&xml, &mut document)?;
    }
    Ok(document)
}

/// Reads the elements of Dublin Core and those that stand beside them.
pub(crate) fn read(xml: &str, document: &mut Document) -> Result<()> {
    let mut text = String::new();
    let mut created = None;
    visit(xml, |node| {
        match node {
            Node::Start(_) => text.clear(),
            Node::Text(part) => text.push_str(part),
            Node::End(name) => {
                let value = text.trim();
                let value = (!value.is_empty()).then(|| value.to_owned());
                match name {
                    "title" => document.title = document.title.take().or(value),
                    "creator" => document.author = document.author.take().or(value),
                    "modified" | "date" => document.changed = document.changed.take().or(value),
                    "created" | "creation-date" => created = created.take().or(value),
                    _ => {}
                }
                text.clear();
            }
        }
        Ok(())
    })?;
    document.changed = document.changed.take().or(created);
    Ok(())
}
