//! A file in memory that nobody can change, this process included.

use std::fs::File;
use std::io::{Result, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// An open, sealed file in memory.
#[derive(Debug)]
pub(super) struct MemoryFile(File);

impl MemoryFile {
    pub(super) fn of(name: &str, bytes: &[u8]) -> Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let mut file = File::from(memfd_create(name, flags)?);
        file.write_all(bytes)?;
        let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE | SealFlags::SEAL;
        fcntl_add_seals(&file, seals)?;
        Ok(Self(file))
    }

    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn nobody_can_write_to_it_or_cut_it_off() {
        let mut sealed = MemoryFile::of("sealed", b"bytes").unwrap();
        let again = File::options().write(true).open(sealed.path());
        assert!(again.and_then(|mut file| file.write_all(b"other")).is_err());
        assert!(sealed.0.write_all(b"more").is_err());
        assert!(sealed.0.set_len(1).is_err());
        assert!(fcntl_add_seals(&sealed.0, SealFlags::FUTURE_WRITE).is_err());
        assert_eq!(std::fs::read(sealed.path()).unwrap(), b"bytes");
    }
}
