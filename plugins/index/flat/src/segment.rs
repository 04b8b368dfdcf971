//! A segment: an immutable file of rows, mapped into memory.

use std::path::{Path, PathBuf};

use super::header::{Header, Section, model_digest};
use super::mapping::{Mapping, PlainNumber};
use super::rows::{Rows, Signs, code_words};
use super::{VectorError, VectorSpec};
use gannet_vectors::quantize::padded_dimension;

/// An immutable file of rows, mapped into memory.
#[derive(Debug)]
pub(super) struct Segment {
    path: PathBuf,
    mapping: Mapping,
    header: Header,
}

impl Segment {
    /// Opens a segment and checks its header, its length and its keys.
    ///
    /// The other sections are left to [`verify`](Self::verify), which the store
    /// calls once after a file was written or changed. Checking all would read
    /// the whole file (83 MB for 100,000 rows, several times the first search,
    /// and far worse from a cold disk) every time it is opened. Keys are
    /// checked always: a wrong key would cite the wrong entry, while a wrong
    /// code only costs rank.
    pub(super) fn open(path: &Path, spec: &VectorSpec) -> Result<Self, VectorError> {
        let mapping = Mapping::open(path)?;
        let header = Header::decode(mapping.bytes(), path)?;
        let segment = Self {
            path: path.to_path_buf(),
            mapping,
            header,
        };
        if segment.header.model_digest != model_digest(&spec.model) {
            return Err(segment.corrupt("written with another model than the manifest says"));
        }
        if segment.header.dimension != spec.dimension {
            return Err(segment.corrupt("its dimension is not that of the manifest"));
        }
        segment.check_shape()?;
        segment.verify_section(Section::Keys)?;
        Ok(segment)
    }

    /// How many rows the file holds.
    pub(super) fn len(&self) -> usize {
        self.header.rows
    }

    /// The change sequence that was applied when the segment was written.
    pub(super) fn applied_seq(&self) -> u64 {
        self.header.applied_seq
    }

    /// The rows, the first of which has ordinal `first_row` in the index.
    pub(super) fn rows(&self, first_row: usize) -> Rows<'_> {
        Rows {
            first_row,
            padded: padded_dimension(self.header.dimension),
            keys: self.numbers(Section::Keys),
            scales: self.numbers(Section::Scales),
            int8: self.numbers(Section::Int8),
            lower: self.numbers(Section::Lower),
            signs: Some(Signs {
                mean: self.numbers(Section::Mean),
                blocks: self.numbers(Section::Codes),
            }),
        }
    }

    /// Compares every section with its checksum. Reads the whole file.
    pub(super) fn verify(&self) -> Result<(), VectorError> {
        Section::ALL
            .into_iter()
            .try_for_each(|section| self.verify_section(section))
    }

    fn verify_section(&self, section: Section) -> Result<(), VectorError> {
        let checksum = crc32fast::hash(self.numbers::<u8>(section));
        if checksum == self.header.extent(section).checksum {
            return Ok(());
        }
        Err(self.corrupt(&format!(
            "the checksum of its {section:?} section does not fit"
        )))
    }

    fn check_shape(&self) -> Result<(), VectorError> {
        let rows = self.header.rows;
        let padded = padded_dimension(self.header.dimension);
        // First the one that shows that `rows` is no absurd number.
        self.check_count::<i8>(Section::Int8, rows.checked_mul(padded))?;
        self.check_count::<f32>(Section::Mean, Some(padded))?;
        self.check_count::<u64>(Section::Codes, Some(code_words(rows, padded)))?;
        self.check_count::<f32>(Section::Scales, Some(rows))?;
        self.check_count::<u64>(Section::Keys, Some(rows))?;
        self.check_count::<i8>(Section::Lower, rows.checked_mul(padded))
    }

    fn check_count<T: PlainNumber>(
        &self,
        section: Section,
        expected: Option<usize>,
    ) -> Result<(), VectorError> {
        let extent = self.header.extent(section);
        let numbers = self.mapping.numbers::<T>(extent.bytes.clone());
        if numbers.is_some() && numbers.map(<[T]>::len) == expected {
            return Ok(());
        }
        Err(self.corrupt(&format!(
            "its {section:?} section has the wrong size or place"
        )))
    }

    /// The numbers of a section, the size of which was checked at opening.
    fn numbers<T: PlainNumber>(&self, section: Section) -> &[T] {
        let extent = self.header.extent(section);
        self.mapping
            .numbers(extent.bytes.clone())
            .unwrap_or_default()
    }

    fn corrupt(&self, reason: &str) -> VectorError {
        VectorError::corrupt(&self.path, reason)
    }
}
