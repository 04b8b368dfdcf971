//! Comparing the segments of a text index that are new with their checksums.

use std::path::Path;

use tantivy::SegmentMeta;
use tantivy::error::DataCorruption;

use super::contents::{TRIES, segment_names};
use super::error::{TextContext, TextError};
use super::index::TantivyIndex;
use super::segment_files::{check_file, files_of};
use gannet_index::{DamagedFile, VerifiedFiles};

/// The files of a segment that are damaged. Those that were verified before and
/// have not changed are not read.
pub(super) fn damaged_files_of(
    verified: &mut VerifiedFiles,
    folder: &Path,
    segment: &SegmentMeta,
) -> Result<Vec<DamagedFile>, TextError> {
    let mut damaged = Vec::new();
    for name in files_of(segment) {
        let Some(unverified) = verified.unverified(folder, &name) else {
            continue;
        };
        let checked = check_file(folder, &name);
        let path = folder.join(&name);
        match checked.map_err(|error| TextError::io("read", &path, error))? {
            Ok(()) => verified.note(unverified),
            Err(file) => damaged.push(file),
        }
    }
    Ok(damaged)
}

/// Verifies the files of an index that are new since they were last looked at.
///
/// # Errors
/// [`TextError::is_damage`] when one of them is damaged.
pub(super) fn verify_files(verified: &mut VerifiedFiles, folder: &Path) -> Result<(), TextError> {
    let index = TantivyIndex::open_unread(folder)?;
    let mut tries = 0;
    loop {
        tries += 1;
        let metas = index.load_metas().doing("read the list of segments")?;
        let segments = segment_names(&metas);
        let mut damaged = Vec::new();
        for segment in &metas.segments {
            damaged.extend(damaged_files_of(verified, folder, segment)?);
        }
        keep_segments(verified, &metas.segments);
        let Some(file) = damaged.into_iter().next() else {
            return Ok(());
        };
        // A file that is gone may have been merged by the process that writes.
        let now = index.load_metas().doing("read the list of segments")?;
        if tries == TRIES || segment_names(&now) == segments {
            let damage = DataCorruption::new(file.name, file.reason);
            return Err(tantivy::TantivyError::from(damage)).doing("verify it");
        }
    }
}

/// Forgets files that are in none of these segments.
pub(super) fn keep_segments(verified: &mut VerifiedFiles, segments: &[SegmentMeta]) {
    verified.keep(&segments.iter().flat_map(files_of).collect());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::fs::File;

    use super::*;
    use gannet_index::FieldWeights;

    /// An index with one segment.
    fn index() -> (tempfile::TempDir, SegmentMeta) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        let text = TantivyIndex::create(&path, FieldWeights::default()).unwrap();
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
        assert_eq!(
            damaged_files_of(&mut verified, &folder, &segment).unwrap(),
            []
        );
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
        assert_eq!(damaged_files_of(&mut known, &folder, &segment).unwrap(), []);
        file.set_modified(later).unwrap();
        assert_eq!(
            damaged_files_of(&mut known, &folder, &segment)
                .unwrap()
                .len(),
            1
        );
        assert!(verify_files(&mut known, &folder).unwrap_err().is_damage());
    }
}
