//! Shared read-only bytes, from the binary itself or from a file.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::Error;

/// The kernels read whole cache lines; weights begin at their bounds.
pub(crate) const ALIGNMENT: usize = 64;

/// A part of a block of bytes; cloning shares the block.
#[derive(Clone)]
pub(crate) struct Bytes {
    storage: Storage,
    range: Range<usize>,
}

#[derive(Clone)]
enum Storage {
    Static(&'static [u8]),
    Owned(Arc<Vec<u8>>),
}

impl Bytes {
    /// Bytes compiled into the binary.
    pub(crate) fn from_static(bytes: &'static [u8]) -> Self {
        Self {
            range: 0..bytes.len(),
            storage: Storage::Static(bytes),
        }
    }

    /// Reads a file to an aligned place.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let mut file = std::fs::File::open(path).map_err(Error::reading(path))?;
        let length = file.metadata().map_err(Error::reading(path))?.len();
        let length = usize::try_from(length)
            .map_err(|_| Error::weights(format!("it is too large: {length} bytes")))?;
        let (mut block, start) = aligned_block(length);
        std::io::Read::read_to_end(&mut file, &mut block).map_err(Error::reading(path))?;
        Ok(Self {
            range: start..block.len(),
            storage: Storage::Owned(Arc::new(block)),
        })
    }

    /// The bytes.
    pub(crate) fn as_slice(&self) -> &[u8] {
        match &self.storage {
            Storage::Static(bytes) => &bytes[self.range.clone()],
            Storage::Owned(block) => &block[self.range.clone()],
        }
    }

    /// A part of these bytes, or nothing when they end before it does.
    pub(crate) fn part(&self, begin: usize, length: usize) -> Option<Self> {
        let begin = self.range.start.checked_add(begin)?;
        let end = begin.checked_add(length)?;
        (end <= self.range.end).then(|| Self {
            storage: self.storage.clone(),
            range: begin..end,
        })
    }
}

/// A vector with room for `length` aligned bytes after the padding it already
/// holds, and the length of that padding.
fn aligned_block(length: usize) -> (Vec<u8>, usize) {
    let mut block: Vec<u8> = Vec::with_capacity(length + ALIGNMENT);
    let start = block.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
    block.resize(start, 0);
    (block, start)
}
