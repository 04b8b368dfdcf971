//! Which files of an index were compared with their checksums.
//!
//! Comparing every file at every start would read the whole index, for each
//! command, so a file is read once after it was written or changed. A file that changed has
//! another length, time of change or inode. Bits that flip on the disk change
//! none of these: they are found by a verification.

use std::collections::{BTreeMap, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// The list in the folder of the index. The leading dot keeps tantivy from
/// taking it for one of its files.
const LIST: &str = ".verified.json";

/// The files of an index that are known to be as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VerifiedFiles(BTreeMap<PathBuf, Stamp>);

/// What changes when a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    length: u64,
    nanoseconds: u64,
    inode: u64,
}

/// A file that is to be compared, as it is before that.
#[derive(Debug)]
pub struct UnverifiedFile {
    name: PathBuf,
    /// `None` when it is not there.
    stamp: Option<Stamp>,
}

impl VerifiedFiles {
    /// What earlier processes verified; nothing when that cannot be read.
    pub fn load(folder: &Path) -> Self {
        let read = std::fs::read(folder.join(LIST)).ok();
        read.and_then(|json| serde_json::from_slice(&json).ok())
            .unwrap_or_default()
    }

    /// Notes the list for later processes. Best effort: without it they verify
    /// again.
    pub fn save(&self, folder: &Path) {
        let written = serde_json::to_vec(self)
            .map_err(std::io::Error::from)
            .and_then(|json| {
                let temporary = folder.join(format!("{LIST}.{}", std::process::id()));
                std::fs::write(&temporary, json)?;
                std::fs::rename(&temporary, folder.join(LIST))
            });
        if let Err(error) = written {
            tracing::debug!(%error, "the list of verified files cannot be written");
        }
    }

    /// The file, unless it was verified and has not changed since.
    pub fn unverified(&self, folder: &Path, name: &Path) -> Option<UnverifiedFile> {
        let stamp = std::fs::metadata(folder.join(name)).ok();
        let stamp = stamp.map(|file| Stamp::of(&file));
        if stamp.is_some() && self.0.get(name) == stamp.as_ref() {
            return None;
        }
        Some(UnverifiedFile {
            name: name.to_path_buf(),
            stamp,
        })
    }

    /// Notes that a file is as it was written.
    pub fn note(&mut self, file: UnverifiedFile) {
        self.0.extend(file.stamp.map(|stamp| (file.name, stamp)));
    }

    /// Forgets the files that are not among these.
    pub fn keep(&mut self, current: &HashSet<PathBuf>) {
        self.0.retain(|name, _| current.contains(name));
    }
}

impl Stamp {
    fn of(file: &Metadata) -> Self {
        let changed = file.modified().ok();
        let since = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = since.map_or(0, |since| since.as_nanos());
        Self {
            length: file.len(),
            nanoseconds: u64::try_from(nanoseconds).unwrap_or(u64::MAX),
            inode: inode(file),
        }
    }
}

#[cfg(unix)]
fn inode(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
