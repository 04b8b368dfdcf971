//! The texts of the files of one entry, as far as there is room.

use gannet_pdf::Limits;
use gannet_plugin::entry::Attachment;
use gannet_sources::{html_text, plain_text};

use crate::format::Format;

/// One text.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) page: Option<u64>,
    pub(crate) text: String,
}

/// The texts until now.
pub(crate) struct Texts {
    parts: Vec<Text>,
    /// Bytes that there is room for.
    room: usize,
}

impl Texts {
    pub(crate) fn new(room: usize) -> Self {
        Self {
            parts: Vec::new(),
            room,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.room == 0
    }

    pub(crate) fn into_parts(self) -> Vec<Text> {
        self.parts
    }

    /// Adds what can be read of a file.
    pub(crate) fn add(&mut self, attachment: &Attachment, bytes: &[u8]) {
        let name = attachment.filename.as_deref().or(attachment.url.as_deref());
        let name = name.unwrap_or_default();
        let text = || plain_text(bytes).unwrap_or_default();
        match Format::of(attachment, bytes) {
            Some(Format::Plain) => self.push(name, None, &text()),
            Some(Format::Html) => self.push(name, None, &html_text(&text()).text),
            Some(Format::Pdf) => self.add_pdf(name, bytes),
            None => {}
        }
    }

    fn add_pdf(&mut self, name: &str, bytes: &[u8]) {
        // One that cannot be read has no text; that it is there can be seen.
        let pages = gannet_pdf::read(bytes, &Limits::default()).map(|document| document.pages);
        for (page, text) in (1..).zip(pages.unwrap_or_default()) {
            self.push(name, Some(page), &text);
        }
    }

    fn push(&mut self, name: &str, page: Option<u64>, text: &str) {
        let text = text.trim();
        let end = text.floor_char_boundary(self.room.min(text.len()));
        self.room = match end < text.len() {
            // The rest of a text is missing: nothing behind it is there.
            true => 0,
            false => self.room - end,
        };
        if end > 0 {
            self.parts.push(Text {
                name: name.to_owned(),
                page,
                text: text[..end].to_owned(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_room_for_is_left_out() {
        let named = |name: &str| Attachment::default().with_filename(name.to_owned());
        let mut texts = Texts::new(10);
        texts.add(&named("a.txt"), b"\xef\xbb\xbfBeam \r\n");
        texts.add(&named("b.bin"), b"unknown");
        texts.add(&named("c.txt"), "lost ä ö".as_bytes());
        assert!(texts.is_full());
        texts.add(&named("d.txt"), b"more");
        let parts = texts.into_parts();
        let parts: Vec<(&str, &str)> = parts
            .iter()
            .map(|of| (of.name.as_str(), of.text.as_str()))
            .collect();
        assert_eq!(parts, [("a.txt", "Beam"), ("c.txt", "lost ")]);
    }
}
