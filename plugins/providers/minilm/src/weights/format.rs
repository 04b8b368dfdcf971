//! The file this crate runs a model from.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `GANNETM8` |
//! | 8..12 | version of the format, 1 |
//! | 12..16 | length of the JSON header |
//! | 16..24 | length of the payload |
//! | 24..28 | CRC-32 of the payload |
//! | 28..32 | zero |
//! | 32.. | JSON header: the model's shape and the sha256 of its source |
//! | next multiple of 64 | payload |
//!
//! All numbers are little-endian. The payload is a row of sections without
//! names: their order and sizes follow from the shape. Each begins at a
//! multiple of 64 bytes from the payload's start.

use serde::{Deserialize, Serialize};

use super::bytes::{ALIGNMENT, Bytes};
use crate::Error;
use crate::kernels::{LANES, Lane};
use crate::shape::Shape;

const MAGIC: &[u8; 8] = b"GANNETM8";
const VERSION: u32 = 1;
const FIXED_HEADER: usize = 32;

/// The JSON header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// What the model is.
    pub(crate) shape: Shape,
    /// The sha256 of the `model.safetensors` it was made from.
    pub(crate) source_sha256: String,
    /// Bytes of the vocabulary, the first section.
    pub(crate) vocabulary_bytes: usize,
}

/// Collects sections and makes a file of them.
#[derive(Default)]
pub(crate) struct Writer {
    payload: Vec<u8>,
}

impl Writer {
    /// Appends a section of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.payload.extend_from_slice(bytes);
        self.align();
    }

    /// Appends a section of floats.
    pub(crate) fn floats(&mut self, floats: &[f32]) {
        for number in floats {
            self.payload.extend_from_slice(&number.to_le_bytes());
        }
        self.align();
    }

    fn align(&mut self) {
        let length = self.payload.len().next_multiple_of(ALIGNMENT);
        self.payload.resize(length, 0);
    }

    /// The whole file.
    pub(crate) fn finish(self, header: &Header) -> Result<Vec<u8>, Error> {
        let json = serde_json::to_vec(header)
            .map_err(|error| Error::weights(format!("its header cannot be written: {error}")))?;
        let json_length =
            u32::try_from(json.len()).map_err(|_| Error::weights("its header is too long"))?;
        let mut file = Vec::with_capacity(FIXED_HEADER + json.len() + self.payload.len() + 64);
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&json_length.to_le_bytes());
        file.extend_from_slice(&(self.payload.len() as u64).to_le_bytes());
        file.extend_from_slice(&crc32fast::hash(&self.payload).to_le_bytes());
        file.extend_from_slice(&[0; 4]);
        file.extend_from_slice(&json);
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend_from_slice(&self.payload);
        Ok(file)
    }
}

/// Hands out the sections of a file in the order they were written.
pub(crate) struct Reader {
    payload: Bytes,
    position: usize,
    checksum: u32,
}

impl Reader {
    /// Reads the header. The payload's checksum is not looked at; see
    /// [`Reader::verify`].
    pub(crate) fn open(file: &Bytes) -> Result<(Header, Self), Error> {
        let bytes = file.as_slice();
        let (fixed, rest) = bytes
            .split_first_chunk::<FIXED_HEADER>()
            .ok_or_else(|| Error::weights("it is truncated"))?;
        if !fixed.starts_with(MAGIC) {
            return Err(Error::weights("it does not begin with GANNETM8"));
        }
        let number = |at: usize| {
            u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]])
        };
        if number(8) != VERSION {
            return Err(Error::weights(format!(
                "it has format version {}, this program reads {VERSION}",
                number(8)
            )));
        }
        let json_length = number(12) as usize;
        let json = rest
            .get(..json_length)
            .ok_or_else(|| Error::weights("its header is truncated"))?;
        let header: Header = serde_json::from_slice(json)
            .map_err(|error| Error::weights(format!("its header: {error}")))?;
        header.shape.check()?;
        let begin = (FIXED_HEADER + json_length).next_multiple_of(ALIGNMENT);
        let length = u64::from(number(16)) | u64::from(number(20)) << 32;
        let payload = usize::try_from(length)
            .ok()
            .filter(|length| begin + length == bytes.len())
            .and_then(|length| file.part(begin, length))
            .ok_or_else(|| {
                Error::weights(format!(
                    "it has {} bytes, its header says {}",
                    bytes.len(),
                    length.saturating_add(begin as u64)
                ))
            })?;
        let reader = Self {
            payload,
            position: 0,
            checksum: number(24),
        };
        Ok((header, reader))
    }

    /// Compares the payload with its checksum.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        let found = crc32fast::hash(self.payload.as_slice());
        if found == self.checksum {
            return Ok(());
        }
        Err(Error::weights(format!(
            "its checksum is {found:08x}, its header says {:08x}",
            self.checksum
        )))
    }

    /// The next section of bytes.
    pub(crate) fn bytes(&mut self, length: usize) -> Result<Bytes, Error> {
        let section = self
            .payload
            .part(self.position, length)
            .ok_or_else(|| Error::weights("its payload is shorter than its shape requires"))?;
        self.position = (self.position + length).next_multiple_of(ALIGNMENT);
        Ok(section)
    }

    /// The next section of floats.
    pub(crate) fn floats(&mut self, count: usize) -> Result<Vec<f32>, Error> {
        let section = self.bytes(count * 4)?;
        let (numbers, _) = section.as_slice().as_chunks::<4>();
        Ok(numbers
            .iter()
            .map(|four| f32::from_le_bytes(*four))
            .collect())
    }

    /// The next section of floats, in lane groups.
    pub(crate) fn lanes(&mut self, groups: usize) -> Result<Vec<Lane>, Error> {
        let numbers = self.floats(groups * LANES)?;
        Ok(super::pack::to_lanes(&numbers))
    }

    /// Ends the reading; nothing may be left.
    pub(crate) fn finish(self) -> Result<(), Error> {
        if self.position == self.payload.as_slice().len() {
            return Ok(());
        }
        Err(Error::weights(
            "its payload is longer than its shape requires",
        ))
    }
}
