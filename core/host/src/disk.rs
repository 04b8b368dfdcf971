//! How much space the disk of a folder has left.

use std::path::Path;

use gannet_store::Finding;

/// Bytes below which writes may soon fail.
const FEW_BYTES: u64 = 1 << 30;
const CHECK: &str = "disk";

/// The space that is left for what is written into a folder; nothing where the
/// system does not tell.
pub(crate) fn examine(folder: &Path) -> Option<Finding> {
    let free = free_bytes(folder)?;
    let gigabytes = free as f64 / 1e9;
    let message = format!("{gigabytes:.1} GB free at {}", folder.display());
    Some(match free {
        0..FEW_BYTES => Finding::warn(
            CHECK,
            message,
            "free some space, or move the store to a larger disk: on a full disk nothing is \
             written, and what is stored stays readable",
        ),
        _ => Finding::ok(CHECK, message),
    })
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    // A folder that is not there yet is made on the disk of its parent.
    let existing = folder.ancestors().find(|one| one.exists())?;
    let disk = rustix::fs::statvfs(existing).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}
