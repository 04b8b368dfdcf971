//! The checked bytes, where nobody can change them any more.

use std::path::PathBuf;

use super::LoadError;
#[cfg(target_os = "linux")]
use super::memory_file::MemoryFile as Copy;
#[cfg(not(target_os = "linux"))]
use super::private_copy::PrivateCopy as Copy;

/// The bytes of a dylib under a path of their own, to be opened.
///
/// On Linux a sealed file in memory, elsewhere a file in a folder that only
/// this user can enter.
///
/// Keep it for as long as the process lives: glibc knows an open library by
/// its name, and the name here is the number of a file descriptor. Once that
/// number is given to the next dylib, opening this one's path gives the code
/// of the first.
#[derive(Debug)]
pub struct SealedImage(Copy);

impl SealedImage {
    /// Copies the bytes. `name` is shown in `/proc/self/maps`, for people.
    ///
    /// # Errors
    /// [`LoadError::Copy`] when the system refuses.
    pub fn of(name: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        Copy::of(&plain(name), bytes)
            .map(Self)
            .map_err(|error| LoadError::Copy(error.to_string()))
    }

    /// Where it can be opened in this process.
    pub fn path(&self) -> PathBuf {
        self.0.path()
    }
}

/// Names come from manifests; in the name of a file they have bounds.
fn plain(name: &str) -> String {
    const MAX_CHARS: usize = 100;
    name.chars()
        .take(MAX_CHARS)
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
            _ => '_',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_bytes_are_read_back_from_the_path() {
        let one = SealedImage::of("one", b"first").unwrap();
        let two = SealedImage::of("../two\n", b"second").unwrap();
        assert_ne!(one.path(), two.path());
        assert_eq!(std::fs::read(one.path()).unwrap(), b"first");
        assert_eq!(std::fs::read(two.path()).unwrap(), b"second");
    }

    #[test]
    fn a_name_of_any_length_and_letters_does() {
        assert_eq!(plain("pv-search_2"), "pv-search_2");
        assert_eq!(plain("../a\0b"), "___a_b");
        assert!(SealedImage::of(&"ü".repeat(1000), b"x").is_ok());
    }
}
