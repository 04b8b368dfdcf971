//! The file in the folder of an index that names its collection.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::SystemTime;

use gannet_index::{IndexError, VectorSpec};
use serde::{Deserialize, Serialize};

use super::error::QdrantError;

const FILE: &str = "collection.json";

/// Which collection has the vectors of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    pub(crate) collection: String,
    pub(crate) model: String,
    pub(crate) dimension: usize,
}

impl Marker {
    pub(crate) fn new(collection: &str, spec: &VectorSpec) -> Self {
        Self {
            collection: collection.to_owned(),
            model: spec.model.clone(),
            dimension: spec.dimension,
        }
    }

    pub(crate) fn is_of(&self, spec: &VectorSpec) -> bool {
        self.model == spec.model && self.dimension == spec.dimension
    }

    /// What the folder says; `None` where there is no index.
    ///
    /// # Errors
    /// The file cannot be read, or is not as it was written.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, IndexError> {
        let path = folder.join(FILE);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| IndexError::io("read", &path, error))?,
        };
        let read = String::from_utf8(text).ok();
        let marker = read.as_deref().and_then(|text| {
            let (sum, json) = text.split_once('\n')?;
            let is_sound = u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(json.as_bytes());
            is_sound.then(|| serde_json::from_str(json).ok())?
        });
        match marker {
            Some(marker) => Ok(Some(marker)),
            None => Err(damaged(&path)),
        }
    }

    /// Puts the file in its place, complete or not at all.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), IndexError> {
        let path = folder.join(FILE);
        let json = serde_json::to_string(self).map_err(|error| IndexError::Failed(error.into()))?;
        let text = format!("{:08x}\n{json}", crc32fast::hash(json.as_bytes()));
        let beside = folder.join(format!("{FILE}.new"));
        let written = fs::create_dir_all(folder).and_then(|()| {
            let mut file = fs::File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&beside, &path)
        });
        written.map_err(|error| match error.kind() {
            ErrorKind::StorageFull => IndexError::DiskFull {
                action: "write",
                place: "the vectors",
            },
            _ => IndexError::io("write", &path, error),
        })
    }
}

/// When the file was written; another time is another commit.
pub(crate) fn written_at(folder: &Path) -> Option<SystemTime> {
    let file = fs::metadata(folder.join(FILE));
    file.and_then(|file| file.modified()).ok()
}

/// The index of a folder has other vectors.
pub(crate) fn of_others(folder: &Path) -> QdrantError {
    QdrantError::Marker {
        path: folder.join(FILE),
        reason: "it has those of another model or of other records",
    }
}

/// The settings name another collection than the folder.
pub(crate) fn moved(folder: &Path) -> QdrantError {
    QdrantError::Marker {
        path: folder.join(FILE),
        reason: "the setting `collection` was changed",
    }
}

fn damaged(path: &Path) -> IndexError {
    IndexError::from(QdrantError::Marker {
        path: path.to_path_buf(),
        reason: "it is not as it was written",
    })
}
