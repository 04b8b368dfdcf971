//! Memory-mapped files, read as slices of plain numbers.
//!
//! tantivy maps the file and `zerocopy` reads bytes as numbers, so that no
//! `unsafe` is needed here.

use std::io;
use std::ops::Range;
use std::path::Path;

use tantivy::directory::error::OpenReadError;
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::VectorError;
use super::error::IoContext;

/// A number that any bytes of its size are a value of, and that is nothing
/// but its bytes.
pub(super) trait PlainNumber:
    FromBytes + IntoBytes + Immutable + KnownLayout + Copy + 'static
{
}
impl PlainNumber for u8 {}
impl PlainNumber for i8 {}
impl PlainNumber for u64 {}
impl PlainNumber for f32 {}

/// A file mapped into memory, read-only.
///
/// The index never writes into a finished file: it replaces files by renaming
/// and removes them by unlinking, and both leave existing mappings as they
/// are. Somebody else who cuts or overwrites the file takes the risk, as with
/// any mapped database.
#[derive(Debug)]
pub(super) struct Mapping {
    bytes: OwnedBytes,
}

impl Mapping {
    /// Maps the whole file.
    pub(super) fn open(path: &Path) -> Result<Self, VectorError> {
        let bytes = map(path).at("map", path)?;
        Ok(Self { bytes })
    }

    /// All bytes of the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The numbers in a range of bytes; `None` when the range lies outside of
    /// the file, is not aligned, or ends within a number.
    pub(super) fn numbers<T: PlainNumber>(&self, range: Range<usize>) -> Option<&[T]> {
        <[T]>::ref_from_bytes(self.bytes.get(range)?).ok()
    }
}

fn map(path: &Path) -> io::Result<OwnedBytes> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let directory = MmapDirectory::open(folder).map_err(io::Error::other)?;
    let file = directory
        .open_read(Path::new(name))
        .map_err(|error| match error {
            OpenReadError::FileDoesNotExist(_) => io::ErrorKind::NotFound.into(),
            other => io::Error::other(other),
        })?;
    file.read_bytes()
}

/// The bytes that numbers are made of, in the order of this machine.
pub(super) fn bytes_of<T: PlainNumber>(numbers: &[T]) -> &[u8] {
    numbers.as_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::{Mapping, bytes_of};

    #[test]
    fn numbers_written_as_bytes_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let numbers = [1.5f32, -2.0, f32::MAX];
        std::fs::write(&path, bytes_of(&numbers)).unwrap();
        let mapping = Mapping::open(&path).unwrap();
        assert_eq!(mapping.numbers::<f32>(0..12), Some(&numbers[..]));
        assert_eq!(mapping.numbers::<f32>(4..12), Some(&numbers[1..]));
        assert_eq!(mapping.numbers::<f32>(1..5), None, "not aligned");
        assert_eq!(mapping.numbers::<f32>(0..6), None, "ends within a number");
        assert_eq!(mapping.numbers::<f32>(0..16), None, "outside of the file");
    }
}
