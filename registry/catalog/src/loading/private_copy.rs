//! A copy in a folder that only this user can enter, for systems without
//! sealed files in memory.

use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// How many names of folders are tried: earlier runs with the same process id
/// may have left some.
const ATTEMPTS: u32 = 1000;

/// A file of its own in a folder of its own. It stays when the process ends.
#[derive(Debug)]
pub(super) struct PrivateCopy {
    path: PathBuf,
}

impl PrivateCopy {
    /// Two copies never have one path, since libraries are known by it.
    pub(super) fn of(name: &str, bytes: &[u8]) -> Result<Self> {
        let path = new_folder(&std::env::temp_dir())?.join(name);
        let mut file = File::create_new(&path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(Self { path })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

/// Makes a folder that was not there before, so that nobody else has it.
fn new_folder(parent: &Path) -> Result<PathBuf> {
    for attempt in 0..ATTEMPTS {
        let folder = parent.join(format!("gannet-{}-{attempt}", std::process::id()));
        match private().create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(unix)]
fn private() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn each_copy_has_a_private_folder() {
        let one = PrivateCopy::of("same", b"first").unwrap();
        let two = PrivateCopy::of("same", b"second").unwrap();
        assert_eq!(std::fs::read(one.path()).unwrap(), b"first");
        assert_eq!(std::fs::read(two.path()).unwrap(), b"second");
        for copy in [one, two] {
            let folder = copy.path.parent().unwrap().to_owned();
            let mode = folder.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
            std::fs::remove_dir_all(folder).unwrap();
        }
    }
}
