//! Writing a segment file.

use std::path::Path;

use super::header::{ALIGNMENT, Extent, HEADER_BYTES, Header, Section, model_digest};
use super::mapping::{PlainNumber, bytes_of};
use super::replace_file::ReplacementFile;
use super::rows::Row;
use super::{VectorError, VectorSpec};
use gannet_vectors::kernels::hamming::BLOCK_ROWS;
use gannet_vectors::quantize::{decoded, fill_block, padded_dimension};

/// Writes `rows` as the segment at `path`; the file appears whole or not at all.
pub(super) fn write_segment(
    path: &Path,
    spec: &VectorSpec,
    applied_seq: u64,
    rows: &[Row<'_>],
) -> Result<(), VectorError> {
    prepare_segment(path, spec, applied_seq, rows)?.finish()
}

/// Writes all of the segment, but does not give it its name yet.
pub(super) fn prepare_segment(
    path: &Path,
    spec: &VectorSpec,
    applied_seq: u64,
    rows: &[Row<'_>],
) -> Result<ReplacementFile, VectorError> {
    let padded = padded_dimension(spec.dimension);
    let mean = mean_of(rows, padded);
    let mut writer = SectionWriter::create(path)?;
    writer.numbers(&mean)?;
    writer.end(Section::Mean)?;
    let mut block = vec![0; BLOCK_ROWS * padded / 64];
    for eight in rows.chunks(BLOCK_ROWS) {
        fill_block(
            eight.iter().map(|row| decoded(row.codes)),
            &mean,
            &mut block,
        );
        writer.numbers(&block)?;
    }
    writer.end(Section::Codes)?;
    for row in rows {
        writer.numbers(row.codes.int8)?;
    }
    writer.end(Section::Int8)?;
    for row in rows {
        writer.numbers(&[row.codes.scale])?;
    }
    writer.end(Section::Scales)?;
    for row in rows {
        writer.numbers(&[row.key])?;
    }
    writer.end(Section::Keys)?;
    for row in rows {
        writer.numbers(row.codes.lower)?;
    }
    writer.end(Section::Lower)?;
    writer.head(Header {
        dimension: spec.dimension,
        rows: rows.len(),
        applied_seq,
        model_digest: model_digest(&spec.model),
        sections: Default::default(),
    })
}

fn mean_of(rows: &[Row<'_>], padded: usize) -> Vec<f32> {
    let mut sums = vec![0.0f64; padded];
    for row in rows {
        for (sum, value) in sums.iter_mut().zip(decoded(row.codes)) {
            *sum += f64::from(value);
        }
    }
    let count = rows.len().max(1) as f64;
    sums.iter().map(|sum| (sum / count) as f32).collect()
}

/// Writes sections one after the other and keeps book of them.
struct SectionWriter {
    file: ReplacementFile,
    position: usize,
    started_at: usize,
    checksum: crc32fast::Hasher,
    sections: [Extent; 6],
}

impl SectionWriter {
    fn create(path: &Path) -> Result<Self, VectorError> {
        let mut file = ReplacementFile::create(path)?;
        file.write(&[0; HEADER_BYTES])?;
        Ok(Self {
            file,
            position: HEADER_BYTES,
            started_at: HEADER_BYTES,
            checksum: crc32fast::Hasher::new(),
            sections: Default::default(),
        })
    }

    fn numbers<T: PlainNumber>(&mut self, numbers: &[T]) -> Result<(), VectorError> {
        let bytes = bytes_of(numbers);
        self.checksum.update(bytes);
        self.position += bytes.len();
        self.file.write(bytes)
    }

    /// Ends the section and moves to the next aligned place. The last section
    /// needs no padding after it: its end is the end of the file.
    fn end(&mut self, section: Section) -> Result<(), VectorError> {
        let checksum = std::mem::replace(&mut self.checksum, crc32fast::Hasher::new());
        self.sections[section as usize] = Extent {
            bytes: self.started_at..self.position,
            checksum: checksum.finalize(),
        };
        if section != Section::Lower {
            let padding = self.position.next_multiple_of(ALIGNMENT) - self.position;
            self.file.write(&[0; ALIGNMENT][..padding])?;
            self.position += padding;
        }
        self.started_at = self.position;
        Ok(())
    }

    fn head(mut self, header: Header) -> Result<ReplacementFile, VectorError> {
        let header = Header {
            sections: self.sections,
            ..header
        };
        self.file.write_at_start(&header.encode())?;
        self.file.sync()?;
        Ok(self.file)
    }
}
