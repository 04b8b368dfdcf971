//! What a text index holds, for comparing it with the records.

use std::fmt;
use std::path::PathBuf;

use crate::bitmap::Bitmap;
use crate::position::Position;

/// What is in an index after its last commit.
#[derive(Debug, Default)]
pub struct Contents {
    /// Which database is followed, and how far; `None` before the first
    /// commit.
    pub position: Option<Position>,
    /// The rows of the records whose entries can be found.
    pub rows: Bitmap,
    /// Documents that can be found.
    pub documents: u64,
    /// Documents of rows that another document has already.
    pub repeated: u64,
    /// Documents of rows that no entry ever had.
    pub unknown: u64,
    /// Segments that cannot be read.
    pub broken: Vec<BrokenSegment>,
}

/// A file that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedFile {
    /// Its name in the folder of the index.
    pub name: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// A segment that cannot be read, or not be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenSegment {
    /// The segment's name, which its files begin with.
    pub name: String,
    /// Entries in it.
    pub documents: u32,
    /// What is wrong with its files.
    pub files: Vec<DamagedFile>,
}

/// What is wrong, with the first of the damaged files.
impl fmt::Display for BrokenSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.documents == 1 {
            "entry"
        } else {
            "entries"
        };
        write!(f, "segment {} with {} {noun}", self.name, self.documents)?;
        match self.files.first() {
            Some(file) => write!(f, " ({}: {})", file.name.display(), file.reason),
            None => Ok(()),
        }
    }
}

/// How an index is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Files are believed.
    Rows,
    /// Every file is compared with its checksum first.
    Bytes,
}

impl Depth {
    /// Every byte, or only the rows.
    pub fn of(deep: bool) -> Self {
        match deep {
            true => Self::Bytes,
            false => Self::Rows,
        }
    }
}
