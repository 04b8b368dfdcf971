//! What a file may take.

use crate::PdfError;

/// Objects are held in memory, with some 60 bytes each.
const MOST_OBJECTS: usize = 4_000_000;

/// What a file may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all streams that are looked at, decoded; a stream that is used
    /// twice counts twice.
    pub max_decoded_bytes: usize,
    /// Pages.
    pub max_pages: usize,
    /// Bytes of text.
    pub max_text_bytes: usize,
}

/// 64 MiB of streams, 5,000 pages, 16 MiB of text.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_decoded_bytes: 64 << 20,
            max_pages: 5_000,
            max_text_bytes: 16 << 20,
        }
    }
}

/// What is left of the limits, and whether something could not be decoded.
pub(crate) struct Budget<'a> {
    limits: &'a Limits,
    decoded: usize,
    objects: usize,
    branches: usize,
    text: usize,
    is_damaged: bool,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            decoded: 0,
            objects: 0,
            branches: 0,
            text: 0,
            is_damaged: false,
        }
    }

    /// That a stream was decoded up to its damage only, or that a part of the
    /// file is not there.
    pub(crate) fn note_damage(&mut self) {
        self.is_damaged = true;
    }

    /// Whether there was damage since this was asked before.
    pub(crate) fn take_damage(&mut self) -> bool {
        std::mem::take(&mut self.is_damaged)
    }

    /// Bytes that may still be decoded.
    pub(crate) fn decodable(&self) -> usize {
        self.limits.max_decoded_bytes - self.decoded
    }

    pub(crate) fn take_decoded(&mut self, bytes: usize) -> Result<(), PdfError> {
        let limit = self.limits.max_decoded_bytes;
        take(&mut self.decoded, bytes, limit, "bytes of decoded data")
    }

    /// Objects that the file holds, in lists and dictionaries too.
    pub(crate) fn take_objects(&mut self, objects: usize) -> Result<(), PdfError> {
        take(&mut self.objects, objects, MOST_OBJECTS, "objects")
    }

    /// Parts of the tree of pages, pages among them.
    pub(crate) fn take_branches(&mut self, branches: usize) -> Result<(), PdfError> {
        take(
            &mut self.branches,
            branches,
            MOST_OBJECTS,
            "parts of the tree of pages",
        )
    }

    pub(crate) fn take_text(&mut self, bytes: usize) -> Result<(), PdfError> {
        let limit = self.limits.max_text_bytes;
        take(&mut self.text, bytes, limit, "bytes of text")
    }

    /// A page's text, before it is whole.
    pub(crate) fn check_text(&self, bytes: usize) -> Result<(), PdfError> {
        take(
            &mut self.text.clone(),
            bytes,
            self.limits.max_text_bytes,
            "bytes of text",
        )
    }

    pub(crate) fn check_pages(&self, pages: usize) -> Result<(), PdfError> {
        take(&mut 0, pages, self.limits.max_pages, "pages")
    }
}

fn take(used: &mut usize, more: usize, limit: usize, of: &'static str) -> Result<(), PdfError> {
    let wanted = used.saturating_add(more);
    if wanted > limit {
        return Err(PdfError::TooLarge { limit, of });
    }
    *used = wanted;
    Ok(())
}
