//! XML as a row of nodes, without namespaces.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::{OfficeError, Result};

/// Elements in each other at most.
const MAX_DEPTH: usize = 256;

/// A part of an XML document.
pub(crate) enum Node<'a> {
    /// The beginning of an element.
    Start(&'a Element<'a>),
    /// Its end, by its name.
    End(&'a str),
    /// Text between tags.
    Text(&'a str),
}

/// An element that begins.
pub(crate) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Its name without a prefix.
    pub(crate) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute of this name, whatever its prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        self.find(|key| key.rsplit(':').next() == Some(name))
    }

    /// The id of a relation, which has a prefix.
    pub(crate) fn relation(&self) -> Option<String> {
        self.find(|key| key.ends_with(":id"))
    }

    fn find(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        let mut attributes = attributes.with_checks(false).flatten();
        let found = attributes.find(|attribute| is_wanted(attribute.key.into_inner()))?;
        let value = quick_xml::escape::unescape(&found.value);
        Some(value.map_or_else(|_| found.value.to_string(), |value| value.into_owned()))
    }
}

/// Gives each node of a document, in order.
pub(crate) fn visit(xml: &str, mut take: impl FnMut(Node<'_>) -> Result<()>) -> Result<()> {
    let damaged = |error: quick_xml::Error| OfficeError::Damaged(error.to_string());
    let mut reader = Reader::from_str(xml);
    reader.config_mut().expand_empty_elements = true;
    let mut depth = 0_usize;
    loop {
        match reader.read_event().map_err(damaged)? {
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let (limit, of) = (MAX_DEPTH, "elements in each other");
                    return Err(OfficeError::TooLarge { limit, of });
                }
                take(Node::Start(&Element(start)))?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                take(Node::End(end.local_name().into_inner()))?;
            }
            Event::Text(text) => take(Node::Text(&text))?,
            Event::CData(text) => take(Node::Text(&text))?,
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().map_err(damaged)?;
                let known = quick_xml::escape::resolve_xml_entity(&reference);
                match (character, known) {
                    (Some(character), _) => take(Node::Text(character.encode_utf8(&mut [0; 4])))?,
                    (None, Some(text)) => take(Node::Text(text))?,
                    // What a document declares itself could grow without end.
                    (None, None) => {}
                }
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn text(xml: &str) -> Result<String> {
        let mut text = String::new();
        visit(xml, |node| {
            if let Node::Text(part) = node {
                text.push_str(part);
            }
            Ok(())
        })?;
        Ok(text)
    }

    #[test]
    fn characters_are_resolved_and_entities_of_a_document_are_not() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'xxxx'><!ENTITY y '&x;&x;'>]><a>1 &lt; 2 &#228;&y;</a>";
        assert_eq!(text(bomb).unwrap(), "1 < 2 ä");
        assert_eq!(text("<a><![CDATA[1 < 2]]></a>").unwrap(), "1 < 2");
    }

    #[test]
    fn what_is_too_deep_or_not_valid_is_refused() {
        let deep = "<a>".repeat(100_000);
        assert!(matches!(text(&deep), Err(OfficeError::TooLarge { .. })));
        assert!(matches!(text("<a></b>"), Err(OfficeError::Damaged(_))));
    }
}
