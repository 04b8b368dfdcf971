//! The bytes of a dylib, read once: what is checked is what is opened.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::LoadError;
use super::place::unreadable;

/// How large a dylib may be.
pub(super) const MAX_BYTES: u64 = 512 << 20;

/// A dylib's bytes.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) bytes: Vec<u8>,
    /// In lower-case hex digits.
    pub(super) sha256: String,
}

/// Opens a regular file. The metadata is that of the open file, whatever
/// stands under its name by now.
pub(super) fn open(path: &Path) -> Result<(File, Metadata), LoadError> {
    let file = open_for_reading(path).map_err(|error| unreadable(path, &error))?;
    let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
    match metadata.is_file() {
        true => Ok((file, metadata)),
        false => Err(LoadError::NotAFile {
            path: path.to_owned(),
        }),
    }
}

/// Follows no link, since the path has none, and does not wait for the other
/// end of a pipe.
#[cfg(unix)]
fn open_for_reading(path: &Path) -> std::io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_for_reading(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

/// Reads the whole file, up to `limit` bytes. `length` is what its metadata
/// says: the file may have become longer or shorter since.
pub(super) fn read(file: File, path: &Path, length: u64, limit: u64) -> Result<Image, LoadError> {
    // A buffer that grows while it is filled is moved several times.
    let expected = usize::try_from(length.min(limit)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(LoadError::TooLarge { limit });
    }
    let sha256 = format!("{:x}", Sha256::digest(&bytes));
    Ok(Image { bytes, sha256 })
}

impl Image {
    /// Compares the checksum to the configured one.
    pub(super) fn check_pin(&self, pin: Option<&str>, required: bool) -> Result<(), LoadError> {
        let found = self.sha256.clone();
        let Some(pin) = pin else {
            return match required {
                true => Err(LoadError::MissingPin { found }),
                false => Ok(()),
            };
        };
        if pin.len() != 64 || !pin.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(LoadError::BadPin {
                pin: pin.to_owned(),
            });
        }
        match pin.eq_ignore_ascii_case(&found) {
            true => Ok(()),
            false => Err(LoadError::WrongPin {
                pinned: pin.to_ascii_lowercase(),
                found,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Of the three bytes `abc`, from the standard.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn abc(limit: u64) -> Result<Image, LoadError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let (file, metadata) = open(&path)?;
        read(file, &path, metadata.len(), limit)
    }

    #[test]
    fn a_pin_is_compared_whatever_its_case() {
        let image = abc(3).unwrap();
        assert_eq!(image.sha256, ABC);
        assert_eq!(image.check_pin(Some(ABC), true), Ok(()));
        assert_eq!(image.check_pin(Some(&ABC.to_uppercase()), true), Ok(()));
        assert_eq!(image.check_pin(None, false), Ok(()));
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_read() {
        assert_eq!(abc(2).unwrap_err(), LoadError::TooLarge { limit: 2 });
    }

    #[test]
    fn a_file_that_has_another_length_by_now_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        for length in [0, 1, 1000] {
            let (file, _) = open(&path).unwrap();
            assert_eq!(read(file, &path, length, 3).unwrap().bytes, b"abc");
        }
    }
}
