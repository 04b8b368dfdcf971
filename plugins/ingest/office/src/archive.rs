//! The parts of a file, which is an archive.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::budget::Budget;
use crate::{OfficeError, Result};

/// The end of an archive, which has the number of its parts.
const END: &[u8] = b"PK\x05\x06";
/// Bytes of the end, without its comment.
const END_BYTES: usize = 22;

/// An open archive.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    pub(crate) budget: Budget<'a>,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(bytes: &'a [u8], budget: Budget<'a>) -> Result<Self> {
        // The table of parts is held in memory.
        budget.check_files(count_of_parts(bytes)?)?;
        let zip = ZipArchive::new(Cursor::new(bytes));
        let zip = zip.map_err(|error| OfficeError::Damaged(error.to_string()))?;
        Ok(Self { zip, budget })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The text of a part; `None` where it is missing.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>> {
        let damaged = |error: String| OfficeError::Damaged(format!("`{name}`: {error}"));
        let part = match self.zip.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err(OfficeError::Encrypted);
            }
            Err(error) => return Err(damaged(error.to_string())),
        };
        // One byte more than allowed tells a part that is too large.
        let most = self.budget.decodable() as u64 + 1;
        let mut bytes = Vec::new();
        let read = part.take(most).read_to_end(&mut bytes);
        read.map_err(|error| damaged(error.to_string()))?;
        self.budget.take_decoded(bytes.len())?;
        Ok(Some(decoded(&bytes)))
    }

    /// The text of a part that has to be there.
    pub(crate) fn needed(&mut self, name: &str) -> Result<String> {
        self.text(name)?
            .ok_or_else(|| OfficeError::Damaged(format!("`{name}` is missing")))
    }
}

fn count_of_parts(bytes: &[u8]) -> Result<usize> {
    let cut_off = || OfficeError::Damaged("it is cut off".to_owned());
    let last = bytes
        .len()
        .saturating_sub(END_BYTES + usize::from(u16::MAX));
    let end = &bytes[last..];
    let place = end.windows(END.len()).rposition(|window| window == END);
    let place = place.ok_or_else(cut_off)?;
    match end.get(place + 10..place + 12) {
        Some(&[low, high]) => Ok(usize::from(u16::from_le_bytes([low, high]))),
        _ => Err(cut_off()),
    }
}

/// XML is in UTF-8, or in UTF-16 with a byte order mark.
fn decoded(bytes: &[u8]) -> String {
    let (encoding, mark) = gannet_sources::TextEncoding::find(bytes, false);
    match mark {
        0 => String::from_utf8_lossy(bytes).into_owned(),
        mark => encoding.text(&bytes[mark..]),
    }
}
