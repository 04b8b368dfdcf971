//! Looking for damage, and comparing rows with the vectors they were made of.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, segment_path};
use super::{FlatIndex, VectorError};
use gannet_index::VerifiedFiles;
use gannet_vectors::quantize::{STEPS, decoded, normalised, padded_dimension};

/// Normalising and rounding to f32 again gives the same but for this.
const TOLERANCE: f32 = 1e-5;
/// A step of the lower byte, and what rounding adds to it: half a step above the
/// last code there is none.
const A_STEP: f32 = 1.01 / STEPS;

impl FlatIndex {
    /// Compares every byte on disk with its checksum, and returns everything
    /// that does not fit. Reads all files.
    #[must_use]
    pub fn damage(&self) -> Vec<VectorError> {
        let manifest = Manifest::read(&self.folder, &self.spec).err();
        let segments = self
            .segments
            .iter()
            .filter_map(|stored| stored.segment.verify().err());
        manifest.into_iter().chain(segments).collect()
    }

    /// Compares every segment with its checksums that was written or changed
    /// since it was last compared. A process that may write notes which ones it
    /// has compared.
    ///
    /// # Errors
    /// [`VectorError::Corrupt`] with the first damage found.
    pub fn verify_new_segments(&self, may_write: bool) -> Result<(), VectorError> {
        let known = VerifiedFiles::load(&self.folder);
        let mut verified = known.clone();
        let mut names: HashSet<PathBuf> = HashSet::new();
        for stored in &self.segments {
            let name = segment_path(Path::new(""), stored.number);
            if let Some(file) = verified.unverified(&self.folder, &name) {
                stored.segment.verify()?;
                verified.note(file);
            }
            names.insert(name);
        }
        verified.keep(&names);
        if may_write && verified != known {
            verified.save(&self.folder);
        }
        Ok(())
    }

    /// The rows of these keys that are not deleted.
    #[must_use]
    pub fn live_rows_of(&self, keys: &HashSet<u64>) -> HashMap<u64, usize> {
        self.row_keys()
            .enumerate()
            .filter(|(row, key)| keys.contains(key) && !self.deleted.get(*row))
            .map(|(row, key)| (key, row))
            .collect()
    }

    /// Whether a row holds this vector, within half a step of its codes. A vector
    /// that cannot be held (see [`insert`](Self::insert)) is held by no row.
    #[must_use]
    pub fn holds(&self, row: usize, vector: &[f32]) -> bool {
        let padded = padded_dimension(self.spec.dimension);
        let Ok(expected) = normalised(vector, padded) else {
            return false;
        };
        let Some(run) = self.runs().into_iter().find(|run| row < run.end_row()) else {
            return false;
        };
        let held = run.row(row - run.first_row).codes;
        let decoded = decoded(held);
        let most = held.scale * A_STEP + TOLERANCE;
        let mut values = expected.iter().zip(&decoded);
        expected.len() == decoded.len()
            && values.all(|(expected, decoded)| (expected - decoded).abs() <= most)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::collections::HashSet;

    use crate::{FlatIndex, VectorSpec};

    fn index(folder: &std::path::Path) -> FlatIndex {
        let spec = VectorSpec {
            model: "a model".into(),
            dimension: 3,
        };
        let mut index = FlatIndex::open(folder, spec).unwrap();
        index.insert(7, &[3.0, 0.0, 4.0]).unwrap();
        index.insert(8, &[0.1, 0.2, 0.3]).unwrap();
        index.seal(1).unwrap();
        index.insert(9, &[0.0, 1.0, 0.0]).unwrap();
        index.delete_where(|key| key == 8);
        index
    }

    #[test]
    fn a_row_holds_the_vector_it_was_made_of_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let index = index(folder.path());
        let rows = index.live_rows_of(&HashSet::from([7, 8, 9]));
        assert_eq!(rows.len(), 2, "key 8 is deleted");
        assert!(index.holds(rows[&7], &[0.6, 0.0, 0.8]));
        assert!(!index.holds(rows[&7], &[0.6, 0.01, 0.8]));
        assert!(!index.holds(rows[&7], &[f32::NAN, 0.0, 0.8]));
        assert!(index.holds(rows[&9], &[0.0, 2.0, 0.0]));
        assert!(!index.holds(99, &[0.0, 2.0, 0.0]));
    }

    #[test]
    fn every_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = index(folder.path());
        index.seal(2).unwrap();
        assert!(index.damage().is_empty());
        for number in [0, 1] {
            let path = super::super::manifest::segment_path(folder.path(), number);
            let mut bytes = std::fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            // A new file in its place: the old one stays mapped.
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
        }
        let index = FlatIndex::open(folder.path(), index.spec().clone()).unwrap();
        assert_eq!(index.damage().len(), 2);
    }
}
