//! The manifest: which segments make up the index, and which rows are deleted.
//!
//! It is the one file whose replacement commits a change. A segment that no
//! manifest names does not exist. Layout: magic, CRC32 of what follows, length
//! of a JSON head, the head, then the bitmap of deleted rows as 64-bit words.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::IoContext;
use super::replace_file::ReplacementFile;
use super::{VectorError, VectorSpec};
use gannet_index::Bitmap;

const MAGIC: &[u8; 8] = b"GNTVMANI";
const VERSION: u32 = 1;
const CHECKED_FROM: usize = 12;
const HEAD_FROM: usize = 16;

/// What is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) head: Head,
    /// Deleted rows, over the rows of all segments.
    pub(super) deleted: Bitmap,
}

/// The part of the manifest that is JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    version: u32,
    model: String,
    dimension: usize,
    /// The last change that is in the segments and in the deletions.
    pub(super) applied_seq: u64,
    /// What its owner noted of that change; an older program noted nothing.
    #[serde(default)]
    pub(super) mark: Option<i64>,
    /// The number of the next segment.
    pub(super) next_segment: u64,
    /// The segments in the order of their rows.
    pub(super) segments: Vec<SegmentEntry>,
}

/// A segment as the manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SegmentEntry {
    pub(super) number: u64,
    pub(super) rows: usize,
}

/// The path of the manifest in its folder.
pub(super) fn manifest_path(folder: &Path) -> PathBuf {
    folder.join("manifest")
}

/// The path of a segment in its folder.
pub(super) fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.segment"))
}

/// The number of the segment at `path`; `None` when it is something else.
pub(super) fn segment_number(path: &Path) -> Option<u64> {
    if path.extension()? != "segment" {
        return None;
    }
    path.file_stem()?.to_str()?.parse().ok()
}

impl Manifest {
    /// The manifest of an index without rows.
    pub(super) fn empty(spec: &VectorSpec) -> Self {
        Self {
            head: Head {
                version: VERSION,
                model: spec.model.clone(),
                dimension: spec.dimension,
                applied_seq: 0,
                mark: None,
                next_segment: 0,
                segments: Vec::new(),
            },
            deleted: Bitmap::new(0),
        }
    }

    /// Reads the manifest of `folder`; `None` when there is none yet.
    pub(super) fn read(folder: &Path, spec: &VectorSpec) -> Result<Option<Self>, VectorError> {
        let path = manifest_path(folder);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.at("read", &path)?,
        };
        let manifest = Self::decode(&bytes, &path)?;
        if manifest.head.model != spec.model {
            return Err(VectorError::WrongModel {
                path,
                expected: spec.model.clone(),
                found: manifest.head.model,
            });
        }
        if manifest.head.dimension != spec.dimension {
            return Err(VectorError::corrupt(
                &path,
                format!(
                    "it holds vectors of {} dimensions, where the model gives {}",
                    manifest.head.dimension, spec.dimension
                ),
            ));
        }
        Ok(Some(manifest))
    }

    /// Replaces the manifest of `folder`: the commit.
    pub(super) fn write(&self, folder: &Path) -> Result<(), VectorError> {
        let path = manifest_path(folder);
        let mut file = ReplacementFile::create(&path)?;
        file.write(&self.encode(&path)?)?;
        file.finish()
    }

    fn encode(&self, path: &Path) -> Result<Vec<u8>, VectorError> {
        let head = serde_json::to_vec(&self.head)
            .map_err(|error| VectorError::corrupt(path, error.to_string()))?;
        let mut checked = Vec::new();
        checked.extend((head.len() as u32).to_le_bytes());
        checked.extend(head);
        for word in self.deleted.words() {
            checked.extend(word.to_le_bytes());
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(crc32fast::hash(&checked).to_le_bytes());
        bytes.extend(checked);
        Ok(bytes)
    }

    fn decode(bytes: &[u8], path: &Path) -> Result<Self, VectorError> {
        let corrupt = |reason: &str| VectorError::corrupt(path, reason);
        if bytes.len() < HEAD_FROM || bytes[..8] != *MAGIC {
            return Err(corrupt("not the manifest of a vector index"));
        }
        let checksum = crc32fast::hash(&bytes[CHECKED_FROM..]).to_le_bytes();
        if bytes[8..CHECKED_FROM] != checksum {
            return Err(corrupt("its checksum does not fit"));
        }
        let mut length = [0; 4];
        length.copy_from_slice(&bytes[CHECKED_FROM..HEAD_FROM]);
        let head_end = HEAD_FROM.saturating_add(u32::from_le_bytes(length) as usize);
        let head = bytes.get(HEAD_FROM..head_end);
        let head: Head = serde_json::from_slice(head.unwrap_or_default())
            .map_err(|error| corrupt(&format!("its head cannot be read: {error}")))?;
        if head.version != VERSION {
            return Err(corrupt("written in another version of the format"));
        }
        let rows = head.segments.iter().map(|segment| segment.rows).sum();
        let words = bytes[head_end..].as_chunks::<8>().0;
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let deleted = Bitmap::from_words(words, rows)
            .ok_or_else(|| corrupt("its deletions do not fit its rows"))?;
        Ok(Self { head, deleted })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_index::Bitmap;

    use super::{Manifest, SegmentEntry, manifest_path, segment_number, segment_path};
    use crate::{VectorError, VectorSpec};

    fn spec() -> VectorSpec {
        VectorSpec {
            model: "a model".into(),
            dimension: 3,
        }
    }

    fn manifest() -> Manifest {
        let mut manifest = Manifest::empty(&spec());
        manifest.head.applied_seq = 17;
        manifest.head.segments = vec![SegmentEntry {
            number: 4,
            rows: 70,
        }];
        manifest.deleted = Bitmap::new(70);
        manifest.deleted.set(66);
        manifest
    }

    #[test]
    fn a_manifest_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(folder.path(), &spec()).unwrap(), None);
        manifest().write(folder.path()).unwrap();
        let read = Manifest::read(folder.path(), &spec()).unwrap();
        assert_eq!(read, Some(manifest()));
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        manifest().write(folder.path()).unwrap();
        let path = manifest_path(folder.path());
        let whole = std::fs::read(&path).unwrap();
        for index in 0..whole.len() {
            let mut changed = whole.clone();
            changed[index] ^= 1;
            assert!(Manifest::decode(&changed, &path).is_err(), "byte {index}");
            assert!(
                Manifest::decode(&whole[..index], &path).is_err(),
                "cut at {index}"
            );
        }
    }

    #[test]
    fn another_model_is_told_by_name() {
        let folder = tempfile::tempdir().unwrap();
        manifest().write(folder.path()).unwrap();
        let other = VectorSpec {
            model: "another".into(),
            dimension: 3,
        };
        let refused = Manifest::read(folder.path(), &other).unwrap_err();
        assert!(matches!(&refused, VectorError::WrongModel { found, .. } if found == "a model"));
        assert!(refused.calls_for_rebuild());
    }

    #[test]
    fn the_number_of_a_segment_is_in_its_name() {
        let path = segment_path(std::path::Path::new("folder"), 12);
        assert_eq!(segment_number(&path), Some(12));
        assert_eq!(
            segment_number(std::path::Path::new("folder/manifest")),
            None
        );
    }
}
