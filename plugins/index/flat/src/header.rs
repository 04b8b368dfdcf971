//! The header of a segment file.
//!
//! 256 bytes: magic, version, byte-order mark, dimension, rows, applied
//! sequence, model digest, then offset, length and CRC32 of each section, and
//! a CRC32 over the header itself. Sections begin at multiples of 64 bytes.
//! Numbers in the sections have the byte order of the machine that wrote them
//! (they are mapped, not parsed); the mark tells when that is another one.

use std::ops::Range;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::VectorError;

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 256;
/// Sections begin at multiples of this.
pub(super) const ALIGNMENT: usize = 64;

const MAGIC: &[u8; 8] = b"GNTVSEGM";
const VERSION: u32 = 2;
const BYTE_ORDER_MARK: u32 = 0x0102_0304;
const CHECKSUM_AT: usize = HEADER_BYTES - 4;

/// The sections of a segment, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// `f32` x padded dimension: what is subtracted before taking signs.
    Mean,
    /// `u64`: blocks of 1-bit codes, eight rows each.
    Codes,
    /// `i8` x padded dimension a row.
    Int8,
    /// `f32` a row: scale of its int8 codes.
    Scales,
    /// `u64` a row: the caller's key.
    Keys,
    /// `i8` x padded dimension a row: what the int8 codes round off.
    Lower,
}

impl Section {
    /// All sections, in the order of the file.
    pub(super) const ALL: [Self; 6] = [
        Self::Mean,
        Self::Codes,
        Self::Int8,
        Self::Scales,
        Self::Keys,
        Self::Lower,
    ];
}

/// Where a section lies, and its CRC32.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Bytes from the beginning of the file.
    pub(super) bytes: Range<usize>,
    /// CRC32 over these bytes.
    pub(super) checksum: u32,
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dimension: usize,
    pub(super) rows: usize,
    pub(super) applied_seq: u64,
    /// SHA-256 of the model's id.
    pub(super) model_digest: [u8; 32],
    pub(super) sections: [Extent; 6],
}

/// The digest of a model's id, as stored in headers.
pub(super) fn model_digest(model: &str) -> [u8; 32] {
    Sha256::digest(model.as_bytes()).into()
}

impl Header {
    /// Where `section` lies.
    pub(super) fn extent(&self, section: Section) -> &Extent {
        &self.sections[section as usize]
    }

    /// The header as bytes.
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(BYTE_ORDER_MARK.to_ne_bytes());
        for number in [self.dimension as u64, self.rows as u64, self.applied_seq] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.model_digest);
        for extent in &self.sections {
            bytes.extend((extent.bytes.start as u64).to_le_bytes());
            bytes.extend((extent.bytes.len() as u64).to_le_bytes());
            bytes.extend(extent.checksum.to_le_bytes());
        }
        let mut header = [0; HEADER_BYTES];
        header[..bytes.len()].copy_from_slice(&bytes);
        let checksum = crc32fast::hash(&header[..CHECKSUM_AT]);
        header[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());
        header
    }

    /// Reads and checks the header of the file at `path`, whose bytes are `file`.
    pub(super) fn decode(file: &[u8], path: &Path) -> Result<Self, VectorError> {
        let corrupt = |reason: &str| VectorError::corrupt(path, reason);
        let Some((header, _)) = file.split_first_chunk::<HEADER_BYTES>() else {
            return Err(corrupt("shorter than its header"));
        };
        let mut fields = Fields(header);
        if fields.take::<8>() != *MAGIC {
            return Err(corrupt("not a vector segment"));
        }
        if crc32fast::hash(&header[..CHECKSUM_AT]).to_le_bytes() != header[CHECKSUM_AT..] {
            return Err(corrupt("the checksum of the header does not fit"));
        }
        if u32::from_le_bytes(fields.take()) != VERSION {
            return Err(VectorError::OtherVersion {
                path: path.to_path_buf(),
            });
        }
        if u32::from_ne_bytes(fields.take()) != BYTE_ORDER_MARK {
            return Err(corrupt("written on a machine of the other byte order"));
        }
        let decoded = Self {
            dimension: fields.size(),
            rows: fields.size(),
            applied_seq: u64::from_le_bytes(fields.take()),
            model_digest: fields.take(),
            sections: std::array::from_fn(|_| fields.extent()),
        };
        let end = decoded.sections.iter().map(|extent| extent.bytes.end).max();
        if end != Some(file.len()) {
            return Err(corrupt("its length is not what the header says"));
        }
        Ok(decoded)
    }
}

/// Takes fields off the front of a header. It is longer than all fields
/// together, so what would be missing at the end reads as zero.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((field, rest)) = self.0.split_first_chunk::<N>() else {
            return [0; N];
        };
        self.0 = rest;
        *field
    }

    fn size(&mut self) -> usize {
        usize::try_from(u64::from_le_bytes(self.take())).unwrap_or(usize::MAX)
    }

    fn extent(&mut self) -> Extent {
        let start = self.size();
        let length = self.size();
        Extent {
            bytes: start..start.saturating_add(length),
            checksum: u32::from_le_bytes(self.take()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::path::Path;

    use super::{Extent, HEADER_BYTES, Header, model_digest};
    use crate::VectorError;

    fn header() -> Header {
        let mut header = Header {
            dimension: 384,
            rows: 7,
            applied_seq: 99,
            model_digest: model_digest("a model"),
            sections: Default::default(),
        };
        header.sections[5] = Extent {
            bytes: HEADER_BYTES..HEADER_BYTES + 10,
            checksum: 5,
        };
        header
    }

    #[test]
    fn a_header_is_read_back() {
        let mut file = header().encode().to_vec();
        file.extend([0; 10]);
        assert_eq!(Header::decode(&file, Path::new("f")).unwrap(), header());
    }

    #[test]
    fn every_changed_byte_of_a_header_is_noticed() {
        let mut file = header().encode().to_vec();
        file.extend([0; 10]);
        for index in 0..HEADER_BYTES {
            let mut changed = file.clone();
            changed[index] ^= 0x10;
            assert!(Header::decode(&changed, Path::new("f")).is_err(), "{index}");
        }
    }

    #[test]
    fn a_file_of_another_version_is_told_from_a_damaged_one() {
        let mut file = header().encode();
        file[8] = 1;
        let checksum = crc32fast::hash(&file[..super::CHECKSUM_AT]);
        file[super::CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());
        let refused = Header::decode(&file, Path::new("f")).unwrap_err();
        assert!(
            matches!(refused, VectorError::OtherVersion { .. }),
            "{refused}"
        );
        assert!(refused.calls_for_rebuild());
    }

    #[test]
    fn a_file_of_another_length_is_refused() {
        let mut file = header().encode().to_vec();
        file.extend([0; 9]);
        assert!(Header::decode(&file, Path::new("f")).is_err());
        assert!(Header::decode(&file[..40], Path::new("f")).is_err());
        file.extend([0; 2]);
        assert!(Header::decode(&file, Path::new("f")).is_err());
    }
}
