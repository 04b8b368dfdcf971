//! Who could put other code in the place of a dylib.
//!
//! What lies above an allowed folder is for whoever allowed it.

use std::fs::Metadata;
use std::path::Path;

use super::LoadError;
use super::place::unreadable;

/// Every folder from the file's own up to and including `dir` belongs to
/// root or to us and cannot be written by others. Both paths are without
/// links.
pub(super) fn check_folders(file: &Path, dir: &Path) -> Result<(), LoadError> {
    for folder in file.ancestors().skip(1) {
        let metadata = folder
            .symlink_metadata()
            .map_err(|error| unreadable(folder, &error))?;
        check(folder, &metadata)?;
        if folder == dir {
            break;
        }
    }
    Ok(())
}

/// What the metadata says belongs to root or to us and cannot be written by
/// others.
#[cfg(unix)]
pub(super) fn check(path: &Path, metadata: &Metadata) -> Result<(), LoadError> {
    use std::os::unix::fs::MetadataExt;
    let us = rustix::process::geteuid().as_raw();
    judge(path, metadata.mode(), metadata.uid(), us)
}

/// Other systems say this in access lists, which are not read.
#[cfg(not(unix))]
pub(super) fn check(_: &Path, _: &Metadata) -> Result<(), LoadError> {
    Ok(())
}

/// An access list shows in the bits of the group: they are its mask.
#[cfg(unix)]
fn judge(path: &Path, mode: u32, owner: u32, us: u32) -> Result<(), LoadError> {
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    const ROOT: u32 = 0;
    let path = path.to_owned();
    if owner != ROOT && owner != us {
        return Err(LoadError::ForeignOwner { path, owner, us });
    }
    match mode & WRITABLE_BY_OTHERS {
        0 => Ok(()),
        _ => Err(LoadError::WritableByOthers {
            path,
            mode: mode & 0o7777,
        }),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn verdict(mode: u32, owner: u32) -> Option<&'static str> {
        let refused = judge(Path::new("x.so"), mode, owner, 1000).err()?;
        Some(match refused {
            LoadError::WritableByOthers { .. } => "writable",
            LoadError::ForeignOwner { .. } => "foreign",
            _ => "other",
        })
    }

    #[test]
    fn what_only_root_and_we_can_write_is_fine() {
        assert_eq!(verdict(0o100_644, 1000), None);
        assert_eq!(verdict(0o100_755, 0), None);
        assert_eq!(verdict(0o040_700, 1000), None);
    }

    #[test]
    fn group_and_world_must_not_write() {
        for mode in [0o664, 0o646, 0o666, 0o620, 0o1777] {
            assert_eq!(verdict(mode, 1000), Some("writable"), "{mode:o}");
        }
    }

    #[test]
    fn a_third_user_must_not_own_it() {
        assert_eq!(verdict(0o644, 1001), Some("foreign"));
        assert_eq!(verdict(0o444, 1001), Some("foreign"));
    }
}
