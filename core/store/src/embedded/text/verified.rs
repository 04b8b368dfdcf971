//! Which files of an index were compared with their checksums.
//!
//! Reading a whole index at every start would take a second for a million
//! entries, so a file is read once after it was written or changed. A file
//! that changed has another length, time of change or inode. Bits that flip on
//! the disk change none of these: they are found by a verification.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use tantivy::SegmentMeta;
use tantivy::error::DataCorruption;

use super::contents::{TRIES, segment_names};
use super::index::TextIndex;
use super::segment_files::{DamagedFile, check_file, files_of};
use crate::error::{StoreError, TextContext};

/// The list in the folder of the index. tantivy takes files with a leading dot
/// for none of its own.
const LIST: &str = ".verified.json";

/// The files of an index that are known to be as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct VerifiedFiles(BTreeMap<PathBuf, Stamp>);

/// What changes when a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    length: u64,
    nanoseconds: u64,
    inode: u64,
}

impl VerifiedFiles {
    /// What earlier processes verified; nothing when that cannot be read.
    pub(crate) fn load(folder: &Path) -> Self {
        let read = std::fs::read(folder.join(LIST)).ok();
        read.and_then(|json| serde_json::from_slice(&json).ok())
            .unwrap_or_default()
    }

    /// Notes the list for later processes. Best effort: without it they verify
    /// again.
    pub(super) fn save(&self, folder: &Path) {
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

    /// The files of a segment that are damaged. Those that were verified
    /// before and have not changed are not read.
    pub(super) fn check(
        &mut self,
        folder: &Path,
        segment: &SegmentMeta,
    ) -> Result<Vec<DamagedFile>, StoreError> {
        let mut damaged = Vec::new();
        for name in files_of(segment) {
            let path = folder.join(&name);
            let stamp = std::fs::metadata(&path).ok().map(|file| Stamp::of(&file));
            if stamp.is_some() && self.0.get(&name) == stamp.as_ref() {
                continue;
            }
            let checked = check_file(folder, &name);
            match checked.map_err(|error| StoreError::io("read", &path, error))? {
                Ok(()) => self.0.extend(stamp.map(|stamp| (name, stamp))),
                Err(file) => damaged.push(file),
            }
        }
        Ok(damaged)
    }

    /// Verifies the files that are new since they were last looked at.
    ///
    /// # Errors
    /// [`StoreError::is_damage`] when one of them is damaged.
    pub(crate) fn check_all(&mut self, folder: &Path) -> Result<(), StoreError> {
        let index = TextIndex::open_unread(folder)?;
        let mut tries = 0;
        loop {
            tries += 1;
            let metas = index.load_metas().doing("read the list of segments")?;
            let segments = segment_names(&metas);
            let mut damaged = Vec::new();
            for segment in &metas.segments {
                damaged.extend(self.check(folder, segment)?);
            }
            self.keep(&metas.segments);
            let Some(file) = damaged.into_iter().next() else {
                return Ok(());
            };
            // A file that is gone may have been merged by the process that
            // writes.
            let now = index.load_metas().doing("read the list of segments")?;
            if tries == TRIES || segment_names(&now) == segments {
                let damage = DataCorruption::new(file.name, file.reason);
                return Err(tantivy::TantivyError::from(damage)).doing("verify it");
            }
        }
    }

    /// Forgets files that are in none of these segments.
    pub(super) fn keep(&mut self, segments: &[SegmentMeta]) {
        let current: std::collections::HashSet<PathBuf> =
            segments.iter().flat_map(files_of).collect();
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::fs::File;

    use super::*;
    use crate::options::FieldWeights;

    /// An index with one segment.
    fn index() -> (tempfile::TempDir, SegmentMeta) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        let text = TextIndex::create(&path, FieldWeights::default()).unwrap();
        let mut writer: tantivy::IndexWriter =
            text.index.writer_with_num_threads(1, 16 << 20).unwrap();
        writer
            .add_document(tantivy::TantivyDocument::new())
            .unwrap();
        writer.commit().unwrap();
        writer.wait_merging_threads().unwrap();
        let segment = text.index.load_metas().unwrap().segments.remove(0);
        (folder, segment)
    }

    #[test]
    fn a_file_is_read_again_when_it_was_changed_and_only_then() {
        let (folder, segment) = index();
        let folder = folder.path().join("text");
        let mut verified = VerifiedFiles::default();
        assert_eq!(verified.check(&folder, &segment).unwrap(), []);
        verified.save(&folder);
        let path = folder.join(&files_of(&segment)[0]);
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[0] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let later = before + std::time::Duration::from_secs(1);
        let file = File::options().write(true).open(&path).unwrap();
        // As when a bit flips on the disk: nothing tells, and nothing is read.
        file.set_modified(before).unwrap();
        let mut known = VerifiedFiles::load(&folder);
        assert_eq!(known, verified);
        assert_eq!(known.check(&folder, &segment).unwrap(), []);
        file.set_modified(later).unwrap();
        assert_eq!(known.check(&folder, &segment).unwrap().len(), 1);
        assert!(known.check_all(&folder).unwrap_err().is_damage());
    }
}
