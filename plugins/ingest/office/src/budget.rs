//! What is left of the limits of a file.

use crate::{Limits, OfficeError, Result};

/// What is left of the limits.
pub(crate) struct Budget<'a> {
    pub(crate) limits: &'a Limits,
    decoded: usize,
    text: usize,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            decoded: 0,
            text: 0,
        }
    }

    /// Bytes that may still be decoded.
    pub(crate) fn decodable(&self) -> usize {
        self.limits.max_decoded_bytes - self.decoded
    }

    pub(crate) fn take_decoded(&mut self, bytes: usize) -> Result<()> {
        let limit = self.limits.max_decoded_bytes;
        take(&mut self.decoded, bytes, limit, "bytes of decoded data")
    }

    pub(crate) fn take_text(&mut self, bytes: usize) -> Result<()> {
        let limit = self.limits.max_text_bytes;
        take(&mut self.text, bytes, limit, "bytes of text")
    }

    /// Whether so much text may still come, which is not counted yet.
    pub(crate) fn check_text(&self, bytes: usize) -> Result<()> {
        let limit = self.limits.max_text_bytes;
        take(&mut self.text.clone(), bytes, limit, "bytes of text")
    }

    pub(crate) fn check_files(&self, files: usize) -> Result<()> {
        take(&mut 0, files, self.limits.max_files, "parts")
    }
}

fn take(used: &mut usize, more: usize, limit: usize, of: &'static str) -> Result<()> {
    let wanted = used.saturating_add(more);
    if wanted > limit {
        return Err(OfficeError::TooLarge { limit, of });
    }
    *used = wanted;
    Ok(())
}
